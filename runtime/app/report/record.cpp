// See record.hpp.
#include "runtime/app/report/record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace slicepool::report {
namespace {

using config::Json;

constexpr double kShownPhase = 0.01;  ///< of the time in all
constexpr std::size_t kShownIdleWorkers = 2;
constexpr std::size_t kNameColumn = 17;  ///< of the readable report

Json orNull(const std::optional<double>& seconds) { return seconds ? Json(*seconds) : Json(nullptr); }

Json workerRecords(const RunReport& report) {
  Json workers = Json::array();
  for (const auto& worker : report.workers) {
    workers.push_back({{"name", worker.name},
                       {"kind", worker.kind},
                       {"device", worker.device},
                       {"steps", config::exactNumber(worker.steps)},
                       {"results", config::exactNumber(worker.results)},
                       {"turns", worker.turns},
                       {"splits", worker.splits},
                       {"busy_seconds", worker.busySeconds},
                       {"share", worker.share},
                       {"ready_seconds", orNull(worker.readySeconds)},
                       {"first_seconds", orNull(worker.firstSeconds)},
                       {"last_seconds", orNull(worker.lastSeconds)},
                       {"exchange_seconds", orNull(worker.exchangeSeconds)},
                       {"waiting_seconds", orNull(worker.waitingSeconds)}});
  }
  return workers;
}

/// The configuration without what the record says elsewhere.
Json parametersOf(const Json& document) {
  Json parameters = document;
  for (const char* elsewhere : {"workload", "engine", "description"}) parameters.erase(elsewhere);
  for (const auto& front : config::workloads()) {  // without one all is a parameter
    if (document["workload"] != config::Json(front.name)) continue;
    for (const auto& parameter : front.parameters)
      if (parameter.recordedApart) parameters.erase(parameter.member);
  }
  return parameters;
}

Json phaseRecord(const PhaseSeconds& phases) {
  Json record = Json::object();
  for (std::size_t i = 0; i < kPhases; ++i) record[phaseName(static_cast<Phase>(i))] = phases.at(i);
  return record;
}

/// The phases that took a hundredth of the time or more, in their order: "start 12.3 ms, search 1.204 s".
std::string phaseLine(const RunTimes& times) {
  std::string text;
  for (std::size_t i = 0; i < kPhases; ++i) {
    const double seconds = times.phases.at(i);
    if (seconds <= 0 || seconds < kShownPhase * times.wallSeconds) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phaseText(static_cast<Phase>(i)),
                        shortSeconds(seconds));
  }
  return text;
}

Json timelineRecord(const Timeline& timeline) {
  return {{"interval_seconds", timeline.intervalSeconds},
          {"pool_depth", timeline.poolDepth},
          {"utilisation", timeline.utilisation}};
}

/// Null: nothing was to be chosen, such as for an answer that is read off a table.
Json choiceRecord(const std::optional<AutomaticChoice>& choice) {
  if (!choice) return nullptr;
  return {{"devices", choice->devices},
          {"reason", choice->reason},
          {"asked_seconds", orNull(choice->askedSeconds)},
          {"steps_per_second", orNull(choice->stepsPerSecond)},
          {"steps_left", orNull(choice->stepsLeft)},
          {"seconds_left", orNull(choice->secondsLeft)}};
}

/// "GPUs asked for after 21.000 ms: the rate of the CPU workers left 5.3 s of work (6.4 G steps left, 1.2
/// G/s)"
std::string choiceLine(const AutomaticChoice& choice) {
  std::string text = choice.devices ? "GPUs from the start" : "CPU alone";
  if (choice.askedSeconds) text = "GPUs asked for after " + shortSeconds(*choice.askedSeconds);
  text += ": " + choice.reason;
  std::string numbers;
  if (choice.stepsLeft) numbers = shortNumber(*choice.stepsLeft) + " steps left";
  if (choice.stepsPerSecond)
    numbers += fmt::format("{}{}/s", numbers.empty() ? "" : ", ", shortNumber(*choice.stepsPerSecond));
  return numbers.empty() ? text : fmt::format("{} ({})", text, numbers);
}

