// The three_in_line workload for the command and the sweeps: an Outcome to a record and to readable lines.
// Called through the registry (workloads.hpp).
#include <fmt/format.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/factorizations/front_row_text.hpp"
#include "runtime/three_in_line/front_request.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "runtime/three_in_line/shard_record.hpp"

namespace slicepool::config {
namespace {

using three_in_line::Enumeration;
using three_in_line::Request;

constexpr std::size_t kShownSolutions = 3;  ///< pictures in the readable report

class ThreeInLineRun final : public EnumerationRun<Enumeration> {
 public:
  ThreeInLineRun(const Request& request, const RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}

  void addToRecord(Json& record) const override {
    record["n"] = request_.size;
    record["symmetry"] = groupName(request_.group);
    record["algorithm"] = algorithmName(request_.algorithm);
    if (request_.shards > 1) {
      record["shards"] = request_.shards;
      record["shard"] = request_.shard;
      record["boards"] = exactNumber(outcome_.boards);
    }
    addFindings(record, outcome_.findings, finished());
    if (showsSolutions()) record["solutions"] = solutionsToJson(outcome_.solutions, request_.size);
    if (!outcome_.outputPath.empty())
      record["output"] = {{"path", outcome_.outputPath}, {"bytes", outcome_.outputBytes}};
    if (!outcome_.recordPath.empty()) record["record"] = outcome_.recordPath;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> answerLines() const override {
    std::vector<std::pair<std::string, std::string>> lines;
    if (request_.shards > 1) {
      lines.emplace_back("shard", fmt::format("{} of {}, {} boards of the frontier", request_.shard,
                                              request_.shards, outcome_.boards));
    }
    addFindingLines(lines, outcome_.findings, finished());
    if (showsSolutions()) addPictures(lines);
    if (!outcome_.outputPath.empty())
      lines.emplace_back("output", outputText(outcome_.outputPath, outcome_.outputBytes));
    if (!outcome_.recordPath.empty()) lines.emplace_back("record", outcome_.recordPath);
    return lines;
  }

 private:
  /// Solutions that went to a file are not shown as well.
  [[nodiscard]] bool showsSolutions() const {
    return finished() && (request_.solutions || request_.first != 0) && request_.outputPath.empty();
  }

  void addPictures(std::vector<std::pair<std::string, std::string>>& lines) const {
    const auto& solutions = outcome_.solutions;
    for (std::size_t i = 0; i < std::min(solutions.size(), kShownSolutions); ++i) {
      for (int y = 0; y < request_.size; ++y) {
        std::string row;
        for (int x = 0; x < request_.size; ++x) row += (solutions[i].rows[y] >> x & 1U) != 0 ? "o " : ". ";
        row.pop_back();
        lines.emplace_back(y == 0 ? fmt::format("solution {}", i + 1) : "", row);
      }
    }
    if (solutions.size() > kShownSolutions)
      lines.emplace_back("", fmt::format(".. ({} solutions)", solutions.size()));
  }

  Request request_;
};

bool coversEverything(const Json& document) {
  const bool sharded = document.contains("shards") && document["shards"] != Json(1);
  return !document.contains("first") && !sharded;
}

}  // namespace

Workload threeInLineWorkload() {
  Workload workload;
  workload.name = "three_in_line";
  workload.summary = "2n points on an n x n grid with no three in line";
  workload.step = "A step is one visited board.";
  workload.prepare = [](const RunConfig& config, Strictness) -> std::unique_ptr<WorkloadRun> {
    return std::make_unique<ThreeInLineRun>(parseThreeInLineRequest(config), config);
  };
  workload.check = [](const RunConfig& config, Strictness) {
    three_in_line::checkRequest(parseThreeInLineRequest(config), config.engine);
  };
  workload.identity = [](const Json& document) {
    return Json{{"workload", "three_in_line"},
                {"size", document.at("size")},
                {"symmetry", document.value("symmetry", std::string("none"))}};
  };
  workload.countsEverything = coversEverything;
  return workload;
}

}  // namespace slicepool::config
