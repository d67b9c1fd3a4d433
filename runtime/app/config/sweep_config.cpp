// See sweep_config.hpp.
#include "runtime/app/config/sweep_config.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/schema.hpp"
#include "runtime/app/config/suggest.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/io/regular_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

constexpr std::size_t kMaximumPoints = 100'000;

/// Bad input whose message has the name of a file before it.
class InFile : public Error {
 public:
  using Error::Error;
  [[nodiscard]] int exitCode() const noexcept override { return 2; }
};

/// One setting of one or more members: what one step along an axis changes.
struct Choice {
  std::vector<std::pair<std::string, Json>> settings;  ///< dotted path -> value
  Json row = Json::object();
};

struct Axis {
  std::string name;
  std::vector<Choice> choices;
  bool fromList = false;  ///< false: a plain value, not worth naming in labels
};

/// Keys of a row that describe it instead of setting a parameter.
const std::set<std::string>& rowNotes() {
  static const std::set<std::string> kNotes = {"label", "time_class", "expected_count", "published",
                                               "reference"};
  return kNotes;
}

/// A list is an axis; for a member that is itself a list, a list of lists is.
bool isAxis(const Front& front, const std::string& name, const Json& value) {
  const Parameter* parameter = findParameter(front, name);
  const bool listValued = parameter != nullptr && isListValued(*parameter);
  return value.is_array() && (!listValued || (!value.empty() && value[0].is_array()));
}

Axis makeAxis(const Front& front, const std::string& name, const Json& value) {
  Axis axis{name, {}, isAxis(front, name, value)};
  if (axis.fromList)
    for (const auto& item : value) axis.choices.push_back({{{name, item}}, Json::object()});
  else
    axis.choices.push_back({{{name, value}}, Json::object()});
  return axis;
}

void appendObject(std::vector<Axis>& axes, const Front& front, const Json& object,
                  const std::string& prefix) {
  for (const auto& member : object.items()) {
    const std::string name = prefix + member.key();
    if (member.value().is_object())
      appendObject(axes, front, member.value(), name + ".");
    else
      axes.push_back(makeAxis(front, name, member.value()));
  }
}

void appendSettings(std::vector<std::pair<std::string, Json>>& settings, const Json& object,
                    const std::string& prefix) {
  for (const auto& member : object.items())
    if (member.value().is_object())
      appendSettings(settings, member.value(), prefix + member.key() + ".");
    else
      settings.emplace_back(prefix + member.key(), member.value());
}

Axis rowsAxis(const Json& rows, TimeClass largest) {
  Axis axis{"rows", {}, true};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Choice choice;
    if (parseTimeClass(rows[i].value("time_class", std::string("small")), "time_class") > largest) continue;
    choice.row["index"] = i;
    Json parameters = Json::object();
    for (const auto& member : rows[i].items())
      (rowNotes().count(member.key()) > 0 ? choice.row : parameters)[member.key()] = member.value();
    appendSettings(choice.settings, parameters, "");
    axis.choices.push_back(std::move(choice));
  }
  return axis;
}

/// Merges the axes of one group into one that moves all of them together.
void zipAxes(std::vector<Axis>& axes, const Json& group, const std::string& place) {
  Axis merged;
  std::size_t position = axes.size();
  for (const auto& item : group) {
    const auto name = item.get<std::string>();
    const auto found = std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.name == name; });
    if (found == axes.end() || !found->fromList) {
      std::vector<std::string> names;
      for (const auto& axis : axes)
        if (axis.fromList) names.push_back(axis.name);
      throw ConfigError(place, describeValue(item), "the name of an axis (a list): " + joinWords(names));
    }
    if (!merged.choices.empty() && merged.choices.size() != found->choices.size()) {
      throw ConfigError(place, fmt::format("{} of {} values", name, found->choices.size()),
                        fmt::format("as many values as {}: {}", merged.name, merged.choices.size()));
    }
    merged.choices.resize(found->choices.size());
    for (std::size_t i = 0; i < found->choices.size(); ++i) {
      auto& settings = merged.choices[i].settings;
      settings.insert(settings.end(), found->choices[i].settings.begin(), found->choices[i].settings.end());
      if (!found->choices[i].row.empty()) merged.choices[i].row = found->choices[i].row;
    }
    merged.name += (merged.name.empty() ? "" : "+") + name;
    position = std::min(position, static_cast<std::size_t>(found - axes.begin()));
    axes.erase(found);
  }
  merged.fromList = true;
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(std::min(position, axes.size())), std::move(merged));
}

