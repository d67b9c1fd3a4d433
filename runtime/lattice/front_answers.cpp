// See front_answers.hpp.
#include "runtime/lattice/front_answers.hpp"

#include <fmt/format.h>

#include "runtime/core/fingerprint_text.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/lattice/front_matrix.hpp"
#include "runtime/lattice/request_check.hpp"

namespace slicepool::config {
namespace {

using lattice::Outcome;
using lattice::Request;
using lattice::Solution;
using lattice::SquaredRadius;

constexpr std::size_t kShownSolutions = 10;  ///< lines in the readable report
constexpr std::size_t kShownTerms = 8;

/// A number where every reader of JSON gets it exactly, else its digits.
Json radiusJson(const SquaredRadius& radius) {
  if (radius.isInteger()) return exactNumber(radius.text());
  const double rounded = radius.rounded();
  constexpr double kLargest = 1e299;  // near 1e300 the nearest double may be beyond what is accepted
  return rounded < kLargest && SquaredRadius(rounded) == radius ? Json(rounded) : Json(radius.text());
}

/// A fraction stays a text.
Json numberJson(const std::string& number) {
  return number.find('/') == std::string::npos ? exactNumber(number) : Json(number);
}

Json solutionJson(const Solution& solution) {
  if (solution.coefficients.empty())  // of a target
    return {{"squared_distance", solution.squaredNorm}, {"vector", elementsOf(solution.text)}};
  return {{"squared_norm", solution.squaredNorm},
          {"vector", elementsOf(solution.text)},
          {"coefficients", solution.coefficients}};
}

class OutcomeAnswers {
 public:
  OutcomeAnswers(const Outcome& outcome, const Request& request, bool finished)
      : outcome_(outcome), request_(request), finished_(finished) {}

  [[nodiscard]] Answers answers() const {
    Answers answers;
    answers.add("dimension", outcome_.dimension, "lattice",
                fmt::format("dimension {}{}{}", outcome_.dimension,
                            isGram(request_) ? ", by its Gram matrix: vectors are coefficients" : "",
                            outcome_.reduction == "none" ? "" : ", after " + outcome_.reduction));
    if (isGram(request_)) answers.record("input", "gram");
    answers.record("algorithm", algorithmName(request_.algorithm));
    answers.record("reduction", outcome_.reduction);
    const bool given = outcome_.squaredRadius.given();
    const std::string& nearest = outcome_.nearestPlaneSquaredDistance;
    answers.add("squared_radius", given ? radiusJson(outcome_.squaredRadius) : numberJson(nearest),
                "squared radius",
                fmt::format("{}, a radius of {:.4g} Gaussian heuristics, {}",
                            given ? outcome_.squaredRadius.text() : nearest, outcome_.ghFactor,
                            outcome_.fixedRadius ? "fixed" : "shrinking"));
    if (byTarget()) answers.record("nearest_plane_squared_distance", numberJson(nearest));
    answers.record("gh_factor", outcome_.ghFactor);
    if (request_.minimumSquaredNorm.given())
      answers.add("minimum_squared_norm", radiusJson(request_.minimumSquaredNorm), "least norm^2",
                  request_.minimumSquaredNorm.text());
    if (request_.bothSigns) answers.record("both_signs", true);
    answers.record("fixed_radius", outcome_.fixedRadius);
    // What is found on the way of a shrinking radius is no property of the lattice.
    if (outcome_.fixedRadius)
      answers.record(finished_ ? "count" : "partial_count", exactNumber(outcome_.count));
    answers.add("solutions", exactNumber(outcome_.count), finished_ ? "solutions" : "partial count",
                fmt::format("{}{}", outcome_.count,
                            byTarget()           ? ""
                            : request_.bothSigns ? ", v and -v"
                                                 : " up to sign"));
    answers.addShard(request_.shard, request_.shards, "slices", outcome_.frontierSlices);
    addShortest(answers);
    addTheta(answers);
    addVectors(answers);
    addNodes(answers);
    if (!outcome_.outputPath.empty()) {
      answers.add(
          "output",
          {{"path", outcome_.outputPath}, {"rows", outcome_.outputRows}, {"bytes", outcome_.outputBytes}},
          "output", outputText(outcome_.outputPath, outcome_.outputBytes));
    }
    return answers;
  }

