// `slicepool factorizations` and `slicepool run`: flags or a file -> one JSON configuration -> a run.
#include <cstdio>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/options.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/signals.hpp"
#include "runtime/config/run_config.hpp"
#include "runtime/config/sweep_config.hpp"
#include "runtime/report/execute.hpp"
#include "runtime/report/machine.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using config::Json;

struct Display {
  std::string progress = "auto";
  bool json = false;
};

void addDisplay(CLI::App& app, Display& display) {
  app.add_option("--progress", display.progress,
                 "progress on standard error (default auto: a bar on a terminal)")
      ->type_name("auto|bar|plain|jsonl|none")
      ->group("Report");
  app.add_flag("--json", display.json, "print exactly one JSON object instead of the readable report")
      ->group("Report");
}

bool usesGpu(Mode mode) { return mode == Mode::gpu || mode == Mode::hybrid || mode == Mode::automatic; }

void printResult(const config::RunConfig& config, const report::Execution& execution, bool json) {
  if (json) {
    Json record = report::makeRecord(config, *execution.run, execution.times);
    record["machine"] = report::machineRecord(usesGpu(config.engine.mode));
    record["build"] = report::buildRecord();
    writeOut(record.dump() + "\n");
    return;
  }
  const std::string text = report::readableReport(config, *execution.run, execution.times);
  if (config.outputPath == "-") {
    fmt::print(stderr, "{}", text);  // standard output belongs to the rows
  } else {
    writeOut(text);
  }
}

int stoppedCode(const std::string& checkpoint, bool timeIsOver) {
  const std::string why = timeIsOver ? "the time limit" : "a signal";
  if (checkpoint.empty()) {
    spdlog::error(
        "stopped by {} before the end; the figures are partial and nothing was saved "
        "(use --checkpoint FILE to be able to go on)",
        why);
    return kFailed;
  }
  spdlog::info("stopped by {}; go on with the same options and --resume {}", why, checkpoint);
  return kStoppedWithCheckpoint;
}

int runDocument(const Json& document, const Display& display) {
  config::RunConfig config = config::parseRunConfig(document, config::Strictness::single);
  if (display.json && config.outputPath == "-") {
    throw ConfigError("--json", "--json together with --output -",
                      "one of the two: both write to standard output");
  }
  ProgressPrinter printer(parseProgressStyle(display.progress));
  config.engine.onProgress = [&printer](const Progress& progress) { printer.show(progress); };

  report::StopRequest stop;
  const SignalWatcher signals(stop);
  const report::Execution execution = report::execute(config, config::Strictness::single, stop);
  printer.finish();
  for (const auto& warning : execution.run->report().warnings) {
    spdlog::warn("{}", warning);
  }
  printResult(config, execution, display.json);
  return execution.run->finished() ? kDone : stoppedCode(execution.run->savedTo(), execution.timeIsOver);
}

}  // namespace

Action addFactorizationsCommand(CLI::App& app) {
  struct State {
    OptionValues values;
    Display display;
  };
  auto state = std::make_shared<State>();
  state->values.add(app, factorizationsOptions());
  state->values.add(app, engineOptions());
  state->values.add(app, runOptions());
  addDisplay(app, state->display);
  app.footer(
      "Examples:\n"
      "  slicepool factorizations --generators 13,37,38,40 --element 20000\n"
      "  slicepool factorizations --generators 6,9,20 --element 120 --sink rows --output -\n"
      "  slicepool factorizations --generators 13,37,38,40 --element 5000 --sink lengths --json\n"
      "  slicepool factorizations --generators 6,9,20 --element 300 --sink \"any:a1 + a2 = 7\"\n"
      "  slicepool factorizations --generators 13,37,38,40 --element 20000 --rank-range 1000000:1000100\n"
      "      --sink rows --output -\n"
      "  slicepool factorizations --generators 13,37,38,40 --element 20000 --sample 10 --seed 7\n"
      "  slicepool factorizations --generators 6,9,20 --element 60 --rank-of 4,4,0\n"
      "  slicepool factorizations --generators 13,37,38,40,41,42,43,44 --element 3600 --algorithm candidate\n"
      "      --mode hybrid --checkpoint big.ckpt --time-limit 3600");
  return [state] {
    Json document = {{"workload", "factorizations"}};
    state->values.apply(document);
    return runDocument(document, state->display);
  };
}

Action addRunCommand(CLI::App& app) {
  struct State {
    OptionValues values;
    Display display;
    std::string path;
    std::vector<std::string> assignments;
  };
  auto state = std::make_shared<State>();
  app.add_option("CONFIG", state->path, "a run configuration; docs/file-formats.md describes it")
      ->type_name("FILE")
      ->required();
  app.add_option("--set", state->assignments, "overrides a member, such as engine.threads=4; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  state->values.add(app, engineOptions());
  state->values.add(app, runOptions());
  addDisplay(app, state->display);
  app.footer(
      "Examples:\n"
      "  slicepool run request.json\n"
      "  slicepool run request.json --mode cpu --threads 4 --set element=30000 --json");
  return [state] {
    Json document = config::readJsonFile(state->path);
    if (config::looksLikeSweep(document)) {
      throw ConfigError(state->path, "a sweep",
                        "a run configuration; for a sweep use: slicepool sweep " + state->path);
    }
    for (const auto& assignment : state->assignments) {
      config::applyAssignment(document, assignment);
    }
    state->values.apply(document);
    return runDocument(document, state->display);
  };
}

void writeOut(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw LimitError("standard output: could not be written; is the disk full?");
  }
}

}  // namespace slicepool::cli
