// What a summary says. See summary.hpp.
#include "runtime/app/report/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/record.hpp"

namespace slicepool::report {
namespace {

using config::Json;

double numberOf(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : 0.0;
}

std::optional<Spread> spreadOfKey(const std::vector<const Json*>& records, const char* key) {
  std::vector<double> values;
  for (const Json* record : records)
    if (record->contains(key)) values.push_back(numberOf((*record)[key]));
  return values.empty() ? std::nullopt : std::optional<Spread>(spreadOf(std::move(values)));
}

std::string verificationOf(const std::vector<const Json*>& records) {
  std::string verdict = "unchecked";
  for (const Json* record : records) {
    const Json check = record->value("verification", Json::object());
    const std::string count = check.value("count", std::string{});
    const std::string fingerprint = check.value("fingerprint", std::string{});
    const std::string nodes = check.value("nodes", std::string{});
    if (count == "differs" || fingerprint == "differs" || nodes == "differs") return "DIFFERS";
    if (count == "matches" && check.value("count_compared_with", std::string{}) == "the expected count")
      verdict = "expected count";
    else if ((count == "matches" || fingerprint == "matches") && verdict == "unchecked")
      verdict = "other runs";
  }
  return verdict;
}

/// Of a record whose answer was found without enumerating; else empty.
std::string insteadOfRate(const Json& document, const Json& record) {
  const config::Shortcut& shortcut = config::requireWorkload(document).shortcut;
  return !shortcut.member.empty() && record.value(shortcut.member, false) ? shortcut.text : std::string{};
}

void addFigures(SummaryRow& row, const std::vector<const Json*>& records) {
  const Json& first = *records.front();
  row.algorithm = first.value("algorithm", std::string{});
  row.count = first.contains("count") ? plainText(first["count"]) : "";
  row.insteadOfRate = insteadOfRate(row.document, first);
  row.steps = first.contains("steps") ? numberOf(first["steps"]) : 0;
  row.verification = verificationOf(records);
  row.seconds = spreadOfKey(records, "seconds");
  row.wallSeconds = spreadOfKey(records, "wall_seconds");
  if (row.insteadOfRate.empty() && row.steps > 0) row.rate = spreadOfKey(records, "steps_per_second");
  if (const auto setup = spreadOfKey(records, "setup_seconds")) row.setupSeconds = setup->median;
  for (const auto& time : config::extraTimes()) {
    const auto spread = spreadOfKey(records, time.member.c_str());
    row.extraSeconds.push_back(spread ? std::optional<double>(spread->median) : std::nullopt);
  }
  for (const auto& worker : first.value("workers", Json::array()))
    row.cpuWorkers += worker.value("kind", std::string{}) == "cpu" ? 1 : 0;
}

SummaryRow rowOf(const config::SweepPoint& point, const std::vector<Json>& records) {
  SummaryRow row;
  row.caseIndex = point.caseIndex;
  row.label = point.label;
  row.mode = point.mode;
  row.document = point.document;
  row.status = "missing";
  row.published = point.row.value("published", Json::object());
  row.reference = point.row.value("reference", Json::object());
  std::vector<const Json*> done;
  std::vector<std::pair<double, std::size_t>> bySeconds;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].value("point", std::string{}) != point.hash) continue;
    const std::string status = records[i].value("status", std::string{});
    if (status == "done") {
      done.push_back(&records[i]);
      bySeconds.emplace_back(records[i].value("seconds", 0.0), i);
    } else if (done.empty()) {
      row.status = status;
      row.reason = records[i].value("reason", records[i].value("stop_reason", std::string{}));
    }
  }
  if (!done.empty()) {
    std::sort(bySeconds.begin(), bySeconds.end());
    row.status = "done";
    row.reason.clear();
    row.medianRecord = bySeconds[(bySeconds.size() - 1) / 2].second;
    row.repetitions = static_cast<int>(done.size());
    addFigures(row, done);
  }
  const std::string truth =
      point.row.contains("expected_count") ? plainText(point.row["expected_count"]) : row.count;
  row.publishedCountWrong =
      row.published.contains("count") && !truth.empty() && plainText(row.published["count"]) != truth;
  return row;
}

const SummaryRow* findMode(const std::vector<SummaryRow>& rows, std::size_t caseIndex,
                           const std::string& mode) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const SummaryRow& r) {
    return r.caseIndex == caseIndex && r.mode == mode && r.status == "done";
  });
  return found == rows.end() ? nullptr : &*found;
}

bool overlap(const Spread& a, const Spread& b) { return a.smallest <= b.largest && b.smallest <= a.largest; }

void addRatios(std::vector<SummaryRow>& rows) {
  for (auto& row : rows) {
    if (row.status != "done") continue;
    const SummaryRow* cpu = findMode(rows, row.caseIndex, "cpu");
    const SummaryRow* gpu = findMode(rows, row.caseIndex, "gpu");
    if (cpu != nullptr && cpu->seconds && row.seconds && row.seconds->median > 0) {
      row.speedOverCpu = cpu->seconds->median / row.seconds->median;
      row.speedUncertain = &row != cpu && overlap(*cpu->seconds, *row.seconds);
    }
    if (row.mode == "hybrid" && row.rate && cpu != nullptr && gpu != nullptr && cpu->rate && gpu->rate)
      row.hybridFigure = row.rate->median / (cpu->rate->median + gpu->rate->median);
  }
}

/// The figure named by report.compare_with, else the first reference figure, else the first published one.
std::string comparedName(const config::SweepConfig& sweep, const std::vector<SummaryRow>& rows) {
  if (sweep.report.contains("compare_with")) return sweep.report["compare_with"].get<std::string>();
  for (const auto& row : rows) {
    for (const auto& [name, source] :
         {std::pair{"reference.", &row.reference}, std::pair{"published.", &row.published}})
      if (source->contains("seconds") && !(*source)["seconds"].empty())
        return name + (*source)["seconds"].items().begin().key();
  }
  return {};
}

void addComparison(Summary& summary) {
  std::map<std::string, std::pair<double, int>> logarithms;
  for (auto& row : summary.rows) {
    const auto theirs = comparedSeconds(row, summary.comparedWith);
    if (theirs && row.wallSeconds && row.wallSeconds->median > 0) {
      row.speedOverCompared = *theirs / row.wallSeconds->median;
      auto& [sum, number] = logarithms[row.mode];
      sum += std::log(*row.speedOverCompared);
      ++number;
    }
  }
  for (const auto& [mode, entry] : logarithms)
    summary.geometricMeans.emplace_back(mode, std::exp(entry.first / entry.second));
}

}  // namespace

Spread spreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

std::string plainText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::optional<double> comparedSeconds(const SummaryRow& row, const std::string& name) {
  const auto dot = name.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const Json& source = name.substr(0, dot) == "reference" ? row.reference : row.published;
  const Json seconds = source.value("seconds", Json::object()).value(name.substr(dot + 1), Json(nullptr));
  return seconds.is_number() && seconds.get<double>() > 0 ? std::optional<double>(seconds.get<double>())
                                                          : std::nullopt;
}

Summary summarize(const config::SweepConfig& sweep, const std::vector<Json>& records) {
  Summary summary;
  for (const auto& point : sweep.points) summary.rows.push_back(rowOf(point, records));
  addRatios(summary.rows);
  summary.comparedWith = comparedName(sweep, summary.rows);
  addComparison(summary);
  return summary;
}

}  // namespace slicepool::report
