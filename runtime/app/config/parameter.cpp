// The parameters that all workloads share. See parameter.hpp.
#include "runtime/app/config/parameter.hpp"

namespace slicepool::config {
namespace {

constexpr const char* kTurn = "milliseconds from 0.01 to 60000";
constexpr double kMinimumTurn = 0.01;

/// Steps: 0 stands for the tuned number.
Json budget(const std::string& of) {
  return domain::digits("steps per " + of + ": an integer from 1 to 2^63-1, or 0 for tuned", 0);
}

Json blockSize() {
  Json node = domain::integer("threads per block: a multiple of 32 from 32 to 1024, or 0 for tuned", 0, 1024);
  node["multipleOf"] = 32;
  return node;
}

std::vector<Parameter> workers() {
  return {
      {.member = "engine.mode",
       .flag = "--mode",
       .help = "the workers that take part",
       .standard = "auto: CPU, and a GPU when there is one",
       .group = kWorkersGroup,
       .domain = domain::words({"cpu", "gpu", "hybrid", "emulated", "auto"}),
       .sweep = Sweep::axis},
      {.member = "engine.threads",
       .flag = "--threads",
       .given = Given::integer,
       .type = "N",
       .help = "CPU workers",
       .standard = "all cores",
       .group = kWorkersGroup,
       .domain = domain::integer("an integer from 1 to 4096, or 0 for all cores", 0, 4096),
       .sweep = Sweep::axis},
      {.member = "engine.device",
       .flag = "--device",
       .given = Given::integer,
       .type = "I",
       .help = "index of the one GPU to use",
       .standard = "all; see slicepool info",
       .group = kWorkersGroup,
       .domain =
           domain::integer("the index of the one GPU to use, from 0 to 1023 (without it: all GPUs)", 0, 1023),
       .sweep = Sweep::axis},
      {.member = "engine.emulated.lanes",
       .flag = "--emulated-lanes",
       .given = Given::integer,
       .type = "N",
       .help = "emulated: slices per batch",
       .group = kWorkersGroup,
       .domain = domain::integer("slices per batch: an integer from 1 to 16777216", 1, kMaximumLanes),
       .sweep = Sweep::axis},
      {.member = "engine.emulated.result_capacity",
       .help = "emulated: results that a batch buffers",
       .group = kWorkersGroup,
       .domain =
           domain::integer("buffered results per batch: an integer from 1 to 16777216", 1, kMaximumLanes),
       .sweep = Sweep::axis},
      {.member = "engine.emulated.slowdown_ms",
       .flag = "--emulated-slowdown",
       .given = Given::number,
       .type = "MS",
       .help = "emulated: milliseconds added to every launch",
       .group = kWorkersGroup,
       .domain = domain::number("milliseconds from 0 to 60000 added to every launch", 0),
       .sweep = Sweep::axis},
      {.member = "engine.emulated.cpu_workers",
       .flag = "--emulated-alone",
       .given = Given::setFalse,
       .help = "emulated: no CPU workers beside it",
       .group = kWorkersGroup,
       .domain = domain::trueOrFalse("true or false: CPU workers beside the emulated lanes"),
       .sweep = Sweep::axis},
      {.member = "engine.emulated.fail_at_launch",
       .flag = "--emulated-fail-at",
       .given = Given::integer,
       .type = "L",
       .help = "emulated: this launch fails, counted from 0",
       .group = kWorkersGroup,
       .domain = domain::integer("the launch that fails, counted from 0, or -1 for none", -1),
       .sweep = Sweep::axis},
  };
}

std::vector<Parameter> tuning() {
  return {
      {.member = "engine.pool_order",
       .flag = "--pool-order",
       .help = "newest or oldest slice first",
       .standard = "lifo",
       .group = kTuningGroup,
       .domain = domain::words({"lifo", "fifo"}),
       .sweep = Sweep::axis},
      {.member = "engine.pool_capacity",
       .flag = "--pool-capacity",
       .given = Given::integer,
       .type = "N",
       .help = "slices the pool can hold",
       .standard = "16384",
       .group = kTuningGroup,
       .domain = domain::integer("an integer from 64 to 16777216 slices", 64, 1 << 24),
       .sweep = Sweep::axis},
      {.member = "engine.cpu_turn_ms",
       .flag = "--cpu-turn",
       .given = Given::number,
       .type = "MS",
       .help = "target length of a CPU turn; beside devices 0.5 at most",
       .standard = "10",
       .group = kTuningGroup,
       .domain = domain::number(kTurn, kMinimumTurn),
       .sweep = Sweep::axis},
      {.member = "engine.cpu_budget",
       .flag = "--cpu-budget",
       .given = Given::integer,
       .type = "STEPS",
       .help = "fixed steps per CPU turn instead of a target",
       .group = kTuningGroup,
       .domain = budget("CPU turn"),
       .sweep = Sweep::axis},
      {.member = "engine.gpu_profile",
       .flag = "--gpu-profile",
       .help = "target length of a launch: 2, 12 or 96 ms",
       .group = kTuningGroup,
       .domain = domain::words({"low", "default", "high"}, "low (2 ms), default (12 ms) or high (96 ms)"),
       .sweep = Sweep::axis},
      {.member = "engine.gpu_turn_ms",
       .flag = "--gpu-turn",
       .given = Given::number,
       .type = "MS",
       .help = "target length of a launch in milliseconds",
       .group = kTuningGroup,
       .domain = domain::number(kTurn, kMinimumTurn),
       .sweep = Sweep::axis},
      {.member = "engine.gpu_budget",
       .flag = "--gpu-budget",
       .given = Given::integer,
       .type = "STEPS",
       .help = "fixed steps per slice and launch instead of a target",
       .group = kTuningGroup,
       .domain = budget("slice and launch"),
       .sweep = Sweep::axis},
      {.member = "engine.block_size",
       .flag = "--block-size",
       .given = Given::integer,
       .type = "N",
       .help = "GPU threads per block",
       .standard = "found by a warm-up",
       .group = kTuningGroup,
       .domain = blockSize(),
       .sweep = Sweep::axis},
      {.member = "engine.gpu_granularity",
       .flag = "--gpu-granularity",
       .help = "whether one GPU thread or one warp advances a slice",
       .standard = "auto: the faster one for the search",
       .group = kTuningGroup,
       .domain = domain::words({"auto", "thread", "warp"}),
       .sweep = Sweep::axis},
      {.member = "engine.device_lanes",
       .flag = "--device-lanes",
       .given = Given::integer,
       .type = "N",
       .help = "slices per batch on the GPU",
       .standard = "the device's choice",
       .group = kTuningGroup,
       .domain = domain::integer(
           "slices per batch on the GPU: an integer from 1 to 67108864, or 0 for the device's choice", 0,
           1 << 26),
       .sweep = Sweep::axis},
  };
}

std::vector<Parameter> memory() {
  return {
      {.member = "engine.memory_limit",
       .flag = "--memory-limit",
       .type = "SIZE",
       .help = "host memory, such as 4GiB",
       .standard = "half of what is free",
       .group = kFilesGroup,
       .domain = domain::size(),
       .sweep = Sweep::axis},
      {.member = "engine.device_memory_limit",
       .flag = "--device-memory-limit",
       .type = "SIZE",
       .help = "device memory",
       .standard = "a share of what is free",
       .group = kFilesGroup,
       .domain = domain::size(),
       .sweep = Sweep::axis},
  };
}

}  // namespace

const std::vector<Parameter>& engineParameters() {
  static const std::vector<Parameter> kParameters = [] {
    std::vector<Parameter> all;
    for (const auto& part : {workers(), tuning(), memory()}) all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return kParameters;
}

const std::vector<Parameter>& runParameters() {
  static const std::vector<Parameter> kParameters = {
      {.member = "checkpoint",
       .flag = "--checkpoint",
       .type = "FILE",
       .help = "save unfinished work there, regularly and when stopped",
       .group = kFilesGroup,
       .domain = domain::fileName()},
      {.member = "engine.checkpoint_interval_seconds",
       .flag = "--checkpoint-interval",
       .given = Given::number,
       .type = "SECONDS",
       .help = "seconds between checkpoints",
       .standard = "30",
       .group = kFilesGroup,
       .domain = domain::number("seconds from 0.001 to 86400", 0.001)},
      {.member = "resume",
       .flag = "--resume",
       .type = "FILE",
       .help = "go on from a checkpoint of the same request; auto: from the one that this run would write, "
               "if it is "
               "there",
       .group = kFilesGroup,
       .domain = domain::text("the name of a checkpoint file, or auto")},
      {.member = "time_limit_seconds",
       .flag = "--time-limit",
       .given = Given::number,
       .type = "SECONDS",
       .help = "stop after that time (with a checkpoint if asked)",
       .group = kFilesGroup,
       .domain = domain::numberAbove("seconds above 0, at most 1e9", 0)},
      {.member = "engine.step_limit",
       .flag = "--step-limit",
       .given = Given::integer,
       .type = "N",
       .help = "stop after that many steps, at the same work on every machine (with a checkpoint if asked)",
       .group = kFilesGroup,
       .domain = domain::integer("an integer of 1 or more", 1)},
      {.member = "trace",
       .flag = "--trace",
       .type = "FILE",
       .help = "write a Chrome trace-event file that opens in Perfetto",
       .group = kFilesGroup,
       .domain = domain::fileName()},
  };
  return kParameters;
}

std::string helpText(const Parameter& parameter) {
  return parameter.help + (parameter.standard.empty() ? "" : " (default " + parameter.standard + ")");
}

std::string typeText(const Parameter& parameter) {
  if (parameter.given == Given::setTrue || parameter.given == Given::setFalse) return {};
  if (!parameter.type.empty() || !parameter.domain.contains("enum")) return parameter.type;
  std::string text;
  for (const auto& word : parameter.domain["enum"])
    text += (text.empty() ? "" : "|") + word.get<std::string>();
  return text;
}

bool isListValued(const Parameter& parameter) {
  return parameter.domain.value("type", Json()) == Json("array");
}

}  // namespace slicepool::config
