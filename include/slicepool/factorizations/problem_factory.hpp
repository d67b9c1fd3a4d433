// Turns a specification into a Problem for the engine: picks the word width and the compile-time dimension.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/factorizations/steps/rank_counts.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"
#include "slicepool/factorizations/steps/tables.hpp"
#include "slicepool/factorizations/steps/wide_counts.hpp"

namespace slicepool::factorizations {

/// What the reduction sink computes beside the count.
struct Reductions {
  bool fingerprint = false;
  bool extremes = false;  ///< minimum and maximum length
  bool coordinateMaxima = false;
  bool lengths = false;                      ///< histogram of lengths: bins 0 .. element / min(generators)
  std::optional<LinearPredicate> predicate;  ///< counts the results that satisfy it
};

/// Index of the first word of each reduction in RunReport::words; -1 when not computed.
struct ReductionWords {
  int count = 0;
  int fingerprintSum = -1, fingerprintXor = -1;
  int minimumLength = -1, maximumLength = -1;  ///< minimum starts at 2^64-1
  int coordinateMaxima = -1;                   ///< d words
  int satisfied = -1;                          ///< results that satisfy the predicate
  int lengths = -1;                            ///< bins
};

struct ProblemSpec {
  std::vector<std::uint64_t> generators;
  std::uint64_t element = 0;
  Algorithm algorithm = Algorithm::candidate;  ///< candidate, tabulated or ranked
  bool moduloJump = true;
  std::shared_ptr<const SuffixCounts>
      suffixCounts;  ///< required by places and ranges of candidate and tabulated; else optional
  std::shared_ptr<const RankCounts> rankCounts;  ///< ranked: made when not given
  /// ranked: stored tails for the fast paths of CPU workers and of devices; without them rows go one by one.
  /// Elements as wide as those of `rows`; values with the fingerprint's weights when it is computed.
  std::shared_ptr<const SuffixRows> cpuTail;
  std::shared_ptr<const DeviceTail> deviceTail;
  /// ranked: roots to start with, of equally many ranks; 0: one root.
  std::uint32_t rootSlices = 0;
  std::shared_ptr<const StepCounts> stepCounts;  ///< optional: exact totals and exact halves for candidate
  std::shared_ptr<const LeafTable> leafTable;    ///< required by tabulated
  Reductions reductions;
  /// Only the results of these ranks, for `candidate` (needs suffixCounts) and `ranked`. Rows have a window
  /// of their own, which goes before.
  std::optional<RankRange> ranks;
  /// `ranked` without other counts: ranks of any width. `ranks`, windows and positions count from its begin.
  std::shared_ptr<const WideRanks> wideRanks;
  /// Rows to known places: window of ranks, host base address, element width. Empty: no rows.
  struct Rows {
    std::byte* base = nullptr;  ///< row of rank window.begin; may be null while only sizing
    RankRange window;
    unsigned elementBytes = 4;
  };
  std::optional<Rows> rows;  ///< known places; what counts they need is said above
  bool collectRows = false;  ///< without suffixCounts: Collect<CollectedRow>
  /// any: stop at the first satisfying result; all: stop at the first violating one.
  enum class Stop : std::uint8_t { never, firstSatisfying, firstViolating } stop = Stop::never;
};

/// One row as collected when places are not known (no counting table fits).
/// `coordinates` are the d coordinates as 64-bit words; resultBytes() = 8 d.
[[nodiscard]] ReductionWords reductionWords(const ProblemSpec& spec);

/// Throws ConfigError for combinations that make no sense. Roots: one slice (the engine splits).
[[nodiscard]] std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec);

}  // namespace slicepool::factorizations
