// Suffix counts of any width, for ranks beyond 64 bits: fixed numbers of 64-bit limbs in planes. Made by
// rank_index.cpp and algorithm_choice.cpp, read by wide_ranked.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace slicepool::factorizations {

/// No count has more: each of 63 free coordinates has fewer than 2^63 values.
inline constexpr unsigned kMaximumLimbs = 64;

/// C_k[m] = |Z(m, (g_k..g_d))| modulo 2^(64 limbs), for k = 0..d-1 and 0 <= m <= element.
///
/// `limbs` is what |Z(element)| needs. That is enough: a residual m that is left after coordinates before k
/// satisfies C_k[m] <= |Z(element)|, and so do the counts that ranking compares with it. Counts of other
/// residuals may wrap. They are never read, and the recurrence C_k[m] = C_{k+1}[m] + C_k[m - g_k] is exact
/// modulo a power of two.
///
/// Planes: the limbs of equal weight of one k are contiguous, so that tests for zero and for equality, which
/// stepping from row to row consists of, mostly touch the lowest plane, as many bytes as 64-bit counts would.
struct WideSuffixCounts {
  std::uint64_t element = 0;
  unsigned dimension = 0;
  unsigned limbs = 1;
  std::vector<std::uint64_t>
      planes;  ///< [(k * limbs + limb) * (element + 1) + m], least significant limb first

  [[nodiscard]] const std::uint64_t* plane(unsigned k, unsigned limb) const {
    return planes.data() +
           (std::size_t{k} * limbs + limb) * (static_cast<std::size_t>(element) + std::size_t{1});
  }
  [[nodiscard]] std::size_t bytes() const { return planes.size() * sizeof(std::uint64_t); }
  /// Bytes that d generators up to n with counts of `limbs` limbs take; saturates at SIZE_MAX.
  [[nodiscard]] static std::size_t bytesNeeded(std::size_t dimension, std::uint64_t element, unsigned limbs);
};

/// O(d n limbs) time, 8 d (n + 1) limbs bytes. Throws LimitError when that is more than an address space.
[[nodiscard]] WideSuffixCounts makeWideSuffixCounts(const std::vector<std::uint64_t>& generators,
                                                    std::uint64_t element, unsigned limbs);

/// A range of ranks of any width. Where a problem has one, its own ranks, windows and positions are offsets
/// from `begin`, below `length`.
struct WideRanks {
  std::shared_ptr<const WideSuffixCounts> counts;
  std::vector<std::uint64_t> begin;  ///< counts->limbs limbs, least significant first
  std::uint64_t length = 0;
};

}  // namespace slicepool::factorizations
