// See tables.hpp.
#include "runtime/invariants/tables.hpp"

#include <algorithm>

#include "cpu_workers/core/setup_stop.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::invariants {
namespace {

/// better(a, b): a is to be kept. The entries below the least generator but that of 0 have no length.
template <class Better>
std::vector<std::uint32_t> bestLengths(const std::vector<std::uint64_t>& generators, std::uint64_t last,
                                       std::size_t memoryLimit, const Better& better) {
  requireTable(static_cast<unsigned __int128>(last) + 1, sizeof(std::uint32_t), memoryLimit,
               "lengths of factorizations");
  std::vector<std::uint32_t> lengths(last + 1, kNoLength);
  lengths[0] = 0;
  for (const std::uint64_t generator : generators) {
    checkSetup();
    for (std::uint64_t n = generator; n <= last; ++n) {
      const std::uint32_t below = lengths[n - generator];
      if (below == kNoLength) continue;
      if (lengths[n] == kNoLength || better(below + 1, lengths[n])) lengths[n] = below + 1;
    }
  }
  return lengths;
}

}  // namespace

void requireTable(unsigned __int128 entries, std::size_t entryBytes, std::size_t limit,
                  const std::string& what) {
  if (entries <= limit / entryBytes) return;
  const unsigned __int128 largest = std::numeric_limits<std::size_t>::max() / entryBytes;
  const std::string needed = entries > largest
                                 ? "more bytes than an address space has"
                                 : std::to_string(static_cast<std::size_t>(entries) * entryBytes) + " bytes";
  throw LimitError(what + ": the table needs " + needed + ", the memory limit is " + std::to_string(limit));
}

std::vector<std::uint32_t> leastLengths(const std::vector<std::uint64_t>& generators, std::uint64_t last,
                                        std::size_t memoryLimit) {
  return bestLengths(
      generators, last, memoryLimit, [](std::uint32_t length, std::uint32_t old) { return length < old; });
}

std::vector<std::uint32_t> greatestLengths(const std::vector<std::uint64_t>& generators, std::uint64_t last,
                                           std::size_t memoryLimit) {
  return bestLengths(
      generators, last, memoryLimit, [](std::uint32_t length, std::uint32_t old) { return length > old; });
}

Factorization traced(const std::vector<std::uint64_t>& generators, const std::vector<std::uint32_t>& lengths,
                     std::uint64_t n) {
  Factorization factorization(generators.size(), 0);
  while (n != 0) {
    std::size_t i = 0;
    while (n < generators[i] || lengths[n - generators[i]] == kNoLength ||
           lengths[n - generators[i]] + 1 != lengths[n])
      ++i;
    ++factorization[i];
    n -= generators[i];
  }
  return factorization;
}

}  // namespace slicepool::invariants
