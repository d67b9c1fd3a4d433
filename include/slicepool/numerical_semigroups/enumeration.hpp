// The library's front door to the tree of numerical semigroups: a request, and an enumeration object that
// runs it on CPU, GPU or both. The command line and the sweeps are thin users of this header.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

struct Request {
  int genus = 0;  ///< all semigroups of at most so many gaps, 1 .. kMaximumGenus
  /// What they are counted by. The multiplicity is the fastest: it needs no visit of the last levels.
  Statistic by = Statistic::multiplicity;
  int multiplicity = 0;  ///< only those with this smallest positive element, 2 .. genus + 1; 0: all
};

/// Numbers of semigroups; of an unfinished run: of those found so far.
struct Findings {
  std::vector<std::uint64_t> byGenus;  ///< genus + 1 numbers, that of genus 0 first
  /// triangle[g][v]: of genus g and value v of the statistic; the last entry of a row is not zero. All
  /// nonnegative integers, of genus 0, have the Frobenius number -1, which has no entry.
  std::vector<std::vector<std::uint64_t>> triangle;
  friend bool operator==(const Findings&, const Findings&) = default;
};

struct Outcome {
  Findings findings;
  std::string checkpointPath;  ///< what an unfinished run can be resumed from; empty: nothing
  RunReport run;
};

/// One enumeration. Construction validates the request (ConfigError) and asks for the devices that the mode
/// needs (DeviceError); run() executes, once. The numbers and the steps are the same in every mode.
///
///     slicepool::numerical_semigroups::Request request;
///     request.genus = 30;
///     slicepool::numerical_semigroups::Enumeration enumeration(request, {.mode = slicepool::Mode::cpu});
///     enumeration.run();
///     enumeration.outcome().findings.byGenus.back();   // 5646773
class Enumeration : public RunHandle {
 public:
  Enumeration(const Request& request, EngineOptions options);
  /// After run(). Moves the findings out.
  [[nodiscard]] Outcome outcome();

 private:
  class Impl;
};

}  // namespace slicepool::numerical_semigroups
