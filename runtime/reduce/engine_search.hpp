// Large trees of blocks by an engine, one after another: all cores together, or devices. Called by
// block_step.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

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
  /// What its workers did so far.
  [[nodiscard]] const RunReport& report() const { return report_; }

 private:
  EngineOptions options_;
  RunReport report_;
};

}  // namespace slicepool::reduce
