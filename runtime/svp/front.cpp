// The workload svp for the command and the sweeps: its parameters, and an Outcome as a record and as readable
// lines.
#include <cmath>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/config/front.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/lattice/front_matrix.hpp"
#include "runtime/svp/front_request.hpp"
#include "runtime/svp/request_check.hpp"

namespace slicepool::config {
namespace {

using svp::Outcome;

constexpr double kLongProof = 1;  ///< seconds: such a proof is worth a line of the log

svp::Request withProofLog(svp::Request request) {
  request.onProof = [](const svp::ProofCost& cost) {
    if (cost.seconds < kLongProof) return;
    spdlog::info("an unpruned search follows: {:.3g} nodes are expected, in {:.3g} s", cost.nodes,
                 cost.seconds);
  };
  return request;
}

class SvpRun final : public EnumerationRun<svp::Enumeration> {
 public:
  SvpRun(svp::Request request, const RunConfig& config)
      : EnumerationRun(withProofLog(request), config),
        request_(std::move(request)),
        saves_(!config.engine.checkpointPath.empty()) {}

  [[nodiscard]] std::string leftBehind() const override {
    return saves_ ? "its basis was still being reduced and nothing was saved: run it again, for longer"
                  : EnumerationRun::leftBehind();
  }

  [[nodiscard]] Answers answers() const override {
    const Outcome& outcome = outcome_;
    Answers answers;
    answers.add("dimension", outcome.dimension, "lattice",
                fmt::format("dimension {}{}", outcome.dimension,
                            isGram() ? ", by its Gram matrix: the vector is a row of coefficients" : ""));
    if (isGram()) answers.record("input", "gram");
    answers.record("gh", std::sqrt(outcome.gaussianSquaredRadius));
    addTarget(answers);
    answers.record("found", outcome.found);
    answers.record("proven", outcome.proven);
    answers.line("answer", verdict());
    answers.add(
        "squared_norm", exactNumber(outcome.squaredNorm), "squared norm",
        fmt::format("{}, a length of {:.4f} Gaussian heuristics", outcome.squaredNorm, outcome.ghRatio));
    answers.record("gh_ratio", outcome.ghRatio);
    answers.add("vector", elementsOf(outcome.text), "vector", shortenedVector(outcome.text));
    answers.add("found_seconds", outcome.foundSeconds, "found after",
                fmt::format("{:.3f} s", outcome.foundSeconds));
    answers.add("trials", exactNumber(outcome.trials), "trials",
                outcome.trials == 0
                    ? std::string("none")
                    : fmt::format("{}, last BKZ tour with blocks of {}", outcome.trials, outcome.blockSize));
    answers.record("bkz_block_size", outcome.blockSize);
    const bool fixed = request_.rates == svp::RateSource::fixed;
    answers.record("rates", fixed ? "fixed" : "measured");
    if (fixed) answers.line("rates", "fixed: expected seconds are not those of this machine");
    answers.record("success_probability", outcome.successProbability);
    if (outcome.trials != 0)
      answers.line("probability", fmt::format("{:.4g} that trials had found a vector within the radius",
                                              outcome.successProbability));
    answers.record("inserted", exactNumber(outcome.inserted));
    answers.add("reduction_seconds", outcome.reductionSeconds, "time of threads",
                fmt::format("reduction {:.3f} s, pruner {:.3f} s, pruned trees {:.3f} s",
                            outcome.reductionSeconds, outcome.pruningSeconds, outcome.searchSeconds));
    answers.record("pruning_seconds", outcome.pruningSeconds);
    answers.record("search_seconds", outcome.searchSeconds);
    answers.add("nodes", exactNumber(outcome.nodes), "nodes", std::to_string(outcome.nodes));
    addProof(answers);
    answers.record("device_busy_share", outcome.deviceBusyShare);
    if (outcome.deviceBusyShare > 0)
      answers.line("device", fmt::format("searched in {:.1f} % of the time of the trials",
                                         outcome.deviceBusyShare * 100));
    return answers;
  }

 private:
  [[nodiscard]] bool isGram() const { return svp::matrixOf(request_).isGram(); }

  void addTarget(Answers& answers) const {
    if (outcome_.exact) {
      answers.add("target_squared_norm", nullptr, "target", "a shortest vector");
      return;
    }
    answers.add("target_squared_norm", outcome_.target.text(), "target",
                fmt::format("squared norm {}", outcome_.target.text()));
  }

  [[nodiscard]] std::string verdict() const {
    const Outcome& outcome = outcome_;
    if (!finished()) return outcome.found && !outcome.exact ? "within the target" : "not known yet";
    if (outcome.exact) {
      return outcome.proven ? "a shortest vector, proven"
                            : fmt::format("probably a shortest vector, not proven: {}", proofText());
    }
    if (outcome.found) return "within the target";
    return outcome.proven ? "no vector is within the target, proven"
                          : fmt::format("no vector was found within the target, not proven: {}", proofText());
  }

  [[nodiscard]] std::string proofText() const {
    return fmt::format("an unpruned search has {:.3g} nodes, {:.3g} s", outcome_.expectedProof.nodes,
                       outcome_.expectedProof.seconds);
  }

