// The workload reduce for the command and the sweeps: its parameters and its run.
#include "runtime/app/config/front.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/lattice/front_matrix.hpp"
#include "runtime/reduce/front_answers.hpp"
#include "runtime/reduce/front_request.hpp"
#include "runtime/reduce/request_check.hpp"

namespace slicepool::config {
namespace {

class ReduceRun final : public EnumerationRun<reduce::Reduction> {
 public:
  ReduceRun(const reduce::Request& request, const RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}
  [[nodiscard]] Answers answers() const override { return reduceAnswers(outcome_, request_, finished()); }

 private:
  reduce::Request request_;
};

std::vector<Parameter> reduceParameters() {
  return {
      basisParameter(reduce::kMaximumRows),
      gramParameter(),
      {.member = "bkz_block_size",
       .flag = "--bkz",
       .given = Given::integer,
       .type = "B",
       .help = "block size of the tours; smaller blocks, 20, 30, .., have a tour each before",
       .standard = "LLL alone",
       .domain = domain::integer("an integer from 2 to 100", 2, reduce::kMaximumBlockSize),
       .sweep = Sweep::axis},
      {.member = "tours",
       .flag = "--tours",
       .given = Given::integer,
       .type = "N",
       .help = "tours with blocks of B, at most: one that changes nothing is the last",
       .standard = "8",
       .domain = domain::integer("an integer from 1 to 1000000", 1, reduce::kMaximumTours),
       .sweep = Sweep::axis},
      {.member = "trials",
       .flag = "--trials",
       .given = Given::integer,
       .type = "N",
       .help = "trials of each block of more than 32 rows: it is reduced and searched with pruning so often",
       .standard = "by block size, for a success probability of a half",
       .domain = domain::integer("an integer from 1 to 10000", 1, reduce::kMaximumTrials),
       .sweep = Sweep::axis},
      {.member = "seed",
       .flag = "--seed",
       .given = Given::integer,
       .type = "S",
       .help = "of the trials, which rerandomise their blocks",
       .standard = "0",
       .domain = domain::digits("an integer from 0 to 2^63-1", 0),
       .sweep = Sweep::axis},
      {.member = "output.path",
       .flag = "--output",
       .type = "FILE",
       .help = "the reduced basis to FILE, as fplll writes it, or - for standard output; of a Gram matrix "
               "the reduced one",
       .group = kFilesGroup,
       .domain = domain::text("a file name, or - for standard output")},
      {.member = "output.transformation",
       .flag = "--transformation",
       .type = "FILE",
       .help = "of a Gram matrix G: T to FILE, for the reduced matrix T G T^t, or - for standard output; its "
               "rows are the coefficients of the reduced basis",
       .group = kFilesGroup,
       .domain = domain::text("a file name, or - for standard output")},
  };
}

std::unique_ptr<WorkloadRun> prepareReduce(const RunConfig& config, Strictness) {
  return std::make_unique<ReduceRun>(parseReduceRequest(config), config);
}

void checkReduce(const RunConfig& config, Strictness) {
  const reduce::Request request = parseReduceRequest(config);
  reduce::checkRequest(request);
  (void)lattice::readMatrix(reduce::matrixOf(request), reduce::kMaximumRows);
}

Json reduceIdentity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}};
  for (const char* key : {"basis", "gram", "bkz_block_size", "tours", "trials", "seed"})
    if (document.contains(key)) identity[key] = document[key];
  return identity;
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::reduce {

config::Front front() {
  return {.name = "reduce",
          .title = "Block reduction (BKZ) of a lattice basis on all cores and a GPU.",
          .summary = "a lattice basis by shorter rows: LLL and BKZ",
          .step = "A step is one node of a search tree.",
          .parameters = config::reduceParameters(),
          .outputs = "an object with the path of the reduced basis",
          .unused = {"trace"},
          .notes =
              "Blocks without a common row are reduced and searched side by side, and so are the trials of a "
              "block.\n"
              "A run that is stopped writes the basis as far as it is reduced.",
          .examples = {"--basis basis.txt --bkz 40 --output reduced.txt", "--basis basis.txt --output -",
                       "--gram gram.txt --output reduced.txt --transformation t.txt",
                       "--basis basis.txt --bkz 60 --tours 8 --mode hybrid --output reduced.txt",
                       "--basis basis.txt --bkz 80 --checkpoint tours.ckpt --resume auto --time-limit 3600"},
          .libraries = {{"fplll", "the command reduce"}},
          .prepare = config::prepareReduce,
          .check = config::checkReduce,
          .identity = config::reduceIdentity,
          .countsEverything = [](const config::Json&) { return false; },
          .shards = {.refusal = "each step needs the basis that the one before has made"}};
}

}  // namespace slicepool::reduce
