// Tables for people and the record for machines, from what was measured. Called by main.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/rows/measurement.hpp"
#include "bench/rows/settings.hpp"
#include "bench/support/instances.hpp"
#include "runtime/app/config/json.hpp"

namespace slicepool::bench {

struct CaseFigures {
  Instance instance;
  unsigned elementBytes = 0;
  std::uint64_t rows = 0;
  std::string fingerprint;  ///< of the expected rows
  std::vector<Measured> measured;
};

/// All instances with one choice of the element width.
struct Pass {
  unsigned requestedBytes = 0;  ///< 0: the narrowest of each instance
  std::vector<CaseFigures> cases;
};

/// A geometric mean over the cases in which its group occurs.
struct Mean {
  std::string group;
  double value = 0;
  double least = 0, greatest = 0;
  std::size_t cases = 0;
};

/// exp of the mean of the logarithms. Of a non-empty list of positive numbers.
[[nodiscard]] double geometricMean(const std::vector<double>& values);

/// Ratios of relations, in the order in which they first occur.
[[nodiscard]] std::vector<Mean> ratioMeans(const Pass& pass);
/// Results per second of reductions by wall time, and, where a device said what it took, by the device's
/// time.
[[nodiscard]] std::vector<Mean> rateMeans(const Pass& pass);

/// "narrowest" or "2-byte".
[[nodiscard]] std::string widthText(unsigned elementBytes);
/// Heading and one line for each measurement.
[[nodiscard]] std::string caseText(const CaseFigures& figures);
[[nodiscard]] std::string meansText(const Pass& pass);
/// "ms (least .. most)".
[[nodiscard]] std::string timeText(const report::Spread& milliseconds);

[[nodiscard]] config::Json toJson(const Pass& pass);
/// Program, machine in words, build, time and settings: what every record starts with.
[[nodiscard]] config::Json recordHead(const Settings& settings, bool withGpus);

}  // namespace slicepool::bench