 private:
  [[nodiscard]] bool byTarget() const { return hasTarget(request_); }
  void addShortest(Answers& answers) const {
    const auto& norm = outcome_.shortestSquaredNorm;
    const char* const member = byTarget() ? "squared_distance" : "shortest_squared_norm";
    answers.add(member, norm.empty() ? Json() : Json(norm), byTarget() ? "distance^2" : "shortest norm^2",
                !norm.empty() ? norm
                : finished_   ? "nothing within the radius"
                              : "none found yet");
    const bool known = !outcome_.solutions.empty();
    answers.record(byTarget() ? "closest_vector" : "shortest_vector",
                   known ? elementsOf(outcome_.solutions.front().text) : Json());
    if (known && !byTarget())
      answers.record("shortest_coefficients", outcome_.solutions.front().coefficients);
  }

  void addTheta(Answers& answers) const {
    if (!request_.theta) return;
    const auto& series = outcome_.thetaSeries;
    // What is left, by an interruption or a least norm, may have shorter vectors.
    const bool known = finished_ && series.size() > 1 && !request_.minimumSquaredNorm.given();
    const Json kissing = known ? exactNumber(series[1].second) : Json();
    if (!byTarget())
      answers.add("kissing_number", kissing, "kissing number",
                  kissing.is_null() ? "not known" : std::to_string(series[1].second));
    Json terms = Json::array();
    for (const auto& [norm, vectors] : series)
      terms.push_back(Json::array({numberJson(norm), exactNumber(vectors)}));
    answers.record("theta_series", std::move(terms));
    std::string text = series.empty() ? (finished_ ? "nothing within the radius" : "nothing") : "";
    for (std::size_t i = 0; i < std::min(series.size(), kShownTerms); ++i)
      text += fmt::format("{}{}", i == 0 ? "" : " + ", term(series[i].first, series[i].second));
    answers.line(finished_ ? "theta series" : "theta series so far",
                 text + (series.size() > kShownTerms ? fmt::format(" + .. ({} terms)", series.size()) : ""));
  }

  static std::string term(const std::string& norm, std::uint64_t vectors) {
    if (norm == "0") return std::to_string(vectors);
    const bool whole = norm.find('/') == std::string::npos;
    return fmt::format("{} q^{}", vectors, whole ? norm : "(" + norm + ")");
  }

  void addVectors(Answers& answers) const {
    const auto& solutions = outcome_.solutions;
    if (solutions.size() > 1 && solutions.size() <= kRecordedSolutions) {
      Json vectors = Json::array();
      for (const auto& solution : solutions) vectors.push_back(solutionJson(solution));
      answers.record("vectors", std::move(vectors));
    }
    answers.showRows(
        "vector", "vectors", solutions.size(),
        [&](std::size_t i) {
          const std::string norm = solutions.size() > 1 ? solutions[i].squaredNorm + "  " : "";
          return norm + shortenedVector(solutions[i].text);
        },
        kShownSolutions);
  }

  void addNodes(Answers& answers) const {
    answers.add("nodes", exactNumber(outcome_.nodes), "nodes", std::to_string(outcome_.nodes));
    Json levels = Json::array();
    for (const std::uint64_t nodes : outcome_.nodesPerLevel) levels.push_back(exactNumber(nodes));
    answers.record("nodes_per_level", std::move(levels));
    if (!finished_ || !outcome_.fixedRadius || request_.first != 0) return;
    answers.addFingerprint(outcome_.fingerprint);
  }

  const Outcome& outcome_;
  const Request& request_;
  bool finished_;
};

}  // namespace

Answers latticeAnswers(const Outcome& outcome, const Request& request, bool finished) {
  return OutcomeAnswers(outcome, request, finished).answers();
}

}  // namespace slicepool::config
