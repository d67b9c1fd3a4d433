// See sources.hpp.
#include "runtime/semigroup/sources.hpp"

#include <algorithm>

namespace slicepool::semigroup {
namespace {

void reach(const Generators& generators, Image from, std::vector<bool>& reached) {
  std::vector<Image> open{from};
  reached[from] = true;
  while (!open.empty()) {
    const Image point = open.back();
    open.pop_back();
    for (const auto& images : generators.images) {
      const Image next = images[point];
      if (reached[next]) continue;
      reached[next] = true;
      open.push_back(next);
    }
  }
}

/// Of `candidates`, in this order, those not reached from one before.
std::vector<Image> roots(const Generators& generators, const std::vector<Image>& candidates) {
  std::vector<bool> reached(generators.points);
  std::vector<Image> found;
  for (const Image point : candidates) {
    if (reached[point]) continue;
    found.push_back(point);
    reach(generators, point, reached);
  }
  return found;
}

}  // namespace

std::vector<Image> sourcePoints(const Generators& generators) {
  std::vector<Image> points(generators.points);
  for (Image i = 0; i < generators.points; ++i) points[i] = i;
  // A component that nothing leads into has exactly one root of the first pass, its point that came first. A
  // root elsewhere came before the root of some such component that leads to it, so that in the reverse order
  // it is reached.
  std::vector<Image> first = roots(generators, points);
  std::reverse(first.begin(), first.end());
  std::vector<Image> sources = roots(generators, first);
  std::sort(sources.begin(), sources.end());
  return sources;
}

}  // namespace slicepool::semigroup