  void addProof(Answers& answers) const {
    const Outcome& outcome = outcome_;
    answers.record("expected_proof_nodes", outcome.expectedProof.nodes);
    answers.record("expected_proof_seconds", outcome.expectedProof.seconds);
    answers.record("proof_nodes", exactNumber(outcome.proofNodes));
    answers.record("proof_seconds", outcome.proofSeconds);
    if (outcome.proofNodes == 0) return;
    answers.line("unpruned search",
                 fmt::format("{} nodes in {:.3f} s; {:.3g} nodes were expected", outcome.proofNodes,
                             outcome.proofSeconds, outcome.expectedProof.nodes));
  }

  svp::Request request_;
  bool saves_;  ///< the user has asked for a checkpoint
};

std::vector<Parameter> parameters() {
  return {
      basisParameter(),
      gramParameter(),
      {.member = "target",
       .flag = "--target",
       .type = "exact|gh:F|norm2:N",
       .help =
           "a shortest vector, or any of at most F times the Gaussian heuristic, or of at most the squared "
           "norm N",
       .standard = "exact",
       .domain = domain::textLike(kSvpTargets, "^(exact|gh:[0-9.eE+-]+|norm2:[0-9.eE/+-]+)$"),
       .sweep = Sweep::axis,
       .completion = {"exact", "gh:1.05", "norm2:"}},
      {.member = "seed",
       .flag = "--seed",
       .given = Given::integer,
       .type = "S",
       .help = "the seed of the trials: it fixes how trial i rerandomises its starting basis",
       .standard = "0",
       .domain = domain::digits("an integer from 0 to 2^63-1", 0),
       .sweep = Sweep::axis},
      {.member = "bkz_block_size",
       .flag = "--bkz",
       .given = Given::integer,
       .type = "B",
       .help = "block size of the last BKZ tour of each trial",
       .standard = "by dimension",
       .domain = domain::integer("an integer from 2 to 100", 2, svp::kMaximumBlockSize),
       .sweep = Sweep::axis},
      {.member = "probability",
       .flag = "--probability",
       .given = Given::number,
       .type = "P",
       .help = "trials end when a vector within the radius would have been found with this probability",
       .standard = "0.99",
       .domain = domain::numberAbove("a number between 0 and 1, both excluded", 0),
       .sweep = Sweep::axis},
      {.member = "trial_probability",
       .flag = "--trial-probability",
       .given = Given::number,
       .type = "P",
       .help = "success probability of each trial",
       .standard = "what makes the whole fastest on this machine",
       .domain = domain::numberAbove("a number between 0 and 1, both excluded", 0),
       .sweep = Sweep::axis},
      {.member = "rates",
       .flag = "--rates",
       .help =
           "what prunings and the decision for a proof go by: rates measured in this run, or fixed ones, so "
           "that a run can be repeated",
       .standard = "measured",
       .domain = domain::words({"measured", "fixed"}),
       .sweep = Sweep::axis},
      {.member = "proof_limit",
       .flag = "--proof-limit",
       .given = Given::number,
       .type = "SECONDS",
       .help = "the answer is proven by an unpruned search if that is expected to take no longer than this",
       .standard = "60",
       .domain = domain::number("seconds, 0 or more", 0),
       .sweep = Sweep::axis},
  };
}

std::unique_ptr<WorkloadRun> prepare(const RunConfig& config, Strictness) {
  return std::make_unique<SvpRun>(parseSvpRequest(config), config);
}

void check(const RunConfig& config, Strictness) {
  const svp::Request request = parseSvpRequest(config);
  svp::checkRequest(request);
  (void)lattice::readMatrix(svp::matrixOf(request));
}

Json identity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}};
  for (const char* key : {"basis", "gram", "target", "seed", "bkz_block_size", "trial_probability", "rates"})
    if (document.contains(key)) identity[key] = document[key];
  return identity;
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::svp {

config::Front front() {
  return {.name = "svp",
          .title = "A shortest vector of a lattice, by many reduced bases and pruned searches.",
          .summary = "a shortest vector of a lattice, by rerandomised bases and pruned searches",
          .step = "A step is one node of a search tree.",
          .parameters = config::parameters(),
          .unused = {"trace"},
          .notes =
              "Every core rerandomises and reduces bases and searches them with pruning; a GPU searches what "
              "the\n"
              "cores reduce. An unpruned search proves the answer where that is feasible (--proof-limit).",
          .examples = {"--basis basis.txt", "--basis basis.txt --target gh:1.05 --time-limit 60",
                       "--gram \"[[2 1] [1 2]]\"",
                       "--basis basis.txt --target norm2:2500000 --seed 7 --mode hybrid",
                       "--basis basis.txt --proof-limit 3600 --checkpoint search.ckpt --resume auto"},
          .libraries = {{"fplll", "the command svp"}},
          .prepare = config::prepare,
          .check = config::check,
          .identity = config::identity,
          .countsEverything = [](const config::Json&) { return false; },
          .shards = {.refusal = "trials end at the first success, which no shard knows of the others"}};
}

}  // namespace slicepool::svp
