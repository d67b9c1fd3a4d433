// See length_sets.hpp.
#include "runtime/invariants/length_sets.hpp"

#include <algorithm>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/invariants/tables.hpp"

namespace slicepool::invariants {
namespace {

/// `to` gets the lengths of `from`, each plus one; words first .. last of `to`.
void addShifted(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from, std::size_t first,
                std::size_t last) {
  std::uint64_t carry = first == 0 ? 0 : from[first - 1] >> 63;
  for (std::size_t at = first; at <= last; ++at) {
    to[at] |= (from[at] << 1) | carry;
    carry = from[at] >> 63;
  }
}

}  // namespace

void forLengthSets(const std::vector<std::uint64_t>& generators, std::uint64_t last, std::size_t memoryLimit,
                   const std::function<void(std::uint64_t, const LengthSet&)>& each) {
  const auto [least, greatest] = std::minmax_element(generators.begin(), generators.end());
  const std::uint64_t kept = std::min(*greatest, last) + 1;
  const std::size_t words = last / *least / 64 + 1;
  requireTable(static_cast<unsigned __int128>(kept) * words, sizeof(std::uint64_t), memoryLimit,
               "length sets");
  std::vector<std::vector<std::uint64_t>> rows(kept, std::vector<std::uint64_t>(words, 0));
  rows[0][0] = 1;
  each(0, LengthSet(rows[0]));
  for (std::uint64_t n = 1; n <= last; ++n) {
    if ((n & 0xFF) == 0) checkSetup();
    auto& row = rows[n % kept];
    std::fill(row.begin(), row.end(), 0);
    const std::size_t first = n / *greatest / 64;
    for (const std::uint64_t generator : generators)
      if (generator <= n) addShifted(row, rows[(n - generator) % kept], first, n / *least / 64);
    each(n, LengthSet(row));
  }
}

}  // namespace slicepool::invariants