std::vector<Axis> collectAxes(const Json& document, const Front& front, TimeClass largest,
                              const std::string& prefix) {
  std::vector<Axis> axes;
  if (document.contains("rows")) axes.push_back(rowsAxis(document["rows"], largest));
  appendObject(axes, front, document.value("parameters", Json::object()), "");
  appendObject(axes, front, document.value("engine", Json::object()), "engine.");
  const Json zip = document.value("zip", Json::array());
  for (std::size_t i = 0; i < zip.size(); ++i) zipAxes(axes, zip[i], prefix + "/zip/" + std::to_string(i));
  // The mode moves fastest, so that the modes of one case stand together.
  std::stable_partition(axes.begin(), axes.end(), [](const Axis& a) { return a.name != "engine.mode"; });
  return axes;
}

std::string shortAxisName(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::string choiceLabel(const Front& front, const Axis& axis, const Choice& choice) {
  if (choice.row.contains("label")) return choice.row["label"].get<std::string>();
  std::string text;
  for (const auto& [path, value] : choice.settings) {
    if (!axis.fromList || path == "engine.mode") continue;
    const Parameter* parameter = findParameter(front, path);
    const std::string part = parameter != nullptr && parameter->label
                                 ? parameter->label(value)
                                 : shortAxisName(path) + "=" + labelValue(value);
    text += (text.empty() ? "" : " ") + part;
  }
  return text;
}

class Expansion {
 public:
  Expansion(const Json& document, const Front& front, std::vector<Axis> axes, std::string source)
      : document_(document), front_(front), axes_(std::move(axes)), source_(std::move(source)) {}

  std::vector<SweepPoint> points() {
    std::size_t total = 1;
    for (const auto& axis : axes_) {
      total *= axis.choices.size();
      if (total > kMaximumPoints) {
        throw ConfigError(source_.empty() ? "sweep" : source_, "a product of more than 100000 points",
                          "at most 100000 points");
      }
    }
    std::vector<SweepPoint> all;
    for (std::size_t i = 0; i < total; ++i) all.push_back(pointAt(i));
    return all;
  }

 private:
  SweepPoint pointAt(std::size_t index) {
    SweepPoint point;
    point.document["workload"] = document_["workload"];
    std::vector<std::size_t> digits(axes_.size());
    for (std::size_t a = axes_.size(); a-- > 0;) {
      digits[a] = index % axes_[a].choices.size();
      index /= axes_[a].choices.size();
    }
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const Choice& choice = axes_[a].choices[digits[a]];
      for (const auto& [path, value] : choice.settings) setMember(point.document, path, value);
      if (!choice.row.empty()) point.row = choice.row;
      const std::string part = choiceLabel(front_, axes_[a], choice);
      point.label += (point.label.empty() || part.empty() ? "" : " ") + part;
    }
    finish(point);
    return point;
  }

  void finish(SweepPoint& point) {
    try {
      const RunConfig config = parseRunConfig(point.document, Strictness::sweepPoint);
      checkParameters(config);
      point.mode = modeName(config.engine.mode);
    } catch (const ConfigError& error) {
      const std::string where =
          point.row.contains("index") ? "/rows/" + point.row["index"].dump() : "/parameters";
      throw ConfigError((source_.empty() ? "" : source_ + ": ") + where, point.document.dump().substr(0, 120),
                        std::string("a valid run, but ") + error.what());
    }
    if (point.label.empty()) point.label = problemLabel(front_, point.document);
    point.hash = documentHash(withContents(point.document));
    Json withoutMode = point.document;
    if (withoutMode.contains("engine")) withoutMode["engine"].erase("mode");
    const auto [position, isNew] =
        cases_.try_emplace(canonicalText(withoutMode) + point.row.dump(), cases_.size());
    point.caseIndex = position->second;
  }

  /// The document with the content of the files that it names: a record stands for no other content.
  Json withContents(Json document) {
    for (const Parameter& parameter : front_.parameters) {
      const Json value = document.value(parameter.member, Json());
      if (!parameter.namesFile || !value.is_string()) continue;
      const auto name = value.get<std::string>();
      std::error_code error;
      if (!std::filesystem::is_regular_file(name, error)) continue;
      const auto [hash, isNew] = contents_.try_emplace(name);
      if (isNew) hash->second = hashOfFile(RegularFile(name));
      document[parameter.member] = {{"file", name}, {"content", hash->second}};
    }
    return document;
  }

  /// What only the run would find otherwise, after all other points. A device or memory that is short is no
  /// mistake of the sweep.
  void checkParameters(const RunConfig& config) {
    Json parameters = config.document;
    parameters.erase("engine");
    parameters["mode"] = modeName(config.engine.mode);
    if (!checked_.insert(canonicalText(parameters)).second) return;
    try {
      front_.check(config, Strictness::sweepPoint);
    } catch (const DeviceError&) {
    } catch (const LimitError&) {}
  }

  const Json& document_;
  const Front& front_;
  std::vector<Axis> axes_;
  std::string source_;
  std::map<std::string, std::size_t> cases_;
  std::set<std::string> checked_;                ///< parameters and modes of points
  std::map<std::string, std::string> contents_;  ///< hashes of files that points name
};

