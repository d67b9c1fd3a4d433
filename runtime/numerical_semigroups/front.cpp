// The numerical_semigroups workload for the command and the sweeps: its parameters, and an Outcome as a
// record and as readable lines.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/config/front.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"

namespace slicepool::config {
namespace {

using numerical_semigroups::Enumeration;
using numerical_semigroups::kMaximumGenus;
using numerical_semigroups::Request;
using numerical_semigroups::Statistic;

constexpr std::array<const char*, 5> kStatistics{"multiplicity", "embedding-dimension", "type", "frobenius",
                                                 "depth"};

constexpr int kShownGenera = 5;  ///< of the readable report

Request parseGenusRequest(const RunConfig& config) {
  const Json& document = config.document;
  Request request;
  request.genus = static_cast<int>(requireUnsigned(document.at("genus"), "genus", 1, kMaximumGenus));
  if (document.contains("multiplicity")) {
    request.multiplicity =
        static_cast<int>(requireUnsigned(document["multiplicity"], "multiplicity", 2, kMaximumGenus + 1));
  }
  const auto by = document.value("by", std::string(kStatistics.front()));
  const auto* const found = std::find(kStatistics.begin(), kStatistics.end(), by);
  if (found == kStatistics.end()) {
    throw ConfigError("by", describeValue(Json(by)),
                      "multiplicity, embedding-dimension, type, frobenius or depth");
  }
  request.by = static_cast<Statistic>(found - kStatistics.begin());
  if (!config.outputPath.empty()) {
    throw ConfigError("output.path", describeValue(Json(config.outputPath)),
                      "no output: this workload counts");
  }
  return request;
}

Json numbersToJson(const std::vector<std::uint64_t>& numbers) {
  Json list = Json::array();
  for (const std::uint64_t number : numbers) list.push_back(exactNumber(number));
  return list;
}

class NumericalSemigroupsRun final : public EnumerationRun<Enumeration> {
 public:
  NumericalSemigroupsRun(const Request& request, const RunConfig& config)
      : EnumerationRun(request, config),
        request_(request),
        triangle_(config.document.value("triangle", false)) {}

  [[nodiscard]] Answers answers() const override {
    const auto& findings = outcome_.findings;
    const std::string partial = finished() ? "" : "partial ";
    Answers answers;
    answers.record("genus", request_.genus);
    if (request_.multiplicity != 0)
      answers.add("multiplicity", request_.multiplicity, "multiplicity",
                  std::to_string(request_.multiplicity));
    const std::uint64_t count = findings.byGenus.back();
    answers.add(finished() ? "count" : "partial_count", exactNumber(count), partial + "count",
                fmt::format("{} of genus {}", count, request_.genus));
    answers.record(finished() ? "counts" : "partial_counts", numbersToJson(findings.byGenus));
    const int first = std::max(0, request_.genus - kShownGenera);
    for (int genus = request_.genus - 1; genus >= first; --genus) {
      answers.line(
          "", fmt::format("{} of genus {}", findings.byGenus.at(static_cast<std::size_t>(genus)), genus));
    }
    addHistogram(answers);
    return answers;
  }

 private:
  /// Of the bound, from value 0 on; with `triangle`, of every genus.
  void addHistogram(Answers& answers) const {
    if (!finished()) return;
    const std::string by = kStatistics.at(static_cast<std::size_t>(request_.by));
    const auto& triangle = outcome_.findings.triangle;
    const auto& last = triangle.back();
    answers.record("by", by);
    answers.record("histogram", numbersToJson(last));
    const auto most = std::max_element(last.begin(), last.end());
    if (most != last.end() && (request_.multiplicity == 0 || request_.by != Statistic::multiplicity))
      answers.line("by " + by, fmt::format("{} most often, {} times", most - last.begin(), *most));
    if (!triangle_) return;
    Json rows = Json::array();
    for (const auto& row : triangle) rows.push_back(numbersToJson(row));
    answers.record("triangle", std::move(rows));
  }

  Request request_;
  bool triangle_;
};

std::vector<Parameter> genusParameters() {
  return {{.member = "genus",
           .flag = "-g,--genus",
           .given = Given::integer,
           .type = "N",
           .help = "number of gaps up to which semigroups are counted, 1 to 127",
           .domain = domain::digits("an integer from 1 to 127", 1, kMaximumGenus),
           .required = true,
           .sweep = Sweep::axis,
           .label = [](const Json& value) { return "g=" + labelValue(value); }},
          {.member = "multiplicity",
           .flag = "-m,--multiplicity",
           .given = Given::integer,
           .type = "M",
           .help = "only semigroups with this smallest positive element, 2 to the genus and 1",
           .standard = "all",
           .domain = domain::digits("an integer from 2 to 128", 2, kMaximumGenus + 1),
           .sweep = Sweep::axis,
           .label = [](const Json& value) { return "m=" + labelValue(value); }},
          {.member = "by",
           .flag = "--by",
           .help = "what semigroups of one genus are counted by; all but the multiplicity visit each of them",
           .standard = "multiplicity",
           .domain = domain::words({"multiplicity", "embedding-dimension", "type", "frobenius", "depth"}),
           .sweep = Sweep::axis},
          {.member = "triangle",
           .flag = "--triangle",
           .given = Given::setTrue,
           .help = "also record the histogram of every genus",
           .domain = domain::trueOrFalse()}};
}

std::unique_ptr<WorkloadRun> prepareGenus(const RunConfig& config, Strictness) {
  return std::make_unique<NumericalSemigroupsRun>(parseGenusRequest(config), config);
}

void checkGenus(const RunConfig& config, Strictness) {
  const Request request = parseGenusRequest(config);
  (void)numerical_semigroups::classesOf({.genus = request.genus, .multiplicity = request.multiplicity});
}

Json genusIdentity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}, {"genus", document.at("genus")}};
  if (document.contains("multiplicity")) identity["multiplicity"] = document["multiplicity"];
  return identity;
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::numerical_semigroups {

config::Front front() {
  return {
      .name = "numerical_semigroups",
      .title =
          "All numerical semigroups of a genus: sets of nonnegative integers, closed under addition, "
          "with so many gaps.",
      .summary = "numerical semigroups by genus",
      .step =
          "A step is one visited semigroup. By multiplicity, those of the last two genera are counted and "
          "not visited.",
      .parameters = config::genusParameters(),
      .notes = "One walk counts every genus up to the bound. Counts and steps are the same in every mode.",
      .examples = {"-g 30", "-g 24 --triangle --json", "-g 20 --by type", "-g 100 --multiplicity 6",
                   "-g 50 --mode hybrid --checkpoint genus.ckpt --resume auto"},
      .firstExample = "-g 30",
      .prepare = config::prepareGenus,
      .check = config::checkGenus,
      .identity = config::genusIdentity,
      .countsEverything = [](const config::Json&) { return true; },
      .shards = {.refusal = "the tree of numerical semigroups has no rule for shards yet"}};
}

}  // namespace slicepool::numerical_semigroups
