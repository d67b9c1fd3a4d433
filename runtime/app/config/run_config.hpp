// One run as a checked configuration. The command line builds the same JSON document that a file holds, so
// every check lives here. Called by the command and by sweeps, for every workload.
#pragma once

#include <optional>
#include <string>

#include "runtime/app/config/json.hpp"
#include "slicepool/core/options.hpp"

namespace slicepool::config {

/// How settings that a run does not use are treated.
enum class Strictness : std::uint8_t {
  single,     ///< one run: a setting that contradicts another one is an error
  sweepPoint  ///< a point of a sweep: settings of devices that this mode does not use are legal
};

struct RunConfig {
  std::string workload;
  Json document;           ///< as validated: what records echo
  EngineOptions engine;    ///< checkpointPath and tracePath included
  std::string outputPath;  ///< empty: none; "-": CSV on standard output
  /// The member of "output" that goes to standard output: "path", "transformation"; empty: none.
  std::string standardOutput;
  std::string resumePath;  ///< empty: start at the beginning
  std::optional<double> timeLimitSeconds;
  /// The checkpoints of a complete run stay until the caller removes them (WorkloadRun::removeCheckpoints).
  bool keepsCheckpoints = false;
};

/// Validates `document` (schema, ranges, contradictions) and translates everything that is common to all
/// workloads. Throws ConfigError. Parameters of the workload are checked when it is prepared.
[[nodiscard]] RunConfig parseRunConfig(const Json& document, Strictness strictness,
                                       const std::string& sourceName = {});

/// The same for a workload that no front describes: checks the settings of the engine and translates what is
/// common to all workloads. Other members are not looked at.
[[nodiscard]] RunConfig parseRunOptions(const Json& document, Strictness strictness);

/// Target milliseconds of a launch for gpu_profile low, default, high.
[[nodiscard]] double gpuProfileMilliseconds(const std::string& profile);
[[nodiscard]] std::string modeName(Mode mode);
[[nodiscard]] Mode parseMode(const std::string& text);

/// Sets the member at a dotted path ("engine.threads"), creating objects on the way.
/// Throws ConfigError when a part of the path is not an object.
void setMember(Json& document, const std::string& dottedPath, Json value);
/// The member at a dotted path; null: it is not there.
[[nodiscard]] const Json* findMember(const Json& document, const std::string& dottedPath);
/// Applies "key=value": the value is JSON if it parses as such, else a string.
void applyAssignment(Json& document, const std::string& assignment);

}  // namespace slicepool::config