/// Names in a column as wide as the widest of the usual ones; a longer name has its value on the next line.
std::string alignedLines(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::string text;
  for (const auto& [name, value] : lines) {
    const bool fits = name.size() <= kNameColumn;
    text += fits ? fmt::format("{:<{}} {}\n", name, kNameColumn, value)
                 : fmt::format("{}\n{:<{}} {}\n", name, "", kNameColumn, value);
  }
  return text;
}

bool isResumed(const RunReport& report) { return report.stepsBefore != 0 || report.secondsBefore > 0; }

/// Where the rest of a device's time went: it came later, exchanged slices, waited for some, was done before
/// the others.
std::string deviceTimes(const RunReport& report, const WorkerReport& worker) {
  if (worker.kind == "cpu" || !worker.readySeconds) return "";
  constexpr double kShown = 0.01;  // of the time of the run
  std::string text;
  const auto add = [&](const char* what, std::optional<double> seconds) {
    if (seconds && *seconds >= kShown * report.seconds && *seconds > 0)
      text += fmt::format(", {} {}", what, shortSeconds(*seconds));
  };
  add("ready after", worker.readySeconds);
  add("first slice after", worker.firstSeconds);
  add("exchanges", worker.exchangeSeconds);
  add("waiting", worker.waitingSeconds);
  if (worker.lastSeconds) add("done before the end", report.seconds - *worker.lastSeconds);
  return text;
}

/// The workers, those that took no step folded into one line.
void addWorkerLines(const RunReport& report,
                    const std::function<void(const std::string&, const std::string&)>& line) {
  std::vector<const WorkerReport*> idle;
  for (const auto& worker : report.workers) {
    if (worker.steps == 0) {
      idle.push_back(&worker);
      continue;
    }
    line("  " + worker.name, fmt::format("{:5.1f} % of the steps, busy {}{}{}", worker.share * 100,
                                         shortSeconds(worker.busySeconds), deviceTimes(report, worker),
                                         worker.device.empty() ? "" : ", " + worker.device));
  }
  if (idle.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < idle.size() && i < kShownIdleWorkers; ++i)
    names += (i == 0 ? "" : ", ") + idle[i]->name;
  if (idle.size() > kShownIdleWorkers) names += ", ..";
  line("  " + std::to_string(idle.size()) + (idle.size() == report.workers.size() ? " idle" : " more idle"),
       names);
}

}  // namespace

double stepsPerSecond(const RunReport& report) {
  return report.seconds > 0 ? static_cast<double>(report.steps - report.stepsBefore) / report.seconds : 0;
}

std::string effectiveMode(Mode requested, const RunReport& report) {
  if (requested != Mode::automatic) return config::modeName(requested);
  bool cpu = false;
  bool gpu = false;
  for (const auto& worker : report.workers) {
    cpu = cpu || worker.kind == "cpu";
    gpu = gpu || worker.kind == "gpu";
  }
  return gpu ? (cpu ? "hybrid" : "gpu") : "cpu";
}

