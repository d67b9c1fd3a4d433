// The lattice workload for the command and the sweeps: its parameters, and an Outcome as a record and as
// readable lines.
#include <filesystem>

#include <fmt/format.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/config/front.hpp"
#include "runtime/core/fingerprint_text.hpp"
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

  [[nodiscard]] Answers answers() const override {
    Answers answers;
    answers.add("dimension", outcome_.dimension, "lattice",
                fmt::format("dimension {}{}", outcome_.dimension,
                            outcome_.reduction == "none" ? "" : ", after " + outcome_.reduction));
    answers.record("algorithm", algorithmName(request_.algorithm));
    answers.record("reduction", outcome_.reduction);
    answers.add("squared_radius", radiusJson(outcome_.squaredRadius), "squared radius",
                fmt::format("{}, a radius of {:.4g} Gaussian heuristics, {}", outcome_.squaredRadius.text(),
                            outcome_.ghFactor, outcome_.fixedRadius ? "fixed" : "shrinking"));
    answers.record("gh_factor", outcome_.ghFactor);
    answers.record("fixed_radius", outcome_.fixedRadius);
    // What is found on the way of a shrinking radius is no property of the lattice.
    if (outcome_.fixedRadius)
      answers.record(finished() ? "count" : "partial_count", exactNumber(outcome_.count));
    answers.add("solutions", exactNumber(outcome_.count), finished() ? "solutions" : "partial count",
                fmt::format("{} up to sign", outcome_.count));
    addShortest(answers);
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
  void addShortest(Answers& answers) const {
    const auto& norm = outcome_.shortestSquaredNorm;
    answers.add("shortest_squared_norm", norm.empty() ? Json() : Json(norm), "shortest norm^2",
                norm.empty() ? "nothing within the radius" : norm);
    const bool known = !outcome_.solutions.empty();
    answers.record("shortest_vector", known ? elementsOf(outcome_.solutions.front().text) : Json());
    if (known) answers.record("shortest_coefficients", outcome_.solutions.front().coefficients);
  }

  void addVectors(Answers& answers) const {
    const auto& solutions = outcome_.solutions;
    if (solutions.size() > 1 && solutions.size() <= kRecordedSolutions) {
      Json vectors = Json::array();
      for (const auto& solution : solutions) vectors.push_back(solutionJson(solution));
      answers.record("vectors", std::move(vectors));
    }
    for (std::size_t i = 0; i < std::min(solutions.size(), kShownSolutions); ++i) {
      const std::string norm = solutions.size() > 1 ? solutions[i].squaredNorm + "  " : "";
      answers.line(i == 0 ? "vector" : "", norm + shortened(solutions[i].text));
    }
    if (solutions.size() > kShownSolutions)
      answers.line("", fmt::format(".. ({} vectors)", solutions.size()));
  }

  void addNodes(Answers& answers) const {
    answers.add("nodes", exactNumber(outcome_.nodes), "nodes", std::to_string(outcome_.nodes));
    Json levels = Json::array();
    for (const std::uint64_t nodes : outcome_.nodesPerLevel) levels.push_back(exactNumber(nodes));
    answers.record("nodes_per_level", std::move(levels));
    if (!finished() || !outcome_.fixedRadius || request_.first != 0) return;
    const std::string fingerprint = fingerprintText(outcome_.fingerprint);
    answers.add("fingerprint", fingerprint, "fingerprint", fingerprint);
  }

  Request request_;
};

/// Whether count, nodes and fingerprint are those of all vectors within the radius.
bool coversEverything(const Json& document) {
  const bool fixed = document.value("fixed_radius", false) ||
                     (document.contains("solutions") && document["solutions"] != Json(1));
  return fixed && !document.contains("first");
}

/// By the name of its file; one that is written out would be most of a page.
std::string basisLabel(const Json& value) {
  const auto text = value.get<std::string>();
  return text.starts_with('[') ? "basis " + documentHash(value).substr(0, 8)
                               : std::filesystem::path(text).stem().string();
}

Json squaredRadius() {
  Json number = domain::numberAbove("", 0);
  Json digits = domain::textLike("", "^[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$");
  for (Json* node : {&number, &digits}) node->erase("description");
  return domain::oneOf(
      "a number above 0, from 1e-300 to 1e300 (1234, 1234.5 or 1e30); exact, also as a string",
      {number, digits});
}

Json onlyTrue() {
  Json node = domain::trueOrFalse("true");
  node["enum"] = Json::array({true});
  return node;
}

Json solutions() {
  Json node = domain::digits("a number of shortest vectors to keep, from 0, or all", 0);
  node["anyOf"][1]["pattern"] = "^([0-9]+|all)$";
  return node;
}

