// See run_config.hpp.
#include "runtime/app/config/run_config.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/app/config/parameter.hpp"
#include "runtime/app/config/schema.hpp"
#include "runtime/app/config/suggest.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

constexpr double kMaximumTurn = 60'000;
constexpr std::ptrdiff_t kMaximumPathDots = 16;

void refuseBoth(const Json& engine, const char* fixed, const char* target) {
  if (engine.contains(fixed) && engine.contains(target)) {
    throw ConfigError(std::string("engine.") + fixed,
                      describeValue(engine[fixed]) + " together with engine." + target, "one of the two");
  }
}

EmulatorOptions parseEmulator(const Json& node) {
  EmulatorOptions options;
  const std::string field = "engine.emulated.";
  if (node.contains("lanes")) {
    options.lanes =
        static_cast<std::uint32_t>(requireUnsigned(node["lanes"], field + "lanes", 1, kMaximumLanes));
  }
  if (node.contains("result_capacity")) {
    options.resultCapacity = static_cast<std::uint32_t>(
        requireUnsigned(node["result_capacity"], field + "result_capacity", 1, kMaximumLanes));
  }
  if (node.contains("slowdown_ms"))
    options.slowdownMilliseconds = requireNumber(node["slowdown_ms"], field + "slowdown_ms", 0, kMaximumTurn);
  if (node.contains("fail_at_launch") && node["fail_at_launch"] != Json(-1)) {
    options.failAtLaunch = static_cast<std::int64_t>(
        requireUnsigned(node["fail_at_launch"], field + "fail_at_launch", 0, kMaximumInteger));
  }
  if (node.contains("cpu_workers"))
    options.withCpuWorkers = requireBoolean(node["cpu_workers"], field + "cpu_workers");
  return options;
}

void parseWorkers(const Json& node, EngineOptions& options) {
  options.mode = parseMode(node.value("mode", std::string("auto")));
  if (node.contains("threads"))
    options.threads = static_cast<int>(requireUnsigned(node["threads"], "engine.threads", 0, 4096));
  if (node.contains("pool_order"))
    options.poolOrder = node["pool_order"] == "fifo" ? PoolOrder::fifo : PoolOrder::lifo;
  if (node.contains("pool_capacity"))
    options.poolCapacity = requireUnsigned(node["pool_capacity"], "engine.pool_capacity", 64, 1U << 24);
  if (node.contains("memory_limit"))
    options.memoryLimit = requireSize(node["memory_limit"], "engine.memory_limit");
  if (node.contains("step_limit"))
    options.stepLimit = requireUnsigned(node["step_limit"], "engine.step_limit", 1, kMaximumInteger);
  if (node.contains("checkpoint_interval_seconds")) {
    const double seconds = requireNumber(node["checkpoint_interval_seconds"],
                                         "engine.checkpoint_interval_seconds", 0.001, 86'400);
    options.checkpointInterval = std::chrono::milliseconds(std::llround(seconds * 1e3));
  }
}

void parseBudgets(const Json& node, EngineOptions& options) {
  refuseBoth(node, "cpu_budget", "cpu_turn_ms");
  refuseBoth(node, "gpu_budget", "gpu_turn_ms");
  refuseBoth(node, "gpu_budget", "gpu_profile");
  refuseBoth(node, "gpu_profile", "gpu_turn_ms");
  if (node.contains("cpu_turn_ms")) {
    options.cpuTurnMilliseconds =
        requireNumber(node["cpu_turn_ms"], "engine.cpu_turn_ms", 0.01, kMaximumTurn);
  }
  if (node.contains("gpu_turn_ms")) {
    options.gpuTurnMilliseconds =
        requireNumber(node["gpu_turn_ms"], "engine.gpu_turn_ms", 0.01, kMaximumTurn);
  }
  if (node.contains("gpu_profile"))
    options.gpuTurnMilliseconds = gpuProfileMilliseconds(node["gpu_profile"].get<std::string>());
  if (node.contains("cpu_budget"))
    options.cpuBudget = requireUnsigned(node["cpu_budget"], "engine.cpu_budget", 0, kMaximumInteger);
  if (node.contains("gpu_budget"))
    options.gpuBudget = requireUnsigned(node["gpu_budget"], "engine.gpu_budget", 0, kMaximumInteger);
}

void parseDevice(const Json& node, EngineOptions& options) {
  if (node.contains("block_size")) {
    options.blockSize =
        static_cast<std::uint32_t>(requireUnsigned(node["block_size"], "engine.block_size", 0, 1024));
  }
  if (node.contains("gpu_granularity")) {
    const Json& granularity = node["gpu_granularity"];  // the schema has looked at it
    options.device.granularity = granularity == "thread" ? Granularity::thread
                                 : granularity == "warp" ? Granularity::warp
                                                         : Granularity::automatic;
  }
  if (node.contains("device")) {
    options.device.deviceIndex = static_cast<int>(requireUnsigned(node["device"], "engine.device", 0, 1023));
    options.devices = 1;
  }
  if (node.contains("device_lanes")) {
    options.device.lanes =
        static_cast<std::uint32_t>(requireUnsigned(node["device_lanes"], "engine.device_lanes", 0, 1U << 26));
  }
  if (node.contains("device_memory_limit"))
    options.device.memoryLimit = requireSize(node["device_memory_limit"], "engine.device_memory_limit");
}

/// A setting that would be ignored is refused by name, before the schema calls it an unknown key.
void refuseUnused(const Json& document, const Front& workload) {
  for (const auto& member : workload.unused) {
    const Json* value = findMember(document, member);
    if (value == nullptr) continue;
    throw ConfigError(member, describeValue(*value) + " with workload " + workload.name,
                      "only settings that this workload uses");
  }
}

EngineOptions parseEngine(const Json& node, Strictness strictness) {
  EngineOptions options;
  parseWorkers(node, options);
  parseBudgets(node, options);
  parseDevice(node, options);
  if (node.contains("emulated")) {
    if (strictness == Strictness::single && options.mode != Mode::emulated) {
      throw ConfigError("engine.emulated",
                        describeValue(node["emulated"]) + " with mode " + modeName(options.mode),
                        "settings of the lane emulator only with mode emulated");
    }
    options.emulator = parseEmulator(node["emulated"]);
  }
  return options;
}

RunConfig translated(const Json& document, Strictness strictness) {
  RunConfig config;
  config.workload = document["workload"].get<std::string>();
  config.document = keptNumbersAsStrings(document);
  config.document.erase("$schema");
  config.engine = parseEngine(document.value("engine", Json::object()), strictness);
  const Json outputs = document.value("output", Json::object());
  config.outputPath = outputs.value("path", std::string{});
  for (const auto& output : outputs.items())
    if (output.value() == "-") config.standardOutput = output.key();
  config.engine.checkpointPath = document.value("checkpoint", std::string{});
  config.engine.tracePath = document.value("trace", std::string{});
  config.resumePath = document.value("resume", std::string{});
  if (document.contains("time_limit_seconds"))
    config.timeLimitSeconds = requireNumber(document["time_limit_seconds"], "time_limit_seconds", 1e-9, 1e9);
  return config;
}

}  // namespace

