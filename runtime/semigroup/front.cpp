// The semigroup workload for the command and the sweeps: an Outcome to a record and to readable lines. Called
// through the registry (workloads.hpp).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/factorizations/front_row_text.hpp"
#include "runtime/semigroup/front_request.hpp"
#include "runtime/semigroup/request_check.hpp"

namespace slicepool::config {
namespace {

using semigroup::Request;

constexpr double kLongStage = 0.5;  ///< seconds: such a stage is worth a line of the log
constexpr std::size_t kShownStages = 16;

class SemigroupRun final : public EnumerationRun<semigroup::Enumeration> {
 public:
  SemigroupRun(const Request& request, const RunConfig& config)
      : EnumerationRun(withStageLog(request), config), request_(request) {}

  void addToRecord(Json& record) const override {
    record["n"] = outcome_.points;
    record["generators"] = outcome_.generators;
    record["algorithm"] = semigroup::algorithmName(request_.algorithm);
    record[outcome_.complete ? "size" : "partial_size"] = exactNumber(outcome_.size);
    if (outcome_.complete) record["count"] = exactNumber(outcome_.size);
    record["limited"] = outcome_.limited;
    record["stages"] = outcome_.stages;
    record["rules"] = exactNumber(outcome_.rules);
    if (outcome_.idempotents) record["idempotents"] = exactNumber(*outcome_.idempotents);
    record["base"] = outcome_.base;
    record["restarts"] = outcome_.restarts;
    addAnswers(record);
    Json phases = Json::object();
    for (const auto& [name, seconds] : outcome_.phaseSeconds) phases[name] = seconds;
    record["phase_seconds"] = std::move(phases);
    Json files = Json::array();
    for (const auto& file : outcome_.files)
      files.push_back({{"what", file.what}, {"path", file.path}, {"bytes", file.bytes}});
    if (!files.empty()) record["files"] = std::move(files);
    if (!outcome_.checkpointPath.empty()) record["checkpoint"] = outcome_.checkpointPath;
    record["peak_bytes"] = outcome_.run.peakHostBytes;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> answerLines() const override {
    std::vector<std::pair<std::string, std::string>> lines;
    lines.emplace_back("monoid", fmt::format("{} generators of {} points, algorithm {}", outcome_.generators,
                                             outcome_.points, semigroup::algorithmName(request_.algorithm)));
    lines.emplace_back(outcome_.complete ? "size" : "partial size",
                       fmt::format("{}{}", outcome_.size, outcome_.limited ? ", stopped by a limit" : ""));
    lines.emplace_back("stages", stagesText());
    lines.emplace_back("rules", std::to_string(outcome_.rules));
    if (outcome_.idempotents) lines.emplace_back("idempotents", std::to_string(*outcome_.idempotents));
    if (!outcome_.base.empty()) {
      lines.emplace_back(
          "base",
          fmt::format("{}{}", fmt::join(outcome_.base, ","),
                      outcome_.restarts == 0 ? "" : fmt::format(", grown {} times", outcome_.restarts)));
    }
    if (request_.contains) {
      lines.emplace_back("contains", outcome_.containedAs
                                         ? fmt::format("yes, element {}", *outcome_.containedAs)
                                         : (outcome_.complete ? "no" : "not among those found"));
    }
    if (request_.wordOf || request_.wordOfNumber) lines.emplace_back("word", wordText());
    if (request_.algorithm == semigroup::Algorithm::words)
      for (const auto& [name, seconds] : outcome_.phaseSeconds)
        lines.emplace_back("  " + name, fmt::format("{:.3f} s", seconds));
    for (const auto& file : outcome_.files) lines.emplace_back(file.what, outputText(file.path, file.bytes));
    if (outcome_.limited && !outcome_.checkpointPath.empty())
      lines.emplace_back("checkpoint", outcome_.checkpointPath);
    return lines;
  }

 private:
  static Request withStageLog(Request request) {
    request.onStage = [](const semigroup::StageReport& stage) {
      if (stage.seconds < kLongStage) return;
      spdlog::info("stage {}: {} new, {} elements, {:.2f} s", stage.stage, stage.found, stage.elements,
                   stage.seconds);
    };
    return request;
  }

  void addAnswers(Json& record) const {
    if (request_.contains) {
      record["contains"] = outcome_.containedAs.has_value();
      if (outcome_.containedAs) record["contained_as"] = *outcome_.containedAs;
    }
    if (!request_.wordOf && !request_.wordOfNumber) return;
    record["word"] = outcome_.word ? Json(*outcome_.word) : Json();
    if (outcome_.wordOfNumber) record["word_of_element"] = *outcome_.wordOfNumber;
  }

  [[nodiscard]] std::string wordText() const {
    if (!outcome_.word) return outcome_.complete ? "none: not an element" : "none: not among those found";
    if (outcome_.word->empty()) return fmt::format("the empty word, element {}", *outcome_.wordOfNumber);
    return fmt::format("{}, element {}", fmt::join(*outcome_.word, " "), *outcome_.wordOfNumber);
  }

  [[nodiscard]] std::string stagesText() const {
    const auto& stages = outcome_.stages;
    if (stages.size() <= kShownStages)
      return fmt::format("0 to {}: {}", stages.size() - 1, fmt::join(stages, " "));
    const auto middle = stages.begin() + kShownStages - 4;
    return fmt::format("0 to {}: {} .. {}", stages.size() - 1, fmt::join(stages.begin(), middle, " "),
                       fmt::join(stages.end() - 3, stages.end(), " "));
  }

  Request request_;
};

}  // namespace

Workload semigroupWorkload() {
  Workload workload;
  workload.name = "semigroup";
  workload.summary = "the monoid that transformations generate";
  workload.step = "A step is one product of an element and a generator, or one pair that a round looks at.";
  workload.prepare = [](const RunConfig& config, Strictness) -> std::unique_ptr<WorkloadRun> {
    return std::make_unique<SemigroupRun>(parseSemigroupRequest(config), config);
  };
  workload.check = [](const RunConfig& config, Strictness) {
    semigroup::checkSource(parseSemigroupRequest(config));
  };
  workload.identity = [](const Json& document) {
    Json identity = {{"workload", "semigroup"}};
    for (const char* key : {"named", "generators"}) {
      if (document.contains(key)) identity[key] = document[key];
    }
    return identity;
  };
  workload.countsEverything = [](const Json& document) {
    return !document.contains("max_elements") && !document.contains("max_stage");
  };
  return workload;
}

}  // namespace slicepool::config