Measurement parseMeasurement(const Json& node) {
  Measurement measurement;
  measurement.warmUp =
      static_cast<int>(requireUnsigned(node.value("warm_up", Json(0)), "/measurement/warm_up", 0, 1000));
  measurement.repetitions = static_cast<int>(
      requireUnsigned(node.value("repetitions", Json(1)), "/measurement/repetitions", 1, 10'000));
  if (node.contains("time_limit_seconds")) {
    measurement.timeLimitSeconds =
        requireNumber(node["time_limit_seconds"], "/measurement/time_limit_seconds", 1e-9, 1e9);
  }
  measurement.interleaved = node.value("interleaved", true);
  measurement.timeline = node.value("timeline", true);
  return measurement;
}

/// `row`, at the place `rowPlace`, sets what `common`, at the place `commonPlace`, sets as well.
void refuseDoubleSettings(const Json& row, const std::string& rowPlace, const Json& common,
                          const std::string& commonPlace) {
  for (const auto& member : row.items()) {
    if (!common.contains(member.key())) continue;
    const std::string own = rowPlace + "/" + member.key();
    const std::string other = commonPlace + "/" + member.key();
    if (member.value().is_object() && common[member.key()].is_object()) {
      refuseDoubleSettings(member.value(), own, common[member.key()], other);
    } else {
      throw ConfigError(own, describeValue(member.value()) + " while " + other + " is set",
                        "a parameter in one of the two places");
    }
  }
}

/// A row must not set what /parameters or /engine sets as well: which one should win would be a guess.
void refuseDoubleSettings(const Json& document, const std::string& prefix) {
  const Json rows = document.value("rows", Json::array());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string place = prefix + "/rows/" + std::to_string(i);
    refuseDoubleSettings(rows[i], place, document.value("parameters", Json::object()), "/parameters");
    refuseDoubleSettings(rows[i].value("engine", Json::object()), place + "/engine",
                         document.value("engine", Json::object()), "/engine");
  }
}

const Front& workloadOf(const Json& document, const std::string& prefix) {
  try {
    return requireWorkload(document);
  } catch (const ConfigError& error) {
    if (prefix.empty()) throw;
    throw InFile(prefix + error.what());
  }
}

/// The axes and points of a document with one workload.
void addPoints(SweepConfig& sweep, const Json& given, TimeClass largest, const std::string& sourceName) {
  const std::string prefix = sourceName.empty() ? "" : sourceName + ": ";
  const Front& workload = workloadOf(given, prefix);
  checkAgainstSchema(given, "sweep_" + workload.name, FieldStyle::pointer, sourceName);
  const Json document = keptNumbersAsStrings(given);
  refuseDoubleSettings(document, prefix);
  if (std::find(sweep.workloads.begin(), sweep.workloads.end(), workload.name) == sweep.workloads.end())
    sweep.workloads.push_back(workload.name);
  auto axes = collectAxes(document, workload, largest, prefix);
  for (const auto& axis : axes)
    if (axis.fromList && std::find(sweep.axes.begin(), sweep.axes.end(), axis.name) == sweep.axes.end())
      sweep.axes.push_back(axis.name);
  const std::size_t firstCase = sweep.points.empty() ? 0 : sweep.points.back().caseIndex + 1;
  for (auto& point : Expansion(document, workload, std::move(axes), sourceName).points()) {
    point.caseIndex += firstCase;
    sweep.points.push_back(std::move(point));
  }
}

/// What belongs to the whole file must not stand in one of its sweeps.
void refuseCommonMembers(const Json& part, const std::string& place) {
  if (!part.is_object()) return;
  for (const char* member : {"measurement", "report", "output"}) {
    if (!part.contains(member)) continue;
    throw ConfigError(place + "/" + member, describeValue(part[member]),
                      std::string("no ") + member + " of its own: it stands beside /sweeps, for all of them");
  }
}

}  // namespace

