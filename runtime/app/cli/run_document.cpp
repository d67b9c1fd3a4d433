// See run_document.hpp.
#include "runtime/app/cli/run_document.hpp"

#include <cstdio>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/app/cli/hidden_gpus.hpp"
#include "runtime/app/cli/process_clock.hpp"
#include "runtime/app/cli/progress.hpp"
#include "runtime/app/cli/rank_run.hpp"
#include "runtime/app/cli/signals.hpp"
#include "runtime/app/cli/watched_run.hpp"
#include "runtime/app/config/run_config.hpp"
#include "runtime/app/report/execute.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using config::Json;

void printResult(const config::RunConfig& config, const report::Execution& execution, bool json) {
  if (json) return writeOut(recordOfRun(config, execution).dump() + "\n");
  printReport(report::readableReport(config, *execution.run, execution.times),
              !config.standardOutput.empty());
}

int stoppedCode(const config::WorkloadRun& run, const std::string& why) {
  const std::string checkpoint = run.savedTo();
  if (checkpoint.empty()) {
    spdlog::error("stopped by {} before the end; {}", why, run.leftBehind());
    return kFailed;
  }
  spdlog::info("stopped by {}; go on with the same options and --resume {}", why, checkpoint);
  return kStoppedWithCheckpoint;
}

/// Notes and examples of --help.
std::string footerOf(const config::Front& front) {
  std::string text = front.notes + (front.notes.empty() ? "" : "\n") + "Examples:";
  for (const auto& example : front.examples)
    text += "\n  slicepool " + config::commandName(front) + " " + example;
  return text;
}

/// Nothing, after a message: the run was stopped before its search began.
std::optional<report::Execution> executeOrStop(const config::RunConfig& config, report::StopRequest& stop,
                                               const report::RunWatcher& watcher) {
  try {
    return report::execute(config, config::Strictness::single, stop, watcher);
  } catch (const SetupStopped& why) {
    spdlog::error("{}; nothing was searched", why.what());
    return std::nullopt;
  }
}

/// Of a run that was to go on from a checkpoint, that is still there.
int stoppedBefore(const config::RunConfig& config) {
  const std::string& path = config.resumePath == "auto" ? config.engine.checkpointPath : config.resumePath;
  std::error_code error;
  return !path.empty() && std::filesystem::exists(path, error) ? kStoppedWithCheckpoint : kFailed;
}

}  // namespace

void addDisplay(CLI::App& app, Display& display) {
  app.add_option("--progress", display.progress,
                 "progress on standard error (default auto: a bar on a terminal)")
      ->type_name("auto|bar|plain|jsonl|none")
      ->group("Report");
  app.add_flag("--json", display.json, "print exactly one JSON object instead of the readable report")
      ->group("Report");
}

Action addWorkloadCommand(CLI::App& app, const config::Front& front) {
  struct State {
    OptionValues values;
    Display display;
  };
  auto state = std::make_shared<State>();
  state->values.add(app, optionsOf(front));
  addCluster(app, state->display.cluster);
  addDisplay(app, state->display);
  app.footer(footerOf(front));
  return [state, &front] {
    Json document = {{"workload", front.name}};
    state->values.apply(document);
    return runDocument(document, state->display);
  };
}

void refuseJsonBesideOutput(bool json, const std::string& output) {
  if (!json || output.empty()) return;
  throw ConfigError("--json",
                    fmt::format("--json together with --{} -", output == "path" ? "output" : output),
                    "one of the two: both write to standard output");
}

void printReport(const std::string& text, bool besideOutput) {
  if (besideOutput)
    fmt::print(stderr, "{}", text);
  else
    writeOut(text);
}

namespace {

/// `ranks` null: the search is this process's alone. `prepared` is called before it begins.
int runHere(const config::Json& document, const Display& display, const WhenDone& whenDone,
            const std::shared_ptr<cluster::Transport>& ranks, const std::function<void()>& prepared) {
  config::RunConfig config = config::parseRunConfig(document, config::Strictness::single);
  refuseJsonBesideOutput(display.json, config.standardOutput);
  if (ranks)
    settle(config, ranks);
  else
    hideOtherGpus(config.engine);
  const bool shows = !ranks || ranks->rank() == 0;
  const ProgressStyle style =
      shows ? parseProgressStyle(display.progress, config.outputPath) : ProgressStyle::none;
  // Without a file the answer is what is printed: until then the checkpoint is all that there is of the
  // search.
  config.keepsCheckpoints = config.outputPath.empty();
  config.engine.phases = processClock();
  // The printer asks by itself. This is for searches that estimate their size only when progress is wanted.
  if (style != ProgressStyle::none) config.engine.onProgress = [](const Progress&) {};

  report::StopRequest stop;
  const SignalWatcher signals(stop);
  ProgressPrinter printer(style, config.engine.phases);
  const auto execution = executeOrStop(config, stop, [&](const auto* run) {
    if (run != nullptr && prepared) prepared();
    printer.watch(run);
  });
  if (!execution) {
    printer.finish();
    return stoppedBefore(config);
  }
  printer.finish();
  if (!shows) return kDone;
  for (const auto& warning : execution->run->report().warnings) spdlog::warn("{}", warning);
  if (whenDone && execution->run->finished()) whenDone(recordOfRun(config, *execution));
  printResult(config, *execution, display.json);
  if (config.keepsCheckpoints && execution->run->finished()) execution->run->removeCheckpoints();
  const std::string why = execution->timeIsOver ? "the time limit"
                          : stop.requested()    ? "a signal"
                                                : "the step limit";
  return execution->run->finished() ? kDone : stoppedCode(*execution->run, why);
}

}  // namespace

int runDocument(const config::Json& document, const Display& display, const WhenDone& whenDone) {
  const auto ranks = openCluster(display.cluster);
  if (!ranks) return runHere(document, display, whenDone, nullptr, {});
  return runOnRank(*ranks, [&](const std::function<void()>& prepared) {
    return runHere(document, display, whenDone, ranks, prepared);
  });
}

}  // namespace slicepool::cli
