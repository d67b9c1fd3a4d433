// The lattice workload for the command and the sweeps: an Outcome to a record and to readable lines. Called
// through the registry (workloads.hpp).
#include <fmt/format.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/factorizations/front_row_text.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/lattice/front_request.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/request_check.hpp"

namespace slicepool::config {
namespace {

using lattice::Enumeration;
using lattice::Request;
using lattice::Solution;
using lattice::SquaredRadius;

constexpr std::size_t kShownSolutions = 10;       ///< lines in the readable report
constexpr std::size_t kRecordedSolutions = 1000;  ///< in a record; more belong into an output
constexpr std::size_t kShownColumns = 20;

/// The elements between the brackets of "[1 -2 3]", exact.
Json elementsOf(const std::string& text) {
  Json list = Json::array();
  for (std::size_t at = 1; at + 1 < text.size();) {
    const std::size_t end = text.find_first_of(" ]", at);
    const std::string word = text.substr(at, end - at);
    list.push_back(word.starts_with('-') ? Json() : exactNumber(word));
    if (word.starts_with('-')) {
      const Json magnitude = exactNumber(word.substr(1));
      list.back() = magnitude.is_string() ? Json(word) : Json(-magnitude.get<std::int64_t>());
    }
    at = end + 1;
  }
  return list;
}

/// A number where every reader of JSON gets it exactly, else its digits.
Json radiusJson(const SquaredRadius& radius) {
  if (radius.isInteger()) return exactNumber(radius.text());
  const double rounded = radius.rounded();
  return SquaredRadius(rounded) == radius ? Json(rounded) : Json(radius.text());
}

Json solutionJson(const Solution& solution) {
  return {{"squared_norm", solution.squaredNorm},
          {"vector", elementsOf(solution.text)},
          {"coefficients", solution.coefficients}};
}

std::string shortened(const std::string& text) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < kShownColumns && end != std::string::npos; ++i) end = text.find(' ', end + 1);
  return end == std::string::npos ? text : text.substr(0, end) + " ..]";
}

class LatticeRun final : public EnumerationRun<Enumeration> {
 public:
  LatticeRun(const Request& request, const RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}

  void addToRecord(Json& record) const override {
    record["dimension"] = outcome_.dimension;
    record["algorithm"] = algorithmName(request_.algorithm);
    record["reduction"] = outcome_.reduction;
    record["squared_radius"] = radiusJson(outcome_.squaredRadius);
    record["gh_factor"] = outcome_.ghFactor;
    record["fixed_radius"] = outcome_.fixedRadius;
    // What is found on the way of a shrinking radius is no property of the lattice.
    if (outcome_.fixedRadius) record[finished() ? "count" : "partial_count"] = exactNumber(outcome_.count);
    record["solutions"] = exactNumber(outcome_.count);
    addShortest(record);
    if (outcome_.solutions.size() > 1 && outcome_.solutions.size() <= kRecordedSolutions) {
      Json& vectors = record["vectors"] = Json::array();
      for (const auto& solution : outcome_.solutions) vectors.push_back(solutionJson(solution));
    }
    record["nodes"] = exactNumber(outcome_.nodes);
    Json& levels = record["nodes_per_level"] = Json::array();
    for (const std::uint64_t nodes : outcome_.nodesPerLevel) levels.push_back(exactNumber(nodes));
    if (finished() && outcome_.fixedRadius && request_.first == 0)
      record["fingerprint"] = fingerprintText(outcome_.fingerprint);
    if (!outcome_.outputPath.empty()) {
      record["output"] = {
          {"path", outcome_.outputPath}, {"rows", outcome_.outputRows}, {"bytes", outcome_.outputBytes}};
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> answerLines() const override {
    std::vector<std::pair<std::string, std::string>> lines;
    lines.emplace_back("lattice",
                       fmt::format("dimension {}{}", outcome_.dimension,
                                   outcome_.reduction == "none" ? "" : ", after " + outcome_.reduction));
    lines.emplace_back("squared radius", fmt::format("{}, a radius of {:.4g} Gaussian heuristics, {}",
                                                     outcome_.squaredRadius.text(), outcome_.ghFactor,
                                                     outcome_.fixedRadius ? "fixed" : "shrinking"));
    lines.emplace_back(finished() ? "solutions" : "partial count",
                       fmt::format("{} up to sign", outcome_.count));
    lines.emplace_back("shortest norm^2", outcome_.shortestSquaredNorm.empty()
                                              ? "nothing within the radius"
                                              : outcome_.shortestSquaredNorm);
    for (std::size_t i = 0; i < std::min(outcome_.solutions.size(), kShownSolutions); ++i) {
      const Solution& solution = outcome_.solutions[i];
      const std::string norm = outcome_.solutions.size() > 1 ? solution.squaredNorm + "  " : "";
      lines.emplace_back(i == 0 ? "vector" : "", norm + shortened(solution.text));
    }
    if (outcome_.solutions.size() > kShownSolutions)
      lines.emplace_back("", fmt::format(".. ({} vectors)", outcome_.solutions.size()));
    lines.emplace_back("nodes", std::to_string(outcome_.nodes));
    if (finished() && outcome_.fixedRadius && request_.first == 0)
      lines.emplace_back("fingerprint", fingerprintText(outcome_.fingerprint));
    if (!outcome_.outputPath.empty())
      lines.emplace_back("output", outputText(outcome_.outputPath, outcome_.outputBytes));
    return lines;
  }

 private:
  void addShortest(Json& record) const {
    const auto& norm = outcome_.shortestSquaredNorm;
    record["shortest_squared_norm"] = norm.empty() ? Json() : Json(norm);
    const bool known = !outcome_.solutions.empty();
    record["shortest_vector"] = known ? elementsOf(outcome_.solutions.front().text) : Json();
    if (known) record["shortest_coefficients"] = outcome_.solutions.front().coefficients;
  }

  Request request_;
};

/// Whether count, nodes and fingerprint are those of all vectors within the radius.
bool coversEverything(const Json& document) {
  const bool fixed = document.value("fixed_radius", false) ||
                     (document.contains("solutions") && document["solutions"] != Json(1));
  return fixed && !document.contains("first");
}

}  // namespace

Workload latticeWorkload() {
  Workload workload;
  workload.name = "lattice";
  workload.summary = "shortest and short vectors of a lattice";
  workload.step = "A step is one node of the search tree.";
  workload.prepare = [](const RunConfig& config, Strictness) -> std::unique_ptr<WorkloadRun> {
    return std::make_unique<LatticeRun>(parseLatticeRequest(config), config);
  };
  workload.check = [](const RunConfig& config, Strictness) {
    const lattice::Request request = parseLatticeRequest(config);
    lattice::checkRequest(request, config.engine);
    (void)(request.basis.empty() ? lattice::readBasis(request.basisPath)
                                 : lattice::parseBasis(request.basis, "basis"));
  };
  workload.identity = [](const Json& document) {
    Json identity = {{"workload", "lattice"}, {"basis", document.at("basis")}};
    for (const char* key : {"reduction", "squared_radius", "gh_factor", "pruning"}) {
      if (document.contains(key)) identity[key] = document[key];
    }
    return identity;
  };
  workload.countsEverything = coversEverything;
  return workload;
}

}  // namespace slicepool::config
