// Workload `ranked` for ranks of any width, on CPU threads: a slice is a range of 64-bit offsets from a wide
// rank; a turn unranks its first row by multi-limb arithmetic and steps from there, by the cursor and the
// step function of ranked.hpp. Instantiated by runtime/factorizations/problem_factory_wide.cpp; the view also
// serves rank_index.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/factorizations/steps/coordinates.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"
#include "slicepool/factorizations/steps/wide_counts.hpp"

namespace slicepool::factorizations {

/// Least significant limb first; as many count as the view that it belongs to has.
struct WideRank {
  std::uint64_t limbs[kMaximumLimbs];
};

/// Pointers into a WideSuffixCounts and the generators of one problem.
struct WideRankedView {
  static constexpr int kDimension = 0;
  using Word = std::uint64_t;
  using Rank = WideRank;

  std::uint64_t generators[kGenericCapacity];
  std::uint64_t element;
  std::int32_t dimension;
  std::uint32_t limbs;
  const std::uint64_t* planes;
  const std::uint64_t* begin;  ///< rank that slices count from

  [[nodiscard]] int dims() const { return dimension; }
  [[nodiscard]] std::uint64_t quotient(int k, std::uint64_t residual) const {
    return residual / generators[k];
  }
  [[nodiscard]] const std::uint64_t* counts(int k) const {
    return planes + static_cast<std::size_t>(k) * limbs * (element + 1);
  }
  [[nodiscard]] std::uint64_t limb(int k, std::uint64_t residual, std::uint32_t index) const {
    return counts(k)[index * (element + 1) + residual];
  }
  /// C_k[residual] = 0
  [[nodiscard]] bool none(int k, std::uint64_t residual) const {
    for (std::uint32_t i = 0; i < limbs; ++i)
      if (limb(k, residual, i) != 0) return false;
    return true;
  }
  /// C_k[a] != C_k[b]
  [[nodiscard]] bool differ(int k, std::uint64_t a, std::uint64_t b) const {
    for (std::uint32_t i = 0; i < limbs; ++i)
      if (limb(k, a, i) != limb(k, b, i)) return true;
    return false;
  }
  /// C_k[residual] > rank
  [[nodiscard]] bool exceeds(int k, std::uint64_t residual, const Rank& rank) const {
    for (std::uint32_t i = limbs; i-- > 0;) {
      const std::uint64_t count = limb(k, residual, i);
      if (count != rank.limbs[i]) return count > rank.limbs[i];
    }
    return false;
  }
  /// rank -= C_k[residual]
  void subtractFrom(Rank& rank, int k, std::uint64_t residual) const {
    bool borrow = false;
    for (std::uint32_t i = 0; i < limbs; ++i) {
      std::uint64_t& word = rank.limbs[i];
      const bool wrapped = __builtin_sub_overflow(word, limb(k, residual, i), &word);
      borrow = __builtin_sub_overflow(word, std::uint64_t{borrow}, &word) || wrapped;
    }
  }
  /// rank += C_k[residual]
  void addTo(Rank& rank, int k, std::uint64_t residual) const {
    bool carry = false;
    for (std::uint32_t i = 0; i < limbs; ++i) {
      std::uint64_t& word = rank.limbs[i];
      const bool wrapped = __builtin_add_overflow(word, limb(k, residual, i), &word);
      carry = __builtin_add_overflow(word, std::uint64_t{carry}, &word) || wrapped;
    }
  }
  /// The rank that these `limbs` limbs are.
  [[nodiscard]] Rank rankFrom(const std::uint64_t* words) const {
    Rank rank{};
    std::copy_n(words, limbs, rank.limbs);
    return rank;
  }
  /// begin + offset
  [[nodiscard]] Rank rankAt(std::uint64_t offset) const {
    Rank rank{};
    std::uint64_t carry = offset;
    for (std::uint32_t i = 0; i < limbs; ++i)
      carry = __builtin_add_overflow(begin[i], carry, &rank.limbs[i]) ? 1 : 0;
    return rank;
  }
};

/// `counts` belongs to `generators`; it and `begin` (counts.limbs limbs) must outlive the view.
[[nodiscard]] WideRankedView wideRankedView(const std::vector<std::uint64_t>& generators,
                                            const WideSuffixCounts& counts, const std::uint64_t* begin);

/// Slices and positions are offsets from view.begin.
using WideRanked = RankedSteps<WideRankedView>;

}  // namespace slicepool::factorizations
