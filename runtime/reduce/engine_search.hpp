// Large trees of blocks by an engine, one after another: all cores together, or devices. Called by
// block_step.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/core/report_merge.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::reduce {

struct EngineSearchResult {
  std::uint64_t nodes = 0;
  double seconds = 0;
  bool complete = false;                                ///< false: it was stopped
  std::vector<std::vector<std::int64_t>> coefficients;  ///< of each vector within the radius
};

/// One caller at a time.
class EngineSearch {
 public:
  /// `options` of the run. In mode `cpu` all cores search; else devices alone, or the lane emulator.
  explicit EngineSearch(EngineOptions options);
  /// The radius stays as it is, so that what is found does not depend on who searches when.
  [[nodiscard]] EngineSearchResult search(lattice::ProblemSpec spec, const std::function<bool()>& stop);
  /// Moments of the report count from here. Before the first search.
  void beginAt(std::chrono::steady_clock::time_point moment) { reports_.beginAt(moment); }
  /// What its workers did in the `seconds` since then.
  [[nodiscard]] RunReport report(double seconds) const { return reports_.report(seconds); }

 private:
  EngineOptions options_;
  ReportsInTurn reports_;
};

}  // namespace slicepool::reduce
