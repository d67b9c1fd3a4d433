// See summary.hpp.
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

// --- CSV -------------------------------------------------------------------------------------------------

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csvNumber(const std::optional<double>& value) {
  return value ? fmt::format("{:.9g}", *value) : "";
}

void appendSpread(std::vector<std::string>& fields, const std::optional<Spread>& spread) {
  fields.push_back(spread ? fmt::format("{:.9g}", spread->median) : "");
  fields.push_back(spread ? fmt::format("{:.9g}", spread->smallest) : "");
  fields.push_back(spread ? fmt::format("{:.9g}", spread->largest) : "");
}

/// The i-th of config::extraTimes(); rows without a record have none.
std::optional<double> extraSeconds(const SummaryRow& row, std::size_t i) {
  return i < row.extraSeconds.size() ? row.extraSeconds[i] : std::nullopt;
}

/// "published", "seconds", "cuda" for every figure that some row has.
std::vector<std::array<std::string, 3>> outsideFigures(const std::vector<SummaryRow>& rows) {
  std::vector<std::array<std::string, 3>> names;
  std::vector<std::string> groups = {"seconds"};
  for (const auto& time : config::extraTimes()) groups.push_back(time.member);
  for (const auto& row : rows) {
    for (const auto& [source, figures] :
         {std::pair{"published", &row.published}, std::pair{"reference", &row.reference}}) {
      for (const auto& group : groups) {
        const Json values = figures->value(group, Json::object());  // items() refers to it
        for (const auto& figure : values.items()) {
          const std::array<std::string, 3> name = {source, group, figure.key()};
          if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
      }
    }
  }
  return names;
}

std::string outsideFigure(const SummaryRow& row, const std::array<std::string, 3>& name) {
  const Json& source = name[0] == "published" ? row.published : row.reference;
  const Json value = source.value(name[1], Json::object()).value(name[2], Json(nullptr));
  return value.is_number() ? fmt::format("{:.9g}", value.get<double>()) : "";
}

std::string joinCsv(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + csvField(fields[i]);
  return line + "\n";
}

/// Settings that differ between points: columns of their own.
std::vector<std::string> varyingMembers(const std::vector<SummaryRow>& rows) {
  std::map<std::string, std::set<std::string>> values;
  std::vector<std::string> order;
  const auto visit = [&](const Json& object, const std::string& prefix, const auto& self) -> void {
    for (const auto& member : object.items()) {
      if (member.value().is_object()) {
        self(member.value(), prefix + member.key() + ".", self);
        continue;
      }
      const std::string name = prefix + member.key();
      if (values[name].empty()) order.push_back(name);
      values[name].insert(member.value().dump());
    }
  };
  for (const auto& row : rows) visit(row.document, "", visit);
  std::erase_if(order, [&](const std::string& name) {
    return (name == "workload" && values[name].size() == 1) || name == "engine.mode";
  });
  return order;
}

std::string memberText(const Json& document, const std::string& dotted) {
  const Json* node = &document;
  std::size_t begin = 0;
  for (;;) {
    const auto dot = dotted.find('.', begin);
    const std::string part = dotted.substr(begin, dot == std::string::npos ? dot : dot - begin);
    if (!node->is_object() || !node->contains(part)) return {};
    node = &(*node)[part];
    if (dot == std::string::npos) break;
    begin = dot + 1;
  }
  if (!node->is_array()) return plainText(*node);
  std::string text;
  for (const auto& item : *node) text += (text.empty() ? "" : " ") + plainText(item);
  return text;
}

// --- terminal table --------------------------------------------------------------------------------------

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> width(header.size(), 0);
    std::vector<bool> used(header.size(), false);
    for (std::size_t c = 0; c < header.size(); ++c) {
      width[c] = header[c].size();
      for (const auto& row : rows) {
        width[c] = std::max(width[c], row[c].size());
        used[c] = used[c] || !row[c].empty();
      }
    }
    std::string out = line(header, width, used);
    std::string rule;
    for (std::size_t c = 0; c < header.size(); ++c) rule += used[c] ? std::string(width[c], '-') + "  " : "";
    out += rule.substr(0, rule.find_last_not_of(' ') + 1) + "\n";
    for (const auto& row : rows) out += line(row, width, used);
    return out;
  }

 private:
  static std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& width,
                          const std::vector<bool>& used) {
    constexpr std::size_t kLeftAligned = 2;  // case and mode
    std::string out;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (used[c]) {
        out += c < kLeftAligned ? fmt::format("{:<{}}  ", cells[c], width[c])
                                : fmt::format("{:>{}}  ", cells[c], width[c]);
      }
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out + "\n";
  }
};

