// A numerical semigroup by its set of gaps, as enumerations list it, and what is read off it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace slicepool::numerical_semigroups {

/// Bit x % 64 of word x / 64 is set if x is a gap. Gaps of a semigroup of genus g are at most 2g - 1.
struct GapSet {
  std::array<std::uint64_t, 4> words{};

  static constexpr int kEnd = 256;
  [[nodiscard]] bool has(int number) const {
    return number >= 0 && number < kEnd &&
           (words.at(static_cast<std::size_t>(number) / 64) >> (number % 64) & 1U) != 0;
  }
  void add(int number) {
    words.at(static_cast<std::size_t>(number) / 64) |= std::uint64_t{1} << (number % 64);
  }
  void remove(int number) {
    words.at(static_cast<std::size_t>(number) / 64) &= ~(std::uint64_t{1} << (number % 64));
  }
  friend bool operator==(const GapSet&, const GapSet&) = default;
};

[[nodiscard]] int genusOf(const GapSet& gaps);
/// The largest gap; -1 without any.
[[nodiscard]] int frobeniusOf(const GapSet& gaps);
[[nodiscard]] int multiplicityOf(const GapSet& gaps);
/// In ascending order.
[[nodiscard]] std::vector<int> gapsOf(const GapSet& gaps);
/// The minimal generators in ascending order. O((F + m)^2).
[[nodiscard]] std::vector<int> generatorsOf(const GapSet& gaps);
/// By genus, then as the tree is searched: lists of gaps in lexicographic order.
[[nodiscard]] bool comesBefore(const GapSet& a, const GapSet& b);

}  // namespace slicepool::numerical_semigroups
