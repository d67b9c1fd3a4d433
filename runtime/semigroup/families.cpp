// The named families of generators (generators.hpp). Definitions: docs/semigroup.md.
#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <numeric>

#include "runtime/semigroup/generators.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {
namespace {

using Point = std::vector<std::uint32_t>;

/// The transformation of `points` (distinct, in the order that numbers them) that `move` makes.
Transformation actionOn(const std::vector<Point>& points, const std::map<Point, Image>& numbers,
                        const std::function<void(Point&)>& move) {
  Transformation images;
  images.reserve(points.size());
  for (const auto& point : points) {
    Point moved = point;
    move(moved);
    images.push_back(numbers.at(moved));
  }
  return images;
}

std::map<Point, Image> numbered(const std::vector<Point>& points) {
  std::map<Point, Image> numbers;
  for (const auto& point : points) numbers.emplace(point, static_cast<Image>(numbers.size()));
  return numbers;
}

void swapIf(Point& v, std::uint32_t i, bool ascending) {
  if (ascending ? v[i] < v[i + 1] : v[i] > v[i + 1]) std::swap(v[i], v[i + 1]);
}

/// Points are the permutations of 0 .. r-1; the anti-sorting moves, then the sorting moves.
Generators bihecke(std::uint32_t r) {
  std::vector<Point> points;
  Point permutation(r);
  std::iota(permutation.begin(), permutation.end(), 0U);
  do {
    points.push_back(permutation);
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  const auto numbers = numbered(points);
  Generators result{static_cast<std::uint32_t>(points.size()), {}};
  for (const bool ascending : {true, false}) {
    for (std::uint32_t i = 0; i + 1 < r; ++i) {
      result.images.push_back(actionOn(points, numbers, [&](Point& v) { swapIf(v, i, ascending); }));
    }
  }
  return result;
}

void rookVectors(std::uint32_t r, Point& prefix, std::vector<Point>& into) {
  if (prefix.size() == r) {
    into.push_back(prefix);
    return;
  }
  for (std::uint32_t entry = 0; entry <= r; ++entry) {
    if (entry != 0 && std::find(prefix.begin(), prefix.end(), entry) != prefix.end()) continue;
    prefix.push_back(entry);
    rookVectors(r, prefix, into);
    prefix.pop_back();
  }
}

/// Points are the vectors over 0 .. r whose non-zero entries are distinct (rook placements).
Generators renner(std::uint32_t r) {
  std::vector<Point> points;
  Point prefix;
  rookVectors(r, prefix, points);
  const auto numbers = numbered(points);
  Generators result{static_cast<std::uint32_t>(points.size()), {}};
  result.images.push_back(actionOn(points, numbers, [](Point& v) { v[0] = 0; }));
  for (std::uint32_t i = 0; i + 1 < r; ++i)
    result.images.push_back(actionOn(points, numbers, [&](Point& v) { swapIf(v, i, true); }));
  return result;
}

Transformation identity(std::uint32_t n) {
  Transformation images(n);
  std::iota(images.begin(), images.end(), 0U);
  return images;
}

Transformation sending(std::uint32_t n, Image from, Image to) {
  Transformation images = identity(n);
  images[from] = to;
  return images;
}

Generators symmetric(std::uint32_t n) {
  Transformation swap = identity(n);
  std::swap(swap[0], swap[n > 1 ? 1 : 0]);
  Transformation cycle = identity(n);
  std::rotate(cycle.begin(), cycle.begin() + 1, cycle.end());
  return {n, {swap, cycle}};
}

Generators full(std::uint32_t n) {
  Generators result = symmetric(n);
  result.images.push_back(sending(n, n > 1 ? 1 : 0, 0));
  return result;
}

Generators catalan(std::uint32_t n) {
  Generators result{n, {identity(n)}};
  for (std::uint32_t i = 0; i + 1 < n; ++i) result.images.push_back(sending(n, i, i + 1));
  return result;
}

Generators orderPreserving(std::uint32_t n) {
  Generators result = catalan(n);
  for (std::uint32_t i = 0; i + 1 < n; ++i) result.images.push_back(sending(n, i + 1, i));
  return result;
}

struct Family {
  const char* name;
  std::uint32_t least;
  std::uint32_t most;  ///< larger ones cannot be explored on any machine of today
  Generators (*make)(std::uint32_t);
};
constexpr Family kFamilies[] = {{"bihecke", 2, 8, bihecke},
                                {"renner", 1, 10, renner},
                                {"full", 1, 64, full},
                                {"symmetric", 1, 64, symmetric},
                                {"order-preserving", 1, 64, orderPreserving},
                                {"catalan", 1, 64, catalan}};

constexpr const char* kAccepted =
    "bihecke:R (R from 2 to 8), renner:R (1 to 10), full:N, symmetric:N, order-preserving:N or catalan:N "
    "(1 to 64)";

}  // namespace

Generators namedGenerators(const std::string& name) {
  const std::size_t colon = name.find(':');
  std::uint32_t parameter = 0;
  const char* end = name.data() + name.size();
  if (colon != std::string::npos) {
    const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, parameter);
    for (const auto& family : kFamilies) {
      if (name.compare(0, colon, family.name) != 0 || error != std::errc{} || stop != end) continue;
      if (parameter >= family.least && parameter <= family.most) return family.make(parameter);
    }
  }
  throw ConfigError("named", "\"" + name + "\"", kAccepted);
}

}  // namespace slicepool::semigroup