TimeClass parseTimeClass(const std::string& text, const std::string& field) {
  if (text == "small") return TimeClass::small;
  if (text == "medium") return TimeClass::medium;
  if (text == "large" || text == "all") return TimeClass::large;
  throw ConfigError(field, describeValue(Json(text)), "small, medium, large or all");
}

bool looksLikeSweep(const Json& document) {
  return document.is_object() &&
         (document.contains("sweeps") || document.contains("parameters") || document.contains("rows") ||
          document.contains("measurement") || document.contains("zip"));
}

void refuseRecord(const Json& document, const std::string& path) {
  if (document.is_object() && document.contains("workload") && document.contains("status"))
    throw ConfigError(path, "the record of a run",
                      "the configuration of a run or sweep; a record has its parameters as /parameters");
}

namespace {

/// Of runs that are the same one result is kept: it cannot be what two rows expect. `place`: of the points
/// that came last; the others have been looked at.
void refuseContradictions(const SweepConfig& sweep, const std::string& place) {
  const auto textOf = [](const Json& count) {
    return count.is_string() ? count.get<std::string>() : count.dump();
  };
  std::map<std::string, std::string> expected;
  for (const SweepPoint& point : sweep.points) {
    if (!point.row.contains("expected_count")) continue;
    const Json& count = point.row["expected_count"];
    const auto [earlier, isFirst] = expected.try_emplace(point.hash, textOf(count));
    if (!isFirst && earlier->second != textOf(count))
      throw ConfigError(place + "/rows/" + point.row.value("index", Json(0)).dump() + "/expected_count",
                        describeValue(count),
                        earlier->second + ", which an earlier row expects of the same run");
  }
}

}  // namespace

SweepConfig parseSweepConfig(const Json& given, TimeClass largest, const std::string& sourceName) {
  const std::string prefix = sourceName.empty() ? "" : sourceName + ": ";
  if (!given.is_object())
    throw ConfigError(sourceName.empty() ? "sweep" : sourceName, describeValue(given), "a JSON object");
  SweepConfig sweep;
  const bool several = given.contains("sweeps");
  if (several) checkAgainstSchema(given, "sweep_several", FieldStyle::pointer, sourceName);
  const std::size_t parts = several ? given["sweeps"].size() : 1;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::string place = "/sweeps/" + std::to_string(i);
    if (several) refuseCommonMembers(given["sweeps"][i], prefix + place);
    addPoints(sweep, several ? given["sweeps"][i] : given, largest, several ? prefix + place : sourceName);
    refuseContradictions(sweep, several ? prefix + place : prefix);
  }
  const Json document = keptNumbersAsStrings(given);
  sweep.description = document.value("description", std::string{});
  sweep.measurement = parseMeasurement(document.value("measurement", Json::object()));
  sweep.report = document.value("report", Json::object());
  sweep.outputDirectory = document.value("output", Json::object()).value("directory", std::string{});
  sweep.hash = documentHash(document);
  return sweep;
}

}  // namespace slicepool::config