std::vector<std::string> textCells(const SummaryRow& row, const std::string& comparedWith) {
  const auto ratio = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3g}", *value) : "";
  };
  const auto theirs = comparedSeconds(row, comparedWith);
  std::string publishedCount = row.published.contains("count") ? plainText(row.published["count"]) : "";
  publishedCount += row.publishedCountWrong ? " WRONG" : "";
  const std::string check = row.status != "done" ? row.status : row.verification;
  std::vector<std::string> cells = {
      row.label,
      row.mode,
      row.count,
      publishedCount,
      check,
      row.seconds ? shortSeconds(row.seconds->median) : "",
      row.seconds && row.repetitions > 1
          ? shortSeconds(row.seconds->smallest) + " .. " + shortSeconds(row.seconds->largest)
          : "",
      row.wallSeconds ? shortSeconds(row.wallSeconds->median) : "",
      row.rate ? shortNumber(row.rate->median) : "",
      (row.speedUncertain ? "~" : "") + ratio(row.speedOverCpu),
      ratio(row.hybridFigure)};
  for (std::size_t i = 0; i < config::extraTimes().size(); ++i) {
    const auto seconds = extraSeconds(row, i);
    cells.push_back(seconds ? shortSeconds(*seconds) : "");
  }
  cells.push_back(theirs ? shortSeconds(*theirs) : "");
  cells.push_back(ratio(row.speedOverCompared));
  return cells;
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

std::string summaryCsv(const Summary& summary) {
  const auto times = config::extraTimes();
  const auto members = varyingMembers(summary.rows);
  const auto outside = outsideFigures(summary.rows);
  std::vector<std::string> header = {"case", "label", "mode"};
  header.insert(header.end(), members.begin(), members.end());
  for (const char* name :
       {"status", "reason", "algorithm_run", "count", "verification", "published_count",
        "published_count_wrong", "repetitions", "steps", "cpu_workers", "seconds_median", "seconds_min",
        "seconds_max", "wall_seconds_median", "wall_seconds_min", "wall_seconds_max", "setup_seconds_median"})
    header.emplace_back(name);
  for (const auto& time : times) header.push_back(time.member + "_median");
  for (const char* name : {"steps_per_second_median", "steps_per_second_min", "steps_per_second_max",
                           "speed_over_cpu", "speed_over_cpu_overlaps", "hybrid_figure"})
    header.emplace_back(name);
  for (const auto& name : outside) header.push_back(name[0] + "_" + name[2] + "_" + name[1]);
  header.push_back("speed_over_" + (summary.comparedWith.empty() ? "compared" : summary.comparedWith));

  std::string text = joinCsv(header);
  for (const auto& row : summary.rows) {
    std::vector<std::string> fields = {std::to_string(row.caseIndex), row.label, row.mode};
    for (const auto& member : members) fields.push_back(memberText(row.document, member));
    fields.insert(fields.end(),
                  {row.status, row.reason, row.algorithm, row.count, row.verification,
                   row.published.contains("count") ? plainText(row.published["count"]) : "",
                   row.published.contains("count") ? (row.publishedCountWrong ? "yes" : "no") : "",
                   std::to_string(row.repetitions), row.steps > 0 ? fmt::format("{:.0f}", row.steps) : "",
                   row.status == "done" ? std::to_string(row.cpuWorkers) : ""});
    appendSpread(fields, row.seconds);
    appendSpread(fields, row.wallSeconds);
    fields.push_back(csvNumber(row.setupSeconds));
    for (std::size_t i = 0; i < times.size(); ++i) fields.push_back(csvNumber(extraSeconds(row, i)));
    appendSpread(fields, row.rate);
    fields.push_back(csvNumber(row.speedOverCpu));
    fields.emplace_back(!row.speedOverCpu ? "" : row.speedUncertain ? "yes" : "no");
    fields.push_back(csvNumber(row.hybridFigure));
    for (const auto& name : outside) fields.push_back(outsideFigure(row, name));
    fields.push_back(csvNumber(row.speedOverCompared));
    text += joinCsv(fields);
  }
  return text;
}

std::string summaryText(const Summary& summary) {
  TextTable table;
  table.header = {"case",       "mode",   "count",   "published", "checked against", "seconds",
                  "min .. max", "in all", "steps/s", "x cpu",     "hybrid"};
  for (const auto& time : config::extraTimes()) table.header.push_back(time.column);
  table.header.insert(table.header.end(), {"compared", "x compared"});
  for (const auto& row : summary.rows) table.rows.push_back(textCells(row, summary.comparedWith));
  std::string text = table.text();
  const bool uncertain = std::any_of(summary.rows.begin(), summary.rows.end(),
                                     [](const SummaryRow& row) { return row.speedUncertain; });
  if (uncertain) text += "~: the ranges of the two overlap, so that either may be the faster one\n";
  if (!summary.comparedWith.empty()) {
    text += fmt::format(
        "\"compared\" is {}; \"x compared\" is its time over ours in all (tables and set-up included)\n",
        summary.comparedWith);
  }
  for (const auto& [mode, mean] : summary.geometricMeans)
    text += fmt::format("geometric mean of \"x compared\", mode {}: {:.3g}\n", mode, mean);
  return text;
}

}  // namespace slicepool::report
