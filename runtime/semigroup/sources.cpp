// See sources.hpp.
#include "runtime/semigroup/sources.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "cpu_workers/core/parallel.hpp"
#include "slicepool/detail/atomic.hpp"

namespace slicepool::semigroup {
namespace {

constexpr std::uint64_t kSourcesTogether = 1U << 12;
constexpr std::uint64_t kAhead = 12;

/// Points as bytes, which threads may mark together.
using Marks = std::vector<std::uint8_t>;

/// Marks `point`; false if it was marked before.
bool claim(Marks& marks, Image point) {
  if (loadRelaxed(&marks[point]) != 0) return false;
  return __atomic_exchange_n(&marks[point], std::uint8_t{1}, __ATOMIC_RELAXED) == 0;
}

/// Marks everything that words lead to from `open`, whose points are marked.
void reach(const Generators& generators, std::vector<Image> open, Marks& reached) {
  std::mutex mutex;
  while (!open.empty()) {
    std::vector<Image> next;
    const auto advance = [&](std::uint64_t first, std::uint64_t last) {
      std::vector<Image> found;
      for (; first < last; ++first) {
        for (const auto& images : generators.images) {
          if (first + kAhead < last) prefetch(&images[open[first + kAhead]]);
          const Image image = images[open[first]];
          if (claim(reached, image)) found.push_back(image);
        }
      }
      const std::lock_guard lock(mutex);
      next.insert(next.end(), found.begin(), found.end());
    };
    if (open.size() <= kSourcesTogether)
      advance(0, open.size());
    else
      parallelFor(0, open.size(), kSourcesTogether, advance);
    open = std::move(next);
  }
}

/// Of `candidates`, in this order, those not reached from one before, or in `reached` already.
std::vector<Image> roots(const Generators& generators, const std::vector<Image>& candidates, Marks reached) {
  std::vector<Image> found;
  for (const Image point : candidates) {
    if (!claim(reached, point)) continue;
    found.push_back(point);
    reach(generators, {point}, reached);
  }
  return found;
}

/// Points that no other point leads to: sources, whatever else there is.
std::vector<Image> withoutOrigin(const Generators& generators) {
  Marks led(generators.points);
  parallelFor(0, generators.points, kSourcesTogether, [&](std::uint64_t first, std::uint64_t last) {
    for (const auto& images : generators.images) {
      for (std::uint64_t point = first; point < last; ++point)
        if (images[point] != point && loadRelaxed(&led[images[point]]) == 0)
          storeRelaxed(&led[images[point]], std::uint8_t{1});
    }
  });
  std::vector<Image> points;
  for (Image point = 0; point < generators.points; ++point)
    if (led[point] == 0) points.push_back(point);
  return points;
}

}  // namespace

std::vector<Image> sourcePoints(const Generators& generators) {
  std::vector<Image> sources = withoutOrigin(generators);
  Marks reached(generators.points);
  for (const Image point : sources) reached[point] = 1;
  reach(generators, sources, reached);
  std::vector<Image> points;
  for (Image point = 0; point < generators.points; ++point)
    if (reached[point] == 0) points.push_back(point);
  // What is left lies on cycles, or behind them. A component that nothing leads into has exactly one root of
  // the first pass, its point that came first. A root elsewhere came before the root of some such component
  // that leads to it, so that in the reverse order it is reached.
  std::vector<Image> first = roots(generators, points, reached);
  std::reverse(first.begin(), first.end());
  for (const Image point : roots(generators, first, reached)) sources.push_back(point);
  std::sort(sources.begin(), sources.end());
  return sources;
}

}  // namespace slicepool::semigroup
