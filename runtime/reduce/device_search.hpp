// Large trees of blocks on devices: one engine each, one after another. Called by block_step.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::reduce {

struct DeviceResult {
  std::uint64_t nodes = 0;
  double seconds = 0;
  bool complete = false;                   ///< false: it was stopped
  std::vector<std::int64_t> coefficients;  ///< of the shortest vector; empty: there is none within the radius
};

/// One caller at a time.
class DeviceSearch {
 public:
  /// `options` of the run: its devices alone search, or the lane emulator.
  explicit DeviceSearch(EngineOptions options);
  [[nodiscard]] DeviceResult search(const lattice::ProblemSpec& spec, const std::function<bool()>& stop);
  /// What its workers did so far.
  [[nodiscard]] const RunReport& report() const { return report_; }

 private:
  EngineOptions options_;
  RunReport report_;
};

}  // namespace slicepool::reduce
