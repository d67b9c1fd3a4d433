// See figures.hpp.
#include "bench/rows/figures.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runtime/app/report/machine.hpp"
#include "runtime/app/report/record.hpp"
#include "runtime/factorizations/request_check.hpp"

namespace slicepool::bench {
namespace {

using config::Json;
/// Groups with their values, in the order of their first occurrence.
using Groups = std::vector<std::pair<std::string, std::vector<double>>>;

void add(Groups& groups, const std::string& group, double value) {
  auto found =
      std::find_if(groups.begin(), groups.end(), [&](const auto& entry) { return entry.first == group; });
  if (found == groups.end()) found = groups.insert(groups.end(), {group, {}});
  found->second.push_back(value);
}

std::vector<Mean> meansOf(const Groups& groups) {
  std::vector<Mean> means;
  for (const auto& [group, values] : groups) {
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    means.push_back({group, geometricMean(values), *least, *greatest, values.size()});
  }
  return means;
}

Json meansJson(const std::vector<Mean>& means) {
  Json json = Json::object();
  for (const Mean& mean : means) {
    json[mean.group] = {{"geometric_mean", mean.value},
                        {"least", mean.least},
                        {"greatest", mean.greatest},
                        {"cases", mean.cases}};
  }
  return json;
}

std::string measuredText(const Measured& measured) {
  const std::string rate = measured.bytes > 0
                               ? fmt::format("{:9.2f} GB/s", measured.gigabytesPerSecond())
                               : fmt::format("{:>7} rows/s", report::shortNumber(measured.rowsPerSecond()));
  std::string text = fmt::format("  {:<50} {:<34} {}", measured.name, timeText(measured.wall), rate);
  for (const auto& relation : measured.relations)
    text += fmt::format("  {:.3f} {}", relation.second, relation.first);
  if (isWrong(measured)) text += "  WRONG: " + measured.verification;
  for (const auto& warning : measured.warnings) text += "  warning: " + warning;
  return text + "\n";
}

}  // namespace

double geometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::vector<Mean> ratioMeans(const Pass& pass) {
  Groups groups;
  for (const auto& figures : pass.cases) {
    for (const auto& measured : figures.measured)
      for (const auto& [group, value] : measured.relations) add(groups, group, value);
  }
  return meansOf(groups);
}

std::vector<Mean> rateMeans(const Pass& pass) {
  Groups groups;
  for (const auto& figures : pass.cases) {
    for (const auto& measured : figures.measured) {
      if (measured.rateGroup.empty()) continue;
      add(groups, measured.rateGroup, measured.rowsPerSecond());
      if (measured.device <= 0) continue;
      add(groups, measured.rateGroup + ", by device time",
          static_cast<double>(measured.rows) / measured.device * 1e3);
    }
  }
  return meansOf(groups);
}

std::string widthText(unsigned elementBytes) {
  return elementBytes == 0 ? "narrowest" : fmt::format("{}-byte", elementBytes);
}

std::string timeText(const report::Spread& milliseconds) {
  return fmt::format("{:9.3f} ms ({:.3f} .. {:.3f})", milliseconds.median, milliseconds.smallest,
                     milliseconds.largest);
}

std::string caseText(const CaseFigures& figures) {
  std::string text = fmt::format(
      "{}: {} rows of {} {}-byte elements, {:.1f} MB\n", labelOf(figures.instance), figures.rows,
      figures.instance.generators.size(), figures.elementBytes,
      static_cast<double>(figures.rows * figures.instance.generators.size() * figures.elementBytes) * 1e-6);
  for (const auto& measured : figures.measured) text += measuredText(measured);
  return text;
}

std::string meansText(const Pass& pass) {
  std::string text = fmt::format("Geometric means over {} instances, {} elements:\n", pass.cases.size(),
                                 widthText(pass.requestedBytes));
  for (const Mean& mean : ratioMeans(pass)) {
    text += fmt::format("  {:<60} {:8.3f}  ({:.3f} .. {:.3f})\n", mean.group, mean.value, mean.least,
                        mean.greatest);
  }
  for (const Mean& mean : rateMeans(pass)) {
    text += fmt::format("  {:<60} {:>8} rows/s  ({} .. {})\n", mean.group, report::shortNumber(mean.value),
                        report::shortNumber(mean.least), report::shortNumber(mean.greatest));
  }
  return text;
}

Json toJson(const Pass& pass) {
  Json cases = Json::array();
  for (const auto& figures : pass.cases) {
    Json entry = {{"dimension", figures.instance.generators.size()},
                  {"element", figures.instance.element},
                  {"generators", figures.instance.generators},
                  {"rows", config::exactNumber(figures.rows)},
                  {"element_bytes", figures.elementBytes},
                  {"fingerprint", figures.fingerprint},
                  {"measurements", Json::array()}};
    for (const auto& measured : figures.measured) entry["measurements"].push_back(toJson(measured));
    cases.push_back(std::move(entry));
  }
  return {{"elements", widthText(pass.requestedBytes)},
          {"cases", std::move(cases)},
          {"ratios", meansJson(ratioMeans(pass))},
          {"rows_per_second", meansJson(rateMeans(pass))}};
}

Json recordHead(const Settings& settings, bool withGpus) {
  Json head = {{"program", "slicepool_bench_rows"},
               {"started", report::utcNow()},
               {"machine", report::machineRecord(withGpus)},
               {"build", report::buildRecord()}};
  head["settings"] = {{"threads", settings.threads},
                      {"repetitions", settings.repetitions},
                      {"algorithm", factorizations::algorithmName(settings.algorithm)}};
  return head;
}

}  // namespace slicepool::bench
