// The lattice workload for the command and the sweeps: its parameters, and an Outcome as a record and as
// readable lines.
#include "runtime/app/config/front.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/lattice/exact_ratio.hpp"
#include "runtime/lattice/front_answers.hpp"
#include "runtime/lattice/front_many.hpp"
#include "runtime/lattice/front_matrix.hpp"
#include "runtime/lattice/front_request.hpp"
#include "runtime/lattice/front_shards.hpp"
#include "runtime/lattice/request_check.hpp"
#include "runtime/lattice/target_input.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::config {
namespace {

using lattice::Enumeration;
using lattice::Request;

class LatticeRun final : public EnumerationRun<Enumeration> {
 public:
  LatticeRun(const Request& request, const RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}

  [[nodiscard]] Answers answers() const override { return latticeAnswers(outcome_, request_, finished()); }

 private:
  Request request_;
};

/// Whether count, nodes and fingerprint are those of all vectors within the radius.
bool coversEverything(const Json& document) {
  const bool fixed = document.value("fixed_radius", false) || document.value("theta", false) ||
                     document.value("both_signs", false) || document.contains("shell") ||
                     document.contains("minimum_squared_norm") ||
                     (document.contains("solutions") && document["solutions"] != Json(1));
  if (asksForMany(document)) return false;
  const bool sharded = document.contains("shards") && document["shards"] != Json(1);
  return fixed && !document.contains("first") && !document.contains("accept") && !sharded;
}

Json squaredRadius() {
  Json number = domain::numberAbove("", 0);
  Json digits = domain::textLike("", "^([0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?|[0-9]+/[0-9]+)$");
  for (Json* node : {&number, &digits}) node->erase("description");
  return domain::oneOf(
      std::string(lattice::kAcceptedRadius) + "; exact, also as a string, a fraction only as one",
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
      basisParameter(),
      gramParameter(),
      {.member = "batch",
       .flag = "--batch",
       .type = "FILE",
       .help =
           "many lattices, JSON Lines with a basis or gram each, - for standard input: the shortest vector "
           "of each, or with a radius how many are within; of lines with a target the closest; targets "
           "without a basis are those of --basis or --gram; one line of --output for each",
       .domain = domain::text(
           "the name of a file of JSON Lines, a lattice or a target a line, or - for standard input"),
       .namesFile = true},
      {.member = "target",
       .flag = "--target",
       .type = "FILE",
       .help = "vectors close to the one in this file, or to the one given itself, [1/2 -0.25 3]: integers, "
               "decimals or fractions, as many as the basis has columns; norms become distances",
       .domain = domain::text("the name of a file with a vector, or the vector itself, such as "
                              "\"[1/2 -0.25 3]\""),
       .sweep = Sweep::axis,
       .label = matrixLabel,
       .namesFile = true},
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
       .help = "vectors of at most this squared norm; exact, an integer, a decimal or a fraction",
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
      {.member = "shell",
       .flag = "--shell",
       .given = Given::number,
       .type = "N",
       .help = "the vectors of exactly this squared norm: a radius and a minimum of N",
       .domain = squaredRadius(),
       .sweep = Sweep::axis},
      {.member = "minimum_squared_norm",
       .flag = "--minimum-squared-norm",
       .given = Given::number,
       .type = "M",
       .help = "vectors of a smaller squared norm are left out; exact; fixes the radius",
       .domain = squaredRadius(),
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
       .sweep = Sweep::axis,
       .namesFile = true},
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
      {.member = "both_signs",
       .flag = "--both-signs",
       .given = Given::setTrue,
       .help = "count, keep and write v and -v, not one of each pair; fixes the radius",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
      {.member = "theta",
       .flag = "--theta",
       .given = Given::setTrue,
       .help =
           "the theta series up to the radius: the number of vectors of each squared norm, v and -v apart, "
           "and the kissing number; fixes the radius",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
      {.member = "first",
       .flag = "--first",
       .given = Given::integer,
       .type = "K",
       .help = "stop when K vectors within the radius are known, of a batch for each lattice or target; "
               "which ones may differ from run to run",
       .domain = domain::digits("solutions to stop at: an integer from 1 to 2^63-1", 1),
       .sweep = Sweep::axis},
      {.member = "accept",
       .flag = "--accept",
       .type = "LIB.so",
       .help =
           "a test of the vectors within the radius, of which solutions are those that it accepts: a shared "
           "library with the functions of slicepool/accept.h; it has the index of the lattice or target of a "
           "batch",
       .domain = domain::text("the name of a shared library with the functions of slicepool/accept.h"),
       .namesFile = true},
      {.member = "algorithm",
       .flag = "--algorithm",
       .help = "how GPUs search the tree; the nodes are the same",
       .standard = "auto: the fastest",
       .domain = domain::words({"auto", "compacted"}),
       .sweep = Sweep::axis},
      shardsParameter(
          "cut a search with a fixed radius into S parts and run one; slicepool plan does that for all",
          lattice::kMaximumShards),
      shardParameter(lattice::kMaximumShards),
      {.member = "output.path",
       .flag = "--output",
       .type = "FILE",
       .help = "vectors to FILE.npy or FILE.txt, or - for text on standard output; of a batch JSON Lines",
       .group = kFilesGroup,
       .domain = domain::text("a file name that ends in .npy or .txt, or - for text on standard output; of a "
                              "batch any name")},
  };
}

std::unique_ptr<WorkloadRun> prepare(const RunConfig& config, Strictness) {
  if (asksForMany(config.document)) return prepareMany(config);
  return std::make_unique<LatticeRun>(parseLatticeRequest(config), config);
}

void check(const RunConfig& config, Strictness) {
  const lattice::Request request = parseLatticeRequest(config);
  const bool many = asksForMany(config.document);
  if (many)
    (void)parseManyRequest(config);
  else
    lattice::checkRequest(request, config.engine);
  if (hasTarget(request))
    (void)(request.target.empty() ? lattice::readTarget(request.targetPath)
                                  : lattice::parseTarget(request.target, "target"));
  if (!many || isGram(request) || !request.basis.empty() || !request.basisPath.empty())
    (void)lattice::readMatrix(lattice::matrixOf(request));
}

Json identity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}};
  for (const char* key : {"basis", "gram", "batch", "target", "reduction", "squared_radius", "gh_factor",
                          "pruning", "shell", "minimum_squared_norm", "both_signs", "accept"})
    if (document.contains(key)) identity[key] = document[key];
  return identity;
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::lattice {

config::Front front() {
  return {
      .name = "lattice",
      .title = "Shortest, short and close vectors of a lattice: find, count, list.",
      .summary = "shortest and short vectors of a lattice",
      .step = "A step is one node of the search tree.",
      .parameters = config::parameters(),
      .outputs = "an object with the path of the vectors",
      .notes =
          "Norms are exact. With a fixed radius the vectors and the nodes of each level are the same in "
          "every "
          "mode.",
      .examples = {"--basis basis.txt", "--basis basis.txt --gh-factor 1.1 --fixed-radius",
                   "--basis leech.txt --squared-radius 32 --theta",
                   "--gram e8.gram --shell 4 --both-signs --solutions all --output shell.npy",
                   "--basis leech.txt --squared-radius 48 --solutions all --output vectors.npy",
                   "--basis basis.txt --target target.txt",
                   "--basis basis.txt --batch targets.jsonl --output closest.jsonl",
                   "--basis basis.txt --target target.txt --squared-radius 900 --accept ./key.so --first 1",
                   "--batch lattices.jsonl --output vectors.jsonl",
                   "--basis basis.txt --squared-radius 12000 --first 1 --pruning fplll:0.3",
                   "--basis basis.txt --reduce bkz-30 --checkpoint search.ckpt --resume auto"},
      .libraries = {{"fplll", "reduction of lattices, --pruning fplll:P, libslicepool_fplll.so"}},
      .prepare = config::prepare,
      .check = config::check,
      .identity = config::identity,
      .countsEverything = config::coversEverything,
      .shards = config::latticeShards()};
}

}  // namespace slicepool::lattice
