// See record.hpp.
#include "runtime/report/record.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace slicepool::report {
namespace {

using config::Json;

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
                       {"share", worker.share}});
  }
  return workers;
}

/// The configuration without what the record says elsewhere.
Json parametersOf(const Json& document) {
  Json parameters = Json::object();
  for (const auto& member : document.items()) {
    static const std::vector<std::string> kElsewhere = {"workload", "engine", "sink", "description"};
    if (std::find(kElsewhere.begin(), kElsewhere.end(), member.key()) == kElsewhere.end()) {
      parameters[member.key()] = member.value();
    }
  }
  return parameters;
}

Json timelineRecord(const Timeline& timeline) {
  return {{"interval_seconds", timeline.intervalSeconds},
          {"pool_depth", timeline.poolDepth},
          {"utilisation", timeline.utilisation}};
}

}  // namespace

std::string effectiveMode(Mode requested, const RunReport& report) {
  if (requested != Mode::automatic) {
    return config::modeName(requested);
  }
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
  run.addToRecord(record);
  record["parameters"] = parametersOf(config.document);
  record["engine"] = config.document.value("engine", Json::object());
  record["seconds"] = report.seconds;
  record["setup_seconds"] = report.setupSeconds;
  record["wall_seconds"] = times.wallSeconds;
  record["steps"] = config::exactNumber(report.steps);
  record["steps_per_second"] = report.seconds > 0 ? static_cast<double>(report.steps) / report.seconds : 0.0;
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
  if (config.engine.timeline) {
    record["timeline"] = timelineRecord(report.timeline);
  }
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
  if (seconds >= 1 || seconds <= 0) {
    return fmt::format("{:.3f} s", seconds);
  }
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
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{:<17} {}\n", name, value);
  };
  if (!run.finished()) {
    line("stopped", "before the end; the figures below are partial");
  }
  for (const auto& [name, value] : run.answerLines()) {
    line(name, value);
  }
  line("mode", effectiveMode(config.engine.mode, report));
  line("time", fmt::format("{} enumeration, {} setup, {} in all", shortSeconds(report.seconds),
                           shortSeconds(report.setupSeconds), shortSeconds(times.wallSeconds)));
  if (report.steps > 0) {
    line("steps",
         fmt::format("{} ({}/s), {} splits", report.steps,
                     shortNumber(report.seconds > 0 ? static_cast<double>(report.steps) / report.seconds : 0),
                     report.splits));
  }
  for (const auto& worker : report.workers) {
    line("  " + worker.name,
         fmt::format("{:5.1f} % of the steps, busy {}{}", worker.share * 100,
                     shortSeconds(worker.busySeconds), worker.device.empty() ? "" : ", " + worker.device));
  }
  line("peak memory", shortBytes(static_cast<double>(report.peakHostBytes)) + " host, " +
                          shortBytes(static_cast<double>(report.peakDeviceBytes)) + " device");
  for (const auto& warning : report.warnings) {
    line("warning", warning);
  }
  return text;
}

}  // namespace slicepool::report
