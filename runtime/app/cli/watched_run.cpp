// See watched_run.hpp.
#include "runtime/app/cli/watched_run.hpp"

#include <memory>

#include <spdlog/spdlog.h>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/app/cli/progress.hpp"
#include "runtime/app/report/machine.hpp"
#include "slicepool/core/devices.hpp"

namespace slicepool::cli {
namespace {

bool mayUseGpu(Mode mode) { return mode == Mode::gpu || mode == Mode::hybrid || mode == Mode::automatic; }

}  // namespace

std::optional<report::Execution> executeWatched(config::RunConfig config, const std::string& progress,
                                                const report::StopRequest& stop) {
  const ProgressStyle style = parseProgressStyle(progress, config.outputPath);
  config.engine.phases = std::make_shared<PhaseClock>();
  // The printer asks by itself. This is for searches that estimate their size only when progress is wanted.
  if (style != ProgressStyle::none) config.engine.onProgress = [](const Progress&) {};
  ProgressPrinter printer(style, config.engine.phases);
  try {
    auto execution = report::execute(config, config::Strictness::single, stop,
                                     [&](const auto* run) { printer.watch(run); });
    printer.finish();
    for (const auto& warning : execution.run->report().warnings) spdlog::warn("{}", warning);
    return execution;
  } catch (const SetupStopped&) {
    return std::nullopt;
  }
}

config::Json recordOfRun(const config::RunConfig& config, const report::Execution& execution) {
  config::Json record = report::makeRecord(config, *execution.run, execution.times);
  // A driver that was not started for the run is not started to be named.
  record["machine"] = report::machineRecord(mayUseGpu(config.engine.mode) && startedGpus() != nullptr);
  record["build"] = report::buildRecord();
  return record;
}

}  // namespace slicepool::cli
