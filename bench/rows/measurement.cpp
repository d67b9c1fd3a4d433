// See measurement.hpp.
#include "bench/rows/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace slicepool::bench {
namespace {

constexpr const char* kUnverified = "not verified";
constexpr const char* kRight = "right";

double medianOf(const std::vector<Times>& runs, double Times::*part) {
  std::vector<double> values;
  for (const Times& run : runs) values.push_back(run.*part);
  return report::spreadOf(std::move(values)).median;
}

Measured summarized(const Measurement& measurement, const std::vector<Times>& runs) {
  Measured measured;
  measured.name = measurement.name;
  measured.rows = measurement.rows;
  measured.bytes = measurement.bytes;
  measured.rateGroup = measurement.rateGroup;
  for (const Times& run : runs) {
    measured.samples.push_back(run.wall);
    for (const auto& warning : run.warnings) {
      auto& known = measured.warnings;
      if (std::find(known.begin(), known.end(), warning) == known.end()) known.push_back(warning);
    }
  }
  measured.wall = report::spreadOf(measured.samples);
  measured.construction = medianOf(runs, &Times::construction);
  measured.enumeration = medianOf(runs, &Times::enumeration);
  measured.device = medianOf(runs, &Times::device);
  return measured;
}

std::optional<double> summedRate(const std::vector<Measured>& all, const std::vector<std::string>& names) {
  double rate = 0;
  for (const auto& name : names) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Measured& m) { return m.name == name; });
    if (found == all.end()) return std::nullopt;
    rate += found->rowsPerSecond();
  }
  return rate;
}

}  // namespace

std::vector<Measured> measureInTurn(const std::vector<Measurement>& measurements, int repetitions) {
  std::vector<std::vector<Times>> runs(measurements.size());
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < measurements.size(); ++i) {
      Times times = measurements[i].run();
      if (repetition >= 0) runs[i].push_back(std::move(times));
    }
  }
  std::vector<Measured> all;
  for (std::size_t i = 0; i < measurements.size(); ++i) all.push_back(summarized(measurements[i], runs[i]));
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    for (const Relation& relation : measurements[i].relations) {
      auto baseline = summedRate(all, relation.baselines);
      if (baseline && !relation.limit.empty()) {
        const auto limit = summedRate(all, {relation.limit});
        baseline = limit ? std::optional(std::min(*baseline, *limit)) : std::nullopt;
      }
      if (baseline) all[i].relations.emplace_back(relation.group, all[i].rowsPerSecond() / *baseline);
    }
    if (!measurements[i].verify) continue;
    const std::string problem = measurements[i].verify();
    all[i].verification = problem.empty() ? kRight : problem;
  }
  return all;
}

bool isWrong(const Measured& measured) {
  return measured.verification != kRight && measured.verification != kUnverified;
}

config::Json toJson(const Measured& measured) {
  config::Json json = {{"name", measured.name}, {"rows", config::exactNumber(measured.rows)}};
  json["milliseconds"] = {{"median", measured.wall.median},
                          {"smallest", measured.wall.smallest},
                          {"largest", measured.wall.largest},
                          {"samples", measured.samples}};
  if (measured.construction > 0) json["construction_milliseconds"] = measured.construction;
  if (measured.enumeration > 0) json["enumeration_milliseconds"] = measured.enumeration;
  if (measured.device > 0) json["device_milliseconds"] = measured.device;
  json["rows_per_second"] = measured.rowsPerSecond();
  if (measured.bytes > 0) {
    json["bytes"] = config::exactNumber(measured.bytes);
    json["gigabytes_per_second"] = measured.gigabytesPerSecond();
  }
  for (const auto& [group, value] : measured.relations) json["relations"][group] = value;
  json["verification"] = measured.verification;
  if (!measured.warnings.empty()) json["warnings"] = measured.warnings;
  return json;
}

double millisecondsOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace slicepool::bench
