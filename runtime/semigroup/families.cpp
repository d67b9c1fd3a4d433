// The named families of generators (generators.hpp). Definitions: docs/semigroup.md.
#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "cpu_workers/core/parallel.hpp"
#include "runtime/io/shown.hpp"
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
  for (const bool ascending : {true, false})
    for (std::uint32_t i = 0; i + 1 < r; ++i)
      result.images.push_back(actionOn(points, numbers, [&](Point& v) { swapIf(v, i, ascending); }));
  return result;
}

/// The vectors of length r over 0 .. r whose non-zero entries are distinct (rook placements) in lexicographic
/// order, by number: there are 234,662,231 for r = 10, too many for a table of numbers.
class RookVectors {
 public:
  static constexpr std::uint32_t kMaximum = 10;

  explicit RookVectors(std::uint32_t r) : r_(r) {
    // Of m more entries with a values left, the first is 0 or one of the values.
    for (std::uint32_t a = 0; a <= r; ++a) ways_[0][a] = 1;
    for (std::uint32_t m = 1; m <= r; ++m)
      for (std::uint32_t a = 0; a <= r; ++a)
        ways_[m][a] = ways_[m - 1][a] + (a == 0 ? 0 : a * ways_[m - 1][a - 1]);
  }

  [[nodiscard]] std::uint32_t count() const { return ways_[r_][r_]; }

  struct Vector {
    std::uint32_t entry[kMaximum];
    std::uint32_t free[kMaximum + 1];  ///< bit v: value v is not among the entries before
  };

  [[nodiscard]] Vector at(std::uint32_t number) const {
    Vector v{};
    v.free[0] = ((2U << r_) - 1) & ~1U;
    for (std::uint32_t i = 0; i < r_; ++i) {
      std::uint32_t entry = 0;
      for (std::uint32_t skipped = 0;; ++entry) {
        if (entry != 0 && (v.free[i] >> entry & 1U) == 0) continue;
        skipped = waysOf(i, v.free[i], entry);
        if (number < skipped) break;
        number -= skipped;
      }
      v.entry[i] = entry;
      v.free[i + 1] = v.free[i] & ~(entry == 0 ? 0U : 1U << entry);
    }
    return v;
  }

  /// The vectors before those that agree up to entry i and have `entry` there.
  [[nodiscard]] std::uint32_t before(std::uint32_t i, std::uint32_t free, std::uint32_t entry) const {
    if (entry == 0) return 0;
    const auto smaller = static_cast<std::uint32_t>(std::popcount(free & ((1U << entry) - 1)));
    return waysOf(i, free, 0) + smaller * waysOf(i, free, entry);
  }

  /// Number of the vector with a 0 in the first place.
  [[nodiscard]] std::uint32_t withoutFirst(const Vector& v) const {
    std::uint32_t number = 0;
    std::uint32_t free = v.free[0];
    for (std::uint32_t i = 1; i < r_; ++i) {
      number += before(i, free, v.entry[i]);
      if (v.entry[i] != 0) free &= ~(1U << v.entry[i]);
    }
    return number;
  }

  /// How much larger the number is with entries i and i + 1 swapped: nothing else of it changes.
  [[nodiscard]] std::uint32_t swapped(const Vector& v, std::uint32_t i) const {
    const std::uint32_t a = v.entry[i];
    const std::uint32_t b = v.entry[i + 1];
    const auto pair = [&](std::uint32_t first, std::uint32_t second) {
      const std::uint32_t rest = v.free[i] & ~(first == 0 ? 0U : 1U << first);
      return before(i, v.free[i], first) + before(i + 1, rest, second);
    };
    return pair(b, a) - pair(a, b);
  }

 private:
  /// Vectors that agree up to entry i, with this one there.
  [[nodiscard]] std::uint32_t waysOf(std::uint32_t i, std::uint32_t free, std::uint32_t entry) const {
    const auto values = static_cast<std::uint32_t>(std::popcount(free)) - (entry == 0 ? 0 : 1);
    return ways_[r_ - 1 - i][values];
  }

  std::uint32_t r_;
  std::uint32_t ways_[kMaximum + 1][kMaximum + 1]{};
};

/// Points are the rook placements; the first entry to 0, then the swaps that sort downwards.
Generators renner(std::uint32_t r) {
  constexpr std::uint64_t kTogether = 1U << 14;
  const RookVectors vectors(r);
  Generators result{vectors.count(), std::vector<Transformation>(r)};
  parallelFor(
      0, r, 1,
      [&](std::uint64_t first, std::uint64_t last) {
        for (; first < last; ++first) result.images[first].resize(result.points);
      });
  parallelFor(0, result.points, kTogether, [&](std::uint64_t first, std::uint64_t last) {
    for (auto number = static_cast<std::uint32_t>(first); number < last; ++number) {
      const RookVectors::Vector v = vectors.at(number);
      result.images[0][number] = vectors.withoutFirst(v);
      for (std::uint32_t i = 0; i + 1 < r; ++i)
        result.images[i + 1][number] = number + (v.entry[i] < v.entry[i + 1] ? vectors.swapped(v, i) : 0);
    }
  });
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

/// The other families are small where they are allowed.
void requireMemory(const std::string& name, std::uint64_t images, std::size_t limit) {
  const std::uint64_t bytes = images * sizeof(Image);
  if (bytes <= limit) return;
  throw LimitError(fmt::format("named: the generators of {} take {} MiB, the memory limit is {} MiB", name,
                               bytes >> 20U, limit >> 20U));
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

struct Named {
  const Family* family;
  std::uint32_t parameter;
};

Named parseNamed(const std::string& name) {
  const std::size_t colon = name.find(':');
  std::uint32_t parameter = 0;
  const char* end = name.data() + name.size();
  if (colon != std::string::npos) {
    const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, parameter);
    for (const auto& family : kFamilies) {
      if (name.compare(0, colon, family.name) != 0 || error != std::errc{} || stop != end) continue;
      if (parameter >= family.least && parameter <= family.most) return {&family, parameter};
    }
  }
  throw ConfigError("named", inQuotes(name), kAccepted);
}

}  // namespace

Generators namedGenerators(const std::string& name, std::size_t memoryLimit) {
  const Named named = parseNamed(name);
  if (named.family->make == renner)
    requireMemory(name, std::uint64_t{RookVectors(named.parameter).count()} * named.parameter, memoryLimit);
  return named.family->make(named.parameter);
}

void requireFamily(const std::string& name) { (void)parseNamed(name); }

}  // namespace slicepool::semigroup