std::vector<Parameter> parameters() {
  return {
      {.member = "basis",
       .flag = "--basis",
       .type = "FILE",
       .help = "the basis as fplll's matrix text, [[1 0] [0 2]], or as fpylll prints it; rows are vectors of "
               "integers, "
               "1 to 160 of them",
       .domain =
           domain::text("the name of a file with a matrix as fplll writes it, or the matrix itself, such as "
                        "\"[[1 0] [0 2]]\""),
       .required = true,
       .sweep = Sweep::axis,
       .label = basisLabel},
      {.member = "reduction",
       .flag = "--reduce",
       .type = "auto|none|lll|bkz-B",
       .help = "reduction before the search, by fplll",
       .standard = "auto: LLL, of a basis that is not reduced",
       .domain = domain::textLike("auto, none, lll or bkz-B with a block size B from 2 to 160",
                                  "^(auto|none|lll|bkz-[0-9]+)$"),
       .sweep = Sweep::axis,
       .completion = {"auto", "none", "lll", "bkz-"}},
      {.member = "squared_radius",
       .flag = "--squared-radius",
       .given = Given::number,
       .type = "R2",
       .help = "vectors of at most this squared norm; exact, an integer or a decimal of any length",
       .domain = squaredRadius(),
       .sweep = Sweep::axis},
      {.member = "gh_factor",
       .flag = "--gh-factor",
       .given = Given::number,
       .type = "F",
       .help = "the same with a radius R of F times the Gaussian heuristic (R^2 is F^2 GH^2, rounded up by "
               "2^-44)",
       .domain = domain::numberAbove("a number above 0", 0),
       .sweep = Sweep::axis},
      {.member = "shortest",
       .flag = "--shortest",
       .given = Given::setTrue,
       .help = "a shortest vector (the default without a radius): the radius is that of the shortest row",
       .domain = onlyTrue(),
       .sweep = Sweep::axis},
      {.member = "fixed_radius",
       .flag = "--fixed-radius",
       .given = Given::setTrue,
       .help =
           "count all vectors within the radius; otherwise it shrinks to the shortest vector found so far",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
      {.member = "pruning",
       .flag = "--pruning",
       .type = "FILE|fplll:P",
       .help =
           "pruning coefficients, one for each row, or those of fplll's pruner for a success probability P",
       .domain =
           domain::text("the name of a file with one coefficient for each row, or fplll:P with a success "
                        "probability P above 0, at most 1"),
       .sweep = Sweep::axis},
      {.member = "solutions",
       .flag = "--solutions",
       .given = Given::integer,
       .type = "K|all",
       .help = "keep the K shortest vectors; all writes every vector to --output, 0 only counts; any value "
               "but 1 fixes "
               "the radius",
       .standard = "1",
       .domain = solutions(),
       .sweep = Sweep::axis,
       .completion = {"all"}},
      {.member = "first",
       .flag = "--first",
       .given = Given::integer,
       .type = "K",
       .help = "stop when K vectors within the radius are known; which ones may differ from run to run",
       .domain = domain::digits("solutions to stop at: an integer from 1 to 2^63-1", 1),
       .sweep = Sweep::axis},
      {.member = "algorithm",
       .flag = "--algorithm",
       .help = "how GPUs search the tree; the nodes are the same",
       .standard = "auto: the fastest",
       .domain = domain::words({"auto", "compacted"}),
       .sweep = Sweep::axis},
      {.member = "output.path",
       .flag = "--output",
       .type = "FILE",
       .help = "vectors to FILE.npy or FILE.txt, or - for text on standard output",
       .group = kFilesGroup,
       .domain = domain::text("a file name that ends in .npy or .txt, or - for text on standard output")},
  };
}

std::unique_ptr<WorkloadRun> prepare(const RunConfig& config, Strictness) {
  return std::make_unique<LatticeRun>(parseLatticeRequest(config), config);
}

void check(const RunConfig& config, Strictness) {
  const lattice::Request request = parseLatticeRequest(config);
  lattice::checkRequest(request, config.engine);
  (void)(request.basis.empty() ? lattice::readBasis(request.basisPath)
                               : lattice::parseBasis(request.basis, "basis"));
}

Json identity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}, {"basis", document.at("basis")}};
  for (const char* key : {"reduction", "squared_radius", "gh_factor", "pruning"})
    if (document.contains(key)) identity[key] = document[key];
  return identity;
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::lattice {

config::Front front() {
  return {.name = "lattice",
          .title = "Shortest and short vectors of a lattice: find, count, list.",
          .summary = "shortest and short vectors of a lattice",
          .step = "A step is one node of the search tree.",
          .parameters = config::parameters(),
          .outputs = "an object with the path of the vectors",
          .notes =
              "Norms are exact. With a fixed radius the vectors and the nodes of each level are the same in "
              "every "
              "mode.",
          .examples = {"--basis basis.txt", "--basis basis.txt --gh-factor 1.1 --fixed-radius",
                       "--basis leech.txt --squared-radius 48 --solutions all --output vectors.npy",
                       "--basis basis.txt --squared-radius 12000 --first 1 --pruning fplll:0.3",
                       "--basis basis.txt --reduce bkz-30 --checkpoint search.ckpt --resume auto"},
          .libraries = {{"fplll", "reduction of lattices, --pruning fplll:P, libslicepool_fplll.so"}},
          .prepare = config::prepare,
          .check = config::check,
          .identity = config::identity,
          .countsEverything = config::coversEverything};
}

}  // namespace slicepool::lattice