Json makeRecord(const config::RunConfig& config, const config::WorkloadRun& run, const RunTimes& times) {
  const RunReport& report = run.report();
  Json record;
  record["workload"] = config.workload;
  record["status"] = run.finished() ? "done" : "stopped";
  record["mode"] = effectiveMode(config.engine.mode, report);
  record["mode_requested"] = config::modeName(config.engine.mode);
  if (config.engine.mode == Mode::automatic || config.engine.mode == Mode::hybrid)
    record[config::modeName(config.engine.mode)] = choiceRecord(report.automatic);
  run.answers().addTo(record);
  record["parameters"] = parametersOf(config.document);
  record["engine"] = config.document.value("engine", Json::object());
  record["seconds"] = report.seconds;
  record["setup_seconds"] = report.setupSeconds;
  record["wall_seconds"] = times.wallSeconds;
  record["phases"] = phaseRecord(times.phases);
  record["steps"] = config::exactNumber(report.steps);
  record["steps_per_second"] = stepsPerSecond(report);
  if (isResumed(report)) {
    record["resumed"] = {{"steps_before", config::exactNumber(report.stepsBefore)},
                         {"seconds_before", report.secondsBefore},
                         {"steps_of_this_run", config::exactNumber(report.steps - report.stepsBefore)},
                         {"seconds_in_all", report.secondsBefore + report.seconds}};
  }
  record["splits"] = report.splits;
  record["workers"] = workerRecords(report);
  record["memory"] = {{"peak_host_bytes", report.peakHostBytes},
                      {"peak_device_bytes", report.peakDeviceBytes}};
  record["settings"] = {{"block_size", report.blockSize},
                        {"cpu_budget", report.cpuBudget},
                        {"gpu_budget", report.gpuBudget},
                        {"checkpoints", report.checkpoints},
                        {"checkpoint_bytes", report.checkpointBytes},
                        {"checkpoint_stall_seconds", report.checkpointStallSeconds},
                        {"checkpoint_write_seconds", report.checkpointWriteSeconds}};
  record["warnings"] = report.warnings;
  record["started"] = times.started;
  if (config.engine.timeline) record["timeline"] = timelineRecord(report.timeline);
  return record;
}

std::string shortNumber(double value) {
  static constexpr std::array<const char*, 7> kPrefixes = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const int decimals = prefix == 0 && value == std::floor(value) ? 0
                       : value >= 99.95                          ? 0
                       : value >= 9.995                          ? 1
                                                                 : 2;
  return fmt::format("{:.{}f}{}", value, decimals, kPrefixes[prefix]);
}

std::string shortSeconds(double seconds) {
  if (seconds >= 1 || seconds <= 0) return fmt::format("{:.3f} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.3f} ms", seconds * 1e3) : fmt::format("{:.1f} us", seconds * 1e6);
}

std::string shortBytes(double bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string readableReport(const config::RunConfig& config, const config::WorkloadRun& run,
                           const RunTimes& times) {
  const RunReport& report = run.report();
  std::vector<std::pair<std::string, std::string>> lines;
  const auto line = [&](const std::string& name, const std::string& value) {
    lines.emplace_back(name, value);
  };
  const config::Answers answers = run.answers();
  if (!run.finished()) line("stopped", "before the end; the figures below are partial");
  lines.insert(lines.end(), answers.lines().begin(), answers.lines().end());
  line("mode", effectiveMode(config.engine.mode, report));
  if (report.automatic) line(config::modeName(config.engine.mode), choiceLine(*report.automatic));
  line("time", fmt::format("{}: {}", shortSeconds(times.wallSeconds), phaseLine(times)));
  if (report.steps > 0) {
    line("steps", fmt::format("{} ({}/s), {} splits", report.steps, shortNumber(stepsPerSecond(report)),
                              report.splits));
  }
  if (isResumed(report)) {
    line("before", fmt::format("{} of the steps, in {} of earlier runs", report.stepsBefore,
                               shortSeconds(report.secondsBefore)));
  }
  addWorkerLines(report, line);
  if (report.checkpoints > 0) {
    line("checkpoints", fmt::format("{}, the last of {}; the search stood still for {}", report.checkpoints,
                                    shortBytes(static_cast<double>(report.checkpointBytes)),
                                    shortSeconds(report.checkpointStallSeconds)));
  }
  line("peak memory", shortBytes(static_cast<double>(report.peakHostBytes)) + " host, " +
                          shortBytes(static_cast<double>(report.peakDeviceBytes)) + " device");
  for (const auto& warning : report.warnings) line("warning", warning);
  return alignedLines(lines);
}

}  // namespace slicepool::report
