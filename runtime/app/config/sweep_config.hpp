// A sweep configuration: lists are axes, their product is a list of points; a file may hold several sweeps,
// each of one workload. Expansion only; runtime/app/report/sweep runs the points. File format:
// docs/file-formats.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/app/config/json.hpp"

namespace slicepool::config {

struct Measurement {
  int warmUp = 0;
  int repetitions = 1;
  std::optional<double> timeLimitSeconds;  ///< for one run
  bool interleaved = true;                 ///< all modes in turn within a repetition
  bool timeline = true;                    ///< sample utilisation and pool depth
};

/// One run configuration of the product, with what its row says about it.
struct SweepPoint {
  Json document;  ///< a run configuration (parseRunConfig takes it)
  std::string mode;
  std::string label;          ///< the values of the axes other than the mode, or the row's label
  std::size_t caseIndex = 0;  ///< points that differ only in the mode share a case
  Json row = Json::object();  ///< expected_count, published, reference, time_class of the row
  std::string hash;           ///< of the document
};

struct SweepConfig {
  std::vector<std::string> workloads;  ///< of the points, in the order of the file
  std::string description;
  Measurement measurement;
  Json report = Json::object();
  std::string outputDirectory;     ///< empty: the command must name one
  std::vector<std::string> axes;   ///< names of the axes ("element", "engine.threads", "rows")
  std::vector<SweepPoint> points;  ///< case by case, modes in turn
  std::string hash;                ///< of the whole document
};

/// Largest row class to keep: small < medium < large. Rows without a class are small.
enum class TimeClass : std::uint8_t { small, medium, large };
[[nodiscard]] TimeClass parseTimeClass(const std::string& text, const std::string& field);

/// Validates against the schema, expands, validates every point. Throws ConfigError with a JSON pointer.
[[nodiscard]] SweepConfig parseSweepConfig(const Json& document, TimeClass largest = TimeClass::large,
                                           const std::string& sourceName = {});
/// True when the document is a sweep rather than a single run.
[[nodiscard]] bool looksLikeSweep(const Json& document);
/// Throws ConfigError where the file holds what --json printed of a run: it has parameters as a sweep has.
void refuseRecord(const Json& document, const std::string& path);

}  // namespace slicepool::config
