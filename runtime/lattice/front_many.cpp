// See front_many.hpp.
#include "runtime/lattice/front_many.hpp"

#include <fmt/format.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/lattice/accept_library.hpp"
#include "runtime/lattice/front_request.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using lattice::ManyLattices;
using lattice::ManyOutcome;
using lattice::ManyRequest;

/// What the lines of a batch are.
const char* itemsOf(const ManyOutcome& outcome) { return outcome.dimension == 0 ? "lattices" : "targets"; }

class ManyRun final : public EnumerationRun<ManyLattices> {
 public:
  using EnumerationRun::EnumerationRun;
  [[nodiscard]] Answers answers() const override { return manyAnswers(outcome_); }
  [[nodiscard]] std::string leftBehind() const override {
    const std::string& file = outcome_.partPath.empty() ? outcome_.outputPath : outcome_.partPath;
    return fmt::format(
        "{0} has the answers of the first {1} {2}; there are no checkpoints: a new run takes the {2} after "
        "them",
        file == "-" ? "standard output" : file, outcome_.lattices, itemsOf(outcome_));
  }
};

/// What a single search has. The first that is there.
const char* memberOfOne(const Json& document) {
  for (const char* member : {"target", "gh_factor", "shell", "minimum_squared_norm", "pruning", "both_signs",
                             "fixed_radius", "theta", "algorithm", "shards", "shard"})
    if (document.contains(member) && document[member] != Json(false)) return member;
  return nullptr;
}

}  // namespace

bool asksForMany(const Json& document) { return document.contains("batch"); }

ManyRequest parseManyRequest(const RunConfig& config) {
  const Json& document = config.document;
  if (const char* member = memberOfOne(document))
    throw ConfigError(
        member, describeValue(document[member]) + " together with batch",
        "squared_radius, solutions, first and accept beside a batch, and of targets one basis or gram "
        "and its reduction; a target, or a lattice of its own, stands in each line");
  const lattice::Request one = parseLatticeRequest(config);
  ManyRequest request;
  request.batchPath = document.value("batch", std::string());
  if (asksForMany(document) && request.batchPath.empty())
    throw ConfigError("batch", "\"\"", "the name of a file of JSON Lines, or - for standard input");
  request.basisPath = one.basisPath;
  request.basis = one.basis;
  request.gramPath = one.gramPath;
  request.gram = one.gram;
  request.reduction = one.reduction;
  request.squaredRadius = one.squaredRadius;
  request.solutions = one.solutions;
  request.first = one.first;
  if (document.contains("accept"))
    request.accept = lattice::AcceptLibrary(document["accept"].get<std::string>()).ofMany();
  request.outputPath = one.outputPath;
  return request;
}

std::unique_ptr<WorkloadRun> prepareMany(const RunConfig& config) {
  return std::make_unique<ManyRun>(parseManyRequest(config), config);
}

Answers manyAnswers(const ManyOutcome& outcome) {
  Answers answers;
  answers.record("input", "batch");
  if (outcome.dimension != 0) {
    answers.add("dimension", outcome.dimension, "lattice",
                fmt::format("dimension {}, of all targets{}", outcome.dimension,
                            outcome.reduction == "none" ? "" : ", reduced by " + outcome.reduction));
    answers.record("reduction", outcome.reduction);
  }
  const std::string items = itemsOf(outcome);
  answers.add(items, exactNumber(outcome.lattices), items,
              outcome.failed == 0
                  ? std::to_string(outcome.lattices)
                  : fmt::format("{}, of them {} with an error", outcome.lattices, outcome.failed));
  answers.record("failed", exactNumber(outcome.failed));
  if (!outcome.firstError.empty())
    answers.add("first_error", outcome.firstError, "first error", outcome.firstError);
  answers.record("prepared_exactly", exactNumber(outcome.exact));
  answers.record("pooled", exactNumber(outcome.pooled));
  answers.record("reduced_by_device", exactNumber(outcome.reducedByDevice));
  answers.record("searched_by_device", exactNumber(outcome.searchedByDevice));
  answers.add("nodes", exactNumber(outcome.run.steps), "nodes", std::to_string(outcome.run.steps));
  if (!outcome.outputPath.empty())
    answers.add("output",
                {{"path", outcome.outputPath}, {"rows", outcome.lattices}, {"bytes", outcome.outputBytes}},
                "output", outputText(outcome.outputPath, outcome.outputBytes));
  return answers;
}

}  // namespace slicepool::config
