// Which algorithm a request runs, with which counting tables: decided once, before the run, from the request
// and the memory limit. Called by enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/factorizations/steps/rank_counts.hpp"
#include "slicepool/factorizations/steps/tables.hpp"
#include "slicepool/factorizations/steps/wide_counts.hpp"

namespace slicepool::factorizations {

struct Plan {
  Algorithm algorithm = Algorithm::candidate;  ///< candidate, tabulated, dynamic or ranked
  std::string reason;
  unsigned tabulatedDimension = 0;                   ///< tabulated; ranked: asked for, 0: chosen by cost
  std::uint64_t leafLimit = 0;                       ///< tabulated, dynamic: residuals below are in the table
  std::uint64_t listRows = 0;                        ///< dynamic: rows of all lists Z(0..n)
  std::size_t memoryLimit = 0;                       ///< bytes of host memory; never 0
  std::shared_ptr<const RankCounts> rankCounts;      ///< ranked: null when they do not fit memory or 64 bits
  std::shared_ptr<const SuffixCounts> suffixCounts;  ///< the same for candidate and tabulated
  std::shared_ptr<const StepCounts> stepCounts;      ///< candidate without modulo jump, where they fit
  std::optional<std::string> exactTotal;             ///< when a counting table fits
  std::optional<std::uint64_t> total;  ///< results to enumerate, when they fit 64 bits and places are known
  std::optional<std::string> results;  ///< the same, when known at any width; exactTotal without a rank range
  std::uint64_t firstRank = 0;         ///< of the results to enumerate, as the counting tables rank them
  std::shared_ptr<const WideRanks> wideRanks;  ///< a range of ranks that 64-bit counts cannot tell
  bool readCount = false;                      ///< the answer is exactTotal; nothing is enumerated
  double seconds = 0;                          ///< spent on counting tables

  /// Bytes that the counting tables hold.
  [[nodiscard]] std::size_t tableBytes() const;
  /// What the memory limit leaves for a leaf table; at least half of it.
  [[nodiscard]] std::size_t leafMemory() const;
};

/// Throws LimitError when an algorithm that was asked for (dynamic) or a range of ranks cannot be had, and
/// never for `automatic` without one; ConfigError when the range ends beyond the number of factorizations.
///
/// Cost model. Counting tables take O(d n) once and save every empty prefix, so they are made whenever they
/// fit half of the memory limit (an eighth when they only serve as a check), and then `ranked` is the
/// fastest: it goes from result to result, and its fast paths from block to block. Without counting tables
/// `candidate` needs no memory at all.
[[nodiscard]] Plan makePlan(const Request& request, const EngineOptions& options);

}  // namespace slicepool::factorizations
