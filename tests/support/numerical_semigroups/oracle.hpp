// Numerical semigroups of a genus as sets of gaps, by the definition: a generator above the Frobenius number
// is removed from a set of integers, and generators are found by trying all sums. Slow and plain on purpose.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace slicepool::test {

/// The gaps of a numerical semigroup.
using Gaps = std::set<int>;

class GenusOracle {
 public:
  explicit GenusOracle(int bound) {
    std::set<Gaps> level{Gaps{}};
    levels_.push_back(level);
    for (int genus = 1; genus <= bound; ++genus) {
      std::set<Gaps> next;
      for (const Gaps& gaps : level) {
        const int frobenius = gaps.empty() ? -1 : *gaps.rbegin();
        for (int s = frobenius + 1; s <= frobenius + multiplicityOf(gaps) + 1; ++s) {
          if (s < 1 || !isGenerator(gaps, s)) continue;
          Gaps child = gaps;
          child.insert(s);
          next.insert(child);
        }
      }
      level = std::move(next);
      levels_.push_back(level);
    }
  }

  [[nodiscard]] const std::set<Gaps>& ofGenus(int genus) const {
    return levels_.at(static_cast<std::size_t>(genus));
  }

  static int multiplicityOf(const Gaps& gaps) {
    int m = 1;
    while (gaps.count(m) != 0) ++m;
    return m;
  }
  /// The second smallest positive element.
  static int secondOf(const Gaps& gaps) {
    int u = multiplicityOf(gaps) + 1;
    while (gaps.count(u) != 0) ++u;
    return u;
  }
  static bool isGenerator(const Gaps& gaps, int s) {
    if (gaps.count(s) != 0) return false;
    for (int a = 1; 2 * a <= s; ++a)
      if (gaps.count(a) == 0 && gaps.count(s - a) == 0) return false;
    return true;
  }
  /// Generators above the Frobenius number.
  static std::set<int> removable(const Gaps& gaps) {
    const int frobenius = gaps.empty() ? -1 : *gaps.rbegin();
    std::set<int> found;
    for (int s = frobenius + 1; s <= frobenius + multiplicityOf(gaps) + 1; ++s)
      if (s > 0 && isGenerator(gaps, s)) found.insert(s);
    return found;
  }

  /// All generators: they are at most F + m, and 1 is the one of all nonnegative integers.
  static int embeddingDimension(const Gaps& gaps) {
    const int last = (gaps.empty() ? 0 : *gaps.rbegin()) + multiplicityOf(gaps);
    int generators = 0;
    for (int s = 1; s <= last; ++s) generators += isGenerator(gaps, s) ? 1 : 0;
    return generators;
  }
  /// Gaps that any positive element takes into the semigroup; of all nonnegative integers it is -1.
  static int type(const Gaps& gaps) {
    int found = gaps.empty() ? 1 : 0;
    for (const int gap : gaps) {
      bool every = true;
      for (int s = 1; s <= *gaps.rbegin(); ++s)
        every = every && (gaps.count(s) != 0 || gaps.count(gap + s) == 0);
      found += every ? 1 : 0;
    }
    return found;
  }
  static int frobenius(const Gaps& gaps) { return *gaps.rbegin(); }
  static int depth(const Gaps& gaps) {
    int depth = 0;
    while (depth * multiplicityOf(gaps) < frobenius(gaps) + 1) ++depth;
    return depth;
  }

  /// Wilf's number, by its definition: generators times elements below the conductor, less the conductor.
  static int wilf(const Gaps& gaps) {
    return embeddingDimension(gaps) * static_cast<int>(below(gaps).size()) - conductor(gaps);
  }
  /// That of Eliahou, by its definition (Eliahou 2018, Wilf's conjecture and Macaulay's theorem): elements of
  /// the interval [c, c + m - 1] that are no generators are counted one by one.
  static int eliahou(const Gaps& gaps) {
    const int m = multiplicityOf(gaps);
    const int c = conductor(gaps);
    int left = 0;
    for (const int s : below(gaps)) left += s != 0 && isGenerator(gaps, s) ? 1 : 0;
    int decomposable = 0;
    for (int s = c; s < c + m; ++s) decomposable += s == 0 || !isGenerator(gaps, s) ? 1 : 0;
    const int q = gaps.empty() ? 0 : depth(gaps);
    return left * static_cast<int>(below(gaps).size()) - q * decomposable + q * m - c;
  }

 private:
  static int conductor(const Gaps& gaps) { return gaps.empty() ? 0 : frobenius(gaps) + 1; }
  static std::vector<int> below(const Gaps& gaps) {
    std::vector<int> elements;
    for (int s = 0; s < conductor(gaps); ++s)
      if (gaps.count(s) == 0) elements.push_back(s);
    return elements;
  }

  std::vector<std::set<Gaps>> levels_;
};

/// n_0 to n_30: https://oeis.org/A007323.
inline const std::vector<std::uint64_t>& publishedGenusCounts() {
  static const std::vector<std::uint64_t> counts{
      1,      1,      2,      4,      7,      12,      23,      39,      67,     118,   204,
      343,    592,    1001,   1693,   2857,   4806,    8045,    13467,   22464,  37396, 62194,
      103246, 170963, 282828, 467224, 770832, 1270267, 2091030, 3437839, 5646773};
  return counts;
}

}  // namespace slicepool::test
