// How a summary is shown: as CSV and as a table for a terminal. See summary.hpp.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/record.hpp"
#include "runtime/app/report/summary.hpp"

namespace slicepool::report {
namespace {

using config::Json;

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
