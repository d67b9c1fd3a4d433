// See slicepool/numerical_semigroups/gap_set.hpp.
#include "slicepool/numerical_semigroups/gap_set.hpp"

#include <bit>

namespace slicepool::numerical_semigroups {

int genusOf(const GapSet& gaps) {
  int genus = 0;
  for (const std::uint64_t word : gaps.words) genus += std::popcount(word);
  return genus;
}

int frobeniusOf(const GapSet& gaps) {
  for (std::size_t w = gaps.words.size(); w != 0; --w)
    if (gaps.words.at(w - 1) != 0)
      return static_cast<int>(64 * w) - 1 - std::countl_zero(gaps.words.at(w - 1));
  return -1;
}

int multiplicityOf(const GapSet& gaps) {
  int m = 1;
  while (gaps.has(m)) ++m;
  return m;
}

std::vector<int> gapsOf(const GapSet& gaps) {
  std::vector<int> list;
  for (int x = 1; x <= frobeniusOf(gaps); ++x)
    if (gaps.has(x)) list.push_back(x);
  return list;
}

std::vector<int> generatorsOf(const GapSet& gaps) {
  std::vector<int> list;
  const int m = multiplicityOf(gaps);
  for (int s = m; s <= frobeniusOf(gaps) + m || s == m; ++s) {
    if (gaps.has(s)) continue;
    bool sum = false;
    for (int a = m; 2 * a <= s && !sum; ++a) sum = !gaps.has(a) && !gaps.has(s - a);
    if (!sum) list.push_back(s);
  }
  return list;
}

bool comesBefore(const GapSet& a, const GapSet& b) {
  if (const int difference = genusOf(a) - genusOf(b); difference != 0) return difference < 0;
  for (std::size_t w = 0; w < a.words.size(); ++w) {
    const std::uint64_t different = a.words.at(w) ^ b.words.at(w);
    if (different != 0) return (a.words.at(w) & (different & (~different + 1))) != 0;
  }
  return false;
}

}  // namespace slicepool::numerical_semigroups
