// See seeding.hpp.
#include "runtime/core/seeding.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

namespace slicepool {
namespace {

constexpr std::size_t kRootsPerThread = 8;
constexpr std::size_t kHybridFineness = 8;
constexpr std::size_t kRootsPerGpu = 512;  // the device's own doubling is slow while few lanes take part
constexpr std::size_t kRowBytesPerRoot = 16U << 20;
/// Two huge pages. Threads that write neighbouring slices touch new pages at the same time, and all wait
/// while the system clears them: 16 threads write 25 GB/s in pieces of this size, 9 in pieces of 64 KB (an
/// H100's host).
constexpr std::size_t kRowBytesApart = 4U << 20;

std::size_t wantedSlices(const Problem& problem, const Seeding& seeding) {
  std::size_t wanted = kRootsPerThread * static_cast<std::size_t>(seeding.threads);
  const Places places = problem.places();
  if (seeding.mode == Mode::gpu) wanted = kRootsPerGpu;
  // A CPU worker must not start on more than a small part of what a GPU would do in the same time.
  if (seeding.mode == Mode::hybrid) wanted *= kHybridFineness;
  wanted *= std::max<std::size_t>(1, seeding.devices);  // of those that join nothing is known yet
  if (places.rowBytes != 0 && seeding.mode != Mode::cpu) {
    const double bytes =
        static_cast<double>(places.window.end - places.window.begin) * static_cast<double>(places.rowBytes);
    wanted =
        std::max(wanted, std::min<std::size_t>(4096, static_cast<std::size_t>(bytes / kRowBytesPerRoot)));
  }
  return std::min(wanted, seeding.poolCapacity / 2);
}

std::uint64_t splitLargest(const Problem& problem, std::size_t wanted, std::vector<std::byte>& slices) {
  const std::size_t bytes = problem.sliceBytes();
  std::uint64_t splits = 0;
  struct Entry {
    double size;
    std::size_t index;
    bool operator<(const Entry& other) const {
      return size != other.size ? size < other.size : index > other.index;
    }
  };
  // Unknown sizes rank by age: halving the oldest first gives breadth.
  const auto sizeAt = [&](std::size_t index) {
    const double size = problem.size(slices.data() + index * bytes);
    return std::isnan(size) ? -static_cast<double>(splits) : size;
  };
  std::priority_queue<Entry> queue;
  const std::size_t count = slices.size() / bytes;
  for (std::size_t i = 0; i < count; ++i) queue.push({sizeAt(i), i});
  std::vector<std::byte> given(bytes);
  for (std::size_t now = count; now < wanted && !queue.empty();) {
    const Entry entry = queue.top();
    queue.pop();
    if (!problem.split(slices.data() + entry.index * bytes, given.data())) continue;
    slices.insert(slices.end(), given.begin(), given.end());
    ++splits;
    queue.push({sizeAt(entry.index), entry.index});
    queue.push({sizeAt(now), now});
    ++now;
  }
  return splits;
}

/// By the places of their rows.
void sortByRank(const Problem& problem, std::vector<std::byte>& slices) {
  const std::size_t bytes = problem.sliceBytes();
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t at = 0; at < slices.size(); at += bytes)
    order.emplace_back(problem.ranks(slices.data() + at).begin, at);
  std::sort(order.begin(), order.end());
  std::vector<std::byte> sorted;
  sorted.reserve(slices.size());
  for (const auto& [rank, at] : order) {
    const auto from = slices.begin() + static_cast<std::ptrdiff_t>(at);
    sorted.insert(sorted.end(), from, from + static_cast<std::ptrdiff_t>(bytes));
  }
  slices = std::move(sorted);
}

/// Deals small slices, sorted by rank, from as many parts of the output as there are threads: the first of
/// each part, then the second of each. Threads that take one after the other write into different parts, and
/// a device that takes many still has few ranges to copy.
void spreadRows(const Problem& problem, int threads, std::vector<std::byte>& slices) {
  const std::size_t bytes = problem.sliceBytes();
  const std::size_t count = slices.size() / bytes;
  const auto parts = static_cast<std::size_t>(threads);
  const Places places = problem.places();
  const std::uint64_t rows = places.window.end - places.window.begin;
  if (parts < 2 || count <= parts || rows / count * places.rowBytes >= kRowBytesApart) return;
  std::vector<std::byte> spread;
  spread.reserve(slices.size());
  const std::size_t length = (count + parts - 1) / parts;
  for (std::size_t at = 0; at < length; ++at) {
    for (std::size_t slice = at; slice < count; slice += length) {
      const auto from = slices.begin() + static_cast<std::ptrdiff_t>(slice * bytes);
      spread.insert(spread.end(), from, from + static_cast<std::ptrdiff_t>(bytes));
    }
  }
  slices = std::move(spread);
}

}  // namespace

std::uint64_t seedSlices(const Problem& problem, const Seeding& seeding, std::vector<std::byte>& slices) {
  const std::uint64_t splits = splitLargest(problem, wantedSlices(problem, seeding), slices);
  if (problem.places().rowBytes != 0) {
    sortByRank(problem, slices);
    if (seeding.mode != Mode::gpu) spreadRows(problem, seeding.threads, slices);
  }
  return splits;
}

}  // namespace slicepool