double gpuProfileMilliseconds(const std::string& profile) {
  return profile == "low" ? 2.0 : profile == "high" ? 96.0 : 12.0;
}

std::string modeName(Mode mode) {
  switch (mode) {
    case Mode::cpu: return "cpu";
    case Mode::gpu: return "gpu";
    case Mode::hybrid: return "hybrid";
    case Mode::emulated: return "emulated";
    case Mode::automatic: break;
  }
  return "auto";
}

Mode parseMode(const std::string& text) {
  for (const Mode mode : {Mode::cpu, Mode::gpu, Mode::hybrid, Mode::emulated, Mode::automatic})
    if (modeName(mode) == text) return mode;
  throw ConfigError("engine.mode", describeValue(Json(text)), "cpu, gpu, hybrid, emulated or auto");
}

RunConfig parseRunConfig(const Json& document, Strictness strictness, const std::string& sourceName) {
  if (!document.is_object()) {
    throw ConfigError(sourceName.empty() ? "configuration" : sourceName, describeValue(document),
                      "a JSON object");
  }
  const Front& workload = requireWorkload(document);
  refuseUnused(document, workload);
  checkAgainstSchema(document, "run_" + workload.name, FieldStyle::dotted);
  return translated(document, strictness);
}

RunConfig parseRunOptions(const Json& document, Strictness strictness) {
  if (document.contains("engine"))
    checkAgainstSchema(document["engine"], "engine", FieldStyle::dotted, "engine");
  return translated(document, strictness);
}

void setMember(Json& document, const std::string& dottedPath, Json value) {
  Json* node = &document;
  std::size_t begin = 0;
  if (std::count(dottedPath.begin(), dottedPath.end(), '.') > kMaximumPathDots)
    throw ConfigError(shown(dottedPath), "too many names", "names of members separated by dots");
  for (;;) {
    const std::size_t dot = dottedPath.find('.', begin);
    const std::string part = dottedPath.substr(begin, dot == std::string::npos ? dot : dot - begin);
    if (part.empty() || !(node->is_object() || node->is_null())) {
      throw ConfigError(dottedPath, "a path through something that is not an object",
                        "names separated by dots");
    }
    if (dot == std::string::npos) {
      (*node)[part] = std::move(value);
      return;
    }
    node = &(*node)[part];
    begin = dot + 1;
  }
}

const Json* findMember(const Json& document, const std::string& dottedPath) {
  const Json* node = &document;
  for (std::size_t begin = 0;;) {
    const std::size_t dot = dottedPath.find('.', begin);
    const std::string part = dottedPath.substr(begin, dot == std::string::npos ? dot : dot - begin);
    if (!node->is_object() || !node->contains(part)) return nullptr;
    node = &(*node)[part];
    if (dot == std::string::npos) return node;
    begin = dot + 1;
  }
}

void applyAssignment(Json& document, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError("--set", describeValue(Json(assignment)), "KEY=VALUE, such as engine.threads=4");
  const std::string text = assignment.substr(equals + 1);
  Json value = text;
  try {
    value = parseJson(text, "--set");
  } catch (const ConfigError&) {
    // Not JSON: a text, as it stands.
  }
  setMember(document, assignment.substr(0, equals), std::move(value));
}

}  // namespace slicepool::config
