// `slicepool sweep`: expands, runs, verifies, writes results.jsonl, summary.csv and report.html.
#include <filesystem>
#include <functional>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/cli/progress.hpp"
#include "runtime/app/cli/signals.hpp"
#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/sweep_config.hpp"
#include "runtime/app/report/page.hpp"
#include "runtime/app/report/summary.hpp"
#include "runtime/app/report/sweep.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using config::Json;

struct SweepArguments {
  std::string path;
  std::string directory;
  std::string modes, threads, repetitions, warmUp, timeLimit;
  std::string timeClass = "all";
  std::vector<std::string> assignments;
  bool restart = false;
  bool list = false;
  bool json = false;
};

/// `set` for the member of a sweep, or of each sweep of a file with several.
void overrideSweeps(Json& document, const std::function<void(Json&)>& set) {
  if (!document.is_object() || !document.contains("sweeps") || !document["sweeps"].is_array())
    return set(document);
  for (auto& part : document["sweeps"])
    if (part.is_object()) set(part);
}

void applyOverrides(Json& document, const SweepArguments& arguments) {
  for (const auto& assignment : arguments.assignments) {
    const std::string member = assignment.substr(0, assignment.find_first_of(".="));
    if (member == "measurement" || member == "report" || member == "output" || member == "description")
      config::applyAssignment(document, assignment);
    else
      overrideSweeps(document, [&](Json& sweep) { config::applyAssignment(sweep, assignment); });
  }
  overrideSweeps(document, [&](Json& sweep) {
    if (!arguments.modes.empty()) config::setMember(sweep, "engine.mode", oneOrList(arguments.modes, false));
    if (!arguments.threads.empty())
      config::setMember(sweep, "engine.threads", oneOrList(arguments.threads, true));
  });
  if (!arguments.repetitions.empty())
    config::setMember(document, "measurement.repetitions", integerValue(arguments.repetitions));
  if (!arguments.warmUp.empty())
    config::setMember(document, "measurement.warm_up", integerValue(arguments.warmUp));
  if (!arguments.timeLimit.empty())
    config::setMember(document, "measurement.time_limit_seconds", numberValue(arguments.timeLimit));
}

int listPoints(const config::SweepConfig& sweep) {
  std::string text;
  for (const auto& point : sweep.points) text += point.label + "  " + point.mode + "\n";
  text += fmt::format("{} points, {} repetitions each\n", sweep.points.size(), sweep.measurement.repetitions);
  writeOut(text);
  return kDone;
}

Json outcomeJson(const report::SweepOutcome& outcome, const report::Summary& summary,
                 const std::string& page) {
  Json json = {{"status", outcome.stopped ? "stopped" : "done"},
               {"kept", outcome.kept},
               {"done", outcome.done},
               {"skipped", outcome.skipped},
               {"refused", outcome.refused},
               {"failed", outcome.failed}};
  json["mismatches"] = outcome.mismatches;
  json["points"] = summary.rows.size();
  json["results"] = outcome.resultsPath;
  json["report"] = page;
  return json;
}

int runSweepCommand(const SweepArguments& arguments) {
  Json document = config::readJsonFile(arguments.path);
  config::refuseRecord(document, arguments.path);
  if (document.is_object() && !config::looksLikeSweep(document)) {
    throw ConfigError(arguments.path, "a single run",
                      "a sweep; for a run use: slicepool run " + arguments.path);
  }
  applyOverrides(document, arguments);
  const auto largest = config::parseTimeClass(arguments.timeClass, "--time-class");
  const auto sweep = config::parseSweepConfig(document, largest, arguments.path);
  if (arguments.list) return listPoints(sweep);
  report::SweepSettings settings;
  settings.directory = arguments.directory.empty() ? sweep.outputDirectory : arguments.directory;
  if (settings.directory.empty())
    throw ConfigError("--output", "nothing", "a directory, here or as /output/directory of the sweep");
  settings.restart = arguments.restart;
  settings.message = [](const std::string& line) { spdlog::info("{}", line); };

  OutputGuard guard;
  report::claimDirectory(settings.directory, guard);
  report::StopRequest stop;
  const SignalWatcher signals(stop);
  SweepBar bar;
  settings.began = [&](const report::SweepStatus& status) { bar.show(status); };
  const auto outcome = report::runSweep(sweep, settings, report::inProcessRunner(stop), stop);
  bar.finish();
  const auto summary = report::summarize(sweep, outcome.records);
  const std::string page =
      report::writeReport(settings.directory, sweep, summary, outcome.records, outcome.mismatches);
  if (arguments.json)
    writeOut(outcomeJson(outcome, summary, page).dump() + "\n");
  else
    writeOut(report::summaryText(summary) + "\nreport: " + std::filesystem::absolute(page).string() + "\n");
  for (const auto& mismatch : outcome.mismatches) spdlog::error("{}", mismatch);
  // The reason for each was told when it was met.
  if (const int code = outcome.exitCode(); code == kNoDevice || code == kLimit)
    spdlog::error("no point of the sweep could be run: {} skipped, {} refused", outcome.skipped,
                  outcome.refused);
  if (outcome.stopped) spdlog::info("stopped; the same command goes on where it stopped");
  return outcome.exitCode();
}

}  // namespace

Action addSweepCommand(CLI::App& app) {
  auto arguments = std::make_shared<SweepArguments>();
  auto& a = *arguments;
  app.add_option("CONFIG", a.path, "a sweep configuration; docs/file-formats.md describes it")
      ->type_name("FILE")
      ->required();
  app.add_option("--output", a.directory, "directory for results.jsonl, summary.csv and report.html")
      ->type_name("DIR");
  app.add_option("--mode", a.modes, "modes instead of those of the file, separated by commas")
      ->type_name("M1,M2,..");
  app.add_option("--threads", a.threads, "threads instead of those of the file, separated by commas")
      ->type_name("N1,N2,..");
  app.add_option("--repetitions", a.repetitions, "recorded runs per point")->type_name("N");
  app.add_option("--warm-up", a.warmUp, "unrecorded runs per point")->type_name("N");
  app.add_option("--time-limit", a.timeLimit, "seconds for one run")->type_name("SECONDS");
  app.add_option("--time-class", a.timeClass, "only rows up to this class (default all)")
      ->type_name("small|medium|large|all");
  addAssignments(app, a.assignments,
                 "overrides a member, such as engine.block_size=[64,128]; may be repeated");
  app.add_flag("--restart", a.restart,
               "forget the records that the directory has; without it they are kept and skipped");
  app.add_flag("--list", a.list, "print the points and stop");
  app.add_flag("--json", a.json, "print one JSON object instead of the table");
  app.footer(
      "A sweep that was killed or stopped goes on where it was when the same command is given again.\n"
      "Modes without a device on this machine are recorded as skipped. Results that differ end with exit "
      "code 1.\n"
      "Examples:\n"
      "  slicepool sweep configs/quick-start.json --output results/quick-start\n"
      "  slicepool sweep configs/quick-start.json --output results/cpu --mode cpu --time-class small");
  return [arguments] { return runSweepCommand(*arguments); };
}

}  // namespace slicepool::cli
