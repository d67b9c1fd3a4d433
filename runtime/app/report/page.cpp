// See page.hpp. The data of the page is one JSON object; page/report.js draws it.
#include "runtime/app/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/embedded.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/io/durable_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::report {
namespace {

using config::Json;

constexpr std::size_t kMaximumSamples = 300;  ///< per worker and run on the page
constexpr std::size_t kMaximumTimelines = 64;
constexpr std::size_t kMaximumPictures = 12;

template <class Value>
Json orNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json spreadData(const std::optional<Spread>& spread) {
  return spread ? Json::array({spread->median, spread->smallest, spread->largest}) : Json(nullptr);
}

std::string comparedName(const config::SweepConfig& sweep, const std::string& name) {
  const auto dot = name.find('.');
  if (dot == std::string::npos) return {};
  const std::string key = name.substr(0, dot) == "reference" ? "reference_by" : "published_by";
  std::string figure = name.substr(dot + 1);
  std::replace(figure.begin(), figure.end(), '_', ' ');
  return (sweep.report.contains(key) ? name.substr(0, dot) + " " : "") + figure;
}

/// The point without its number of threads: rows that share it are one line of the scaling chart.
Json withoutThreads(const Json& document) {
  Json copy = document;
  if (copy.contains("engine")) {
    copy["engine"].erase("threads");
    copy["engine"].erase("mode");
  }
  return copy;
}

std::string labelWithoutThreads(const std::string& label) {
  const auto begin = label.find("threads=");
  if (begin == std::string::npos) return label;
  const auto end = label.find(' ', begin);
  std::string shorter = label.substr(0, begin) + (end == std::string::npos ? "" : label.substr(end + 1));
  while (!shorter.empty() && shorter.back() == ' ') shorter.pop_back();
  return shorter;
}

std::string defaultScalingLabel(const SummaryRow& row) {
  const std::string label = labelWithoutThreads(row.label);
  return label.empty() ? row.algorithm : label;
}

/// Of the repetition with the median time, in the order of the phases; null when it has none.
Json phaseData(const SummaryRow& row, const std::vector<Json>& records) {
  if (row.status != "done" || !records[row.medianRecord].contains("phases")) return nullptr;
  Json seconds = Json::array();
  for (std::size_t i = 0; i < kPhases; ++i)
    seconds.push_back(records[row.medianRecord]["phases"].value(phaseName(static_cast<Phase>(i)), 0.0));
  return seconds;
}

Json rowData(const SummaryRow& row, const std::string& comparedWith) {
  Json data = {{"case", row.caseIndex},
               {"label", row.label},
               {"mode", row.mode},
               {"status", row.status},
               {"reason", row.reason},
               {"algorithm", row.algorithm},
               {"count", row.count},
               {"verification", row.verification},
               {"insteadOfRate", row.insteadOfRate},
               {"repetitions", row.repetitions}};
  data["seconds"] = spreadData(row.seconds);
  data["wall"] = spreadData(row.wallSeconds);
  data["rate"] = spreadData(row.rate);
  data["extraSeconds"] = Json::array();
  for (const auto& seconds : row.extraSeconds) data["extraSeconds"].push_back(orNull(seconds));
  data["speedOverCpu"] = orNull(row.speedOverCpu);
  data["speedUncertain"] = row.speedUncertain;
  data["hybridFigure"] = orNull(row.hybridFigure);
  data["published"] = row.published;
  data["reference"] = row.reference;
  data["publishedCountWrong"] = row.publishedCountWrong;
  data["speedOverCompared"] = orNull(row.speedOverCompared);
  const auto compared = comparedSeconds(row, comparedWith);
  data["comparedSeconds"] = compared ? Json(*compared) : Json(nullptr);
  data["threads"] = row.document.value("engine", Json::object()).value("threads", Json(nullptr));
  data["scalingKey"] = config::documentHash(withoutThreads(row.document));
  data["scalingLabel"] = defaultScalingLabel(row);
  return data;
}

/// Means of consecutive samples, at most kMaximumSamples, three decimals.
Json thinned(const Json& samples, std::size_t group) {
  Json out = Json::array();
  for (std::size_t begin = 0; begin < samples.size(); begin += group) {
    const std::size_t end = std::min(begin + group, samples.size());
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += samples[i].get<double>();
    out.push_back(std::round(sum / static_cast<double>(end - begin) * 1e3) / 1e3);
  }
  return out;
}

Json timelineData(const SummaryRow& row, const Json& record) {
  const Json& timeline = record["timeline"];
  const Json& depth = timeline["pool_depth"];
  const std::size_t group = std::max<std::size_t>(1, (depth.size() + kMaximumSamples - 1) / kMaximumSamples);
  Json data = {{"label", row.label},
               {"mode", row.mode},
               {"seconds", record.value("seconds", 0.0)},
               {"interval", timeline.value("interval_seconds", 0.0) * static_cast<double>(group)}};
  data["poolDepth"] = thinned(depth, group);
  data["workers"] = Json::array();
  for (const auto& worker : record.value("workers", Json::array())) {
    Json shown = {{"name", worker.value("name", "")},
                  {"kind", worker.value("kind", "")},
                  {"device", worker.value("device", "")},
                  {"share", worker.value("share", 0.0)}};
    for (const char* time : {"first_seconds", "last_seconds", "exchange_seconds", "waiting_seconds"})
      shown[time] = worker.value(time, Json(nullptr));  // records of earlier versions have none
    data["workers"].push_back(std::move(shown));
  }
  data["utilisation"] = Json::array();
  for (const auto& samples : timeline["utilisation"]) data["utilisation"].push_back(thinned(samples, group));
  return data;
}

Json timelines(const Summary& summary, const std::vector<Json>& records) {
  Json list = Json::array();
  for (const auto& row : summary.rows) {
    if (row.status != "done" || list.size() >= kMaximumTimelines) continue;
    const Json& record = records[row.medianRecord];
    if (record.contains("timeline") && !record["timeline"].value("pool_depth", Json::array()).empty())
      list.push_back(timelineData(row, record));
  }
  return list;
}

/// For the title of a sweep without one.
std::string workloadList(const config::SweepConfig& sweep) {
  std::string text;
  for (const auto& name : sweep.workloads) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// What a step is; of several workloads, each with its name before.
std::string stepText(const config::SweepConfig& sweep) {
  std::string text;
  for (const auto& name : sweep.workloads) {
    const std::string step = config::requireWorkload(Json{{"workload", name}}).step;
    if (!text.empty()) text += ' ';
    if (sweep.workloads.size() > 1) text.append(name).append(": ");
    text += step;
  }
  return text;
}

bool isPoint(const Json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_number_integer() &&
         value[1].is_number_integer();
}

/// The first solution of each case whose solutions are points of an n x n grid.
Json pictures(const Summary& summary, const std::vector<Json>& records) {
  Json list = Json::array();
  std::size_t lastCase = summary.rows.size();
  for (const auto& row : summary.rows) {
    if (row.status != "done" || row.caseIndex == lastCase || list.size() >= kMaximumPictures) continue;
    const Json& record = records[row.medianRecord];
    const Json solutions = record.value("solutions", Json(nullptr));
    if (!solutions.is_array() || solutions.empty() || !solutions[0].is_array() || !record.contains("n"))
      continue;
    const Json& points = solutions[0];
    if (points.empty() || !std::all_of(points.begin(), points.end(), isPoint)) continue;
    list.push_back({{"label", row.label}, {"n", record["n"]}, {"points", points}});
    lastCase = row.caseIndex;
  }
  return list;
}

Json pageData(const config::SweepConfig& sweep, const Summary& summary, const std::vector<Json>& records,
              const std::vector<std::string>& mismatches) {
  Json data;
  data["title"] = sweep.report.value("title", "slicepool sweep: " + workloadList(sweep));
  data["description"] = sweep.description;
  data["notes"] = sweep.report.value("notes", std::string{});
  data["publishedBy"] = sweep.report.value("published_by", std::string{});
  data["referenceBy"] = sweep.report.value("reference_by", std::string{});
  data["written"] = utcNow();
  data["machine"] = machineRecord(true);
  data["build"] = buildRecord();
  data["repetitions"] = sweep.measurement.repetitions;
  data["warmUp"] = sweep.measurement.warmUp;
  data["interleaved"] = sweep.measurement.interleaved;
  data["sweepHash"] = sweep.hash;
  data["comparedName"] = comparedName(sweep, summary.comparedWith);
  data["mismatches"] = mismatches;
  data["step"] = stepText(sweep);
  data["times"] = Json::array();
  for (const auto& time : config::extraTimes())
    data["times"].push_back({{"member", time.member}, {"column", time.column}, {"title", time.title}});
  data["phaseNames"] = Json::array();
  for (std::size_t i = 0; i < kPhases; ++i) data["phaseNames"].push_back(phaseText(static_cast<Phase>(i)));
  data["rows"] = Json::array();
  for (const auto& row : summary.rows) {
    data["rows"].push_back(rowData(row, summary.comparedWith));
    data["rows"].back()["phases"] = phaseData(row, records);
  }
  data["geometricMeans"] = Json::array();
  for (const auto& [mode, mean] : summary.geometricMeans)
    data["geometricMeans"].push_back(Json::array({mode, mean}));
  data["timelines"] = timelines(summary, records);
  data["pictures"] = pictures(summary, records);
  return data;
}

std::string escapedHtml(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

/// JSON inside <script>: "<" as an escape, so that no text can end the element.
std::string scriptSafe(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

/// Replaces each {{name}} of the template once; the inserted text is not looked at again.
std::string fillTemplate(std::string_view page,
                         const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string out;
  std::size_t position = 0;
  for (const auto& [name, text] : parts) {
    const std::string mark = "{{" + name + "}}";
    const std::size_t found = page.find(mark, position);
    out.append(page.substr(position, found - position));
    out += text;
    position = found + mark.size();
  }
  out.append(page.substr(position));
  return out;
}

}  // namespace

std::string reportPage(const config::SweepConfig& sweep, const Summary& summary,
                       const std::vector<Json>& records, const std::vector<std::string>& mismatches) {
  const Json data = pageData(sweep, summary, records, mismatches);
  const std::string json = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fillTemplate(embedded::pageTemplate(), {{"title", escapedHtml(data["title"].get<std::string>())},
                                                 {"style", std::string(embedded::pageStyle())},
                                                 {"data", scriptSafe(json)},
                                                 {"chart", std::string(embedded::chartScript())},
                                                 {"script", std::string(embedded::pageScript())}});
}

std::string writeReport(const std::string& directory, const config::SweepConfig& sweep,
                        const Summary& summary, const std::vector<Json>& records,
                        const std::vector<std::string>& mismatches) {
  const std::filesystem::path folder(directory);
  replaceFileOrThrow("report", folder / "summary.csv", summaryCsv(summary));
  replaceFileOrThrow("report", folder / "report.html", reportPage(sweep, summary, records, mismatches));
  return (folder / "report.html").string();
}

}  // namespace slicepool::report
