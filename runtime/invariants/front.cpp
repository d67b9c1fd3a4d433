// The invariants of a numerical semigroup and of its elements for the command and the sweeps.
#include "runtime/app/config/front.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/invariants/front_answers.hpp"
#include "runtime/invariants/front_request.hpp"

namespace slicepool::config {
namespace {

class InvariantsRun final : public EnumerationRun<invariants::Enumeration> {
 public:
  InvariantsRun(const invariants::Request& request, const RunConfig& config)
      : EnumerationRun(request, config), request_(request), listed_(config.document.contains("elements")) {}

  [[nodiscard]] Answers answers() const override {
    return invariantsAnswers(outcome_, request_, listed_, finished());
  }
  [[nodiscard]] std::string leftBehind() const override {
    return "the figures are partial, and there are no checkpoints of such runs";
  }

 private:
  invariants::Request request_;
  bool listed_;
};

std::vector<Parameter> invariantsParameters() {
  const std::string range = "an integer N, or A..B with 0 <= A <= B <= 2^63-1";
  const std::string names = "all, or names of invariants joined by commas";
  return {
      {.member = "generators",
       .flag = "--generators",
       .given = Given::integerList,
       .type = "G1,G2,..",
       .help = "generators of the semigroup; their greatest common divisor is 1",
       .domain = domain::list("a list of 1 to 10^6 integers from 1 to 2^63-1",
                              domain::digits("an integer from 1 to 2^63-1", 1), 1, 1'000'000),
       .sweep = Sweep::axis,
       .label = [](const Json& value) { return "<" + labelValue(value) + ">"; }},
      {.member = "element",
       .flag = "--element",
       .given = Given::integer,
       .type = "N|A..B",
       .help = "invariants of this element, or of all elements from A to B, and not of the semigroup",
       .domain = domain::oneOf(range, {domain::integer(range, 0), domain::textLike(range, "^[0-9.]+$")}),
       .sweep = Sweep::axis,
       .label = [](const Json& value) { return "n=" + labelValue(value); }},
      {.member = "elements",
       .flag = "--elements",
       .type = "FILE",
       .help = "invariants of the elements in this file: integers N, or A..B, between blanks or on lines",
       .domain = domain::oneOf("a list of integers from 0 to 2^63-1, or the name of a file of them",
                               {domain::list("", domain::digits("an integer from 0 to 2^63-1", 0)),
                                domain::text("the name of a file")})},
      {.member = "factorizations",
       .help = "instead of generators: the degrees and R-classes of this set of factorizations",
       .domain = domain::list("a list of distinct vectors of one dimension, of integers from 0 to 2^31-1",
                              domain::list("a vector of integers",
                                           domain::integer("an integer from 0 to 2^31-1", 0, 0x7fffffff)),
                              1, 10'000'000)},
      {.member = "invariants",
       .flag = "--invariant",
       .type = "NAME,..",
       .help = "which: names as in records, or all",
       .standard = "of a semigroup all; of elements those that need no list of their factorizations",
       .domain = domain::oneOf(names, {domain::textLike(names, "^[a-z_, -]+$"),
                                       domain::list("a list of names", domain::text("a name"))}),
       .sweep = Sweep::axis,
       .axisDomain = domain::textLike(names, "^[a-z_, -]+$")},
      {.member = "witness",
       .flag = "--witness",
       .given = Given::setTrue,
       .help = "values that have a witness as {value, witness}",
       .domain = domain::trueOrFalse()},
      {.member = "as_given",
       .flag = "--as-given",
       .given = Given::setTrue,
       .help = "factorizations over the generators as they are given, of any divisor, and not over the "
               "minimal ones",
       .domain = domain::trueOrFalse()},
  };
}

std::unique_ptr<WorkloadRun> prepareInvariants(const RunConfig& config, Strictness) {
  return std::make_unique<InvariantsRun>(parseInvariantsRequest(config), config);
}

void checkInvariants(const RunConfig& config, Strictness) { (void)parseInvariantsRequest(config); }

Json invariantsIdentity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}};
  for (const char* key : {"generators", "factorizations", "element", "elements", "as_given"})
    if (document.contains(key)) identity[key] = document[key];
  return identity;
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::invariants {

config::Front front() {
  return {.name = "invariants",
          .command = "numerical-semigroup",
          .title =
              "Invariants of a numerical semigroup and of its elements: Frobenius number, Betti elements, "
              "catenary degrees, ..",
          .summary = "invariants of a numerical semigroup and its elements",
          .step = "A step is one factorization against 2048 others; what recurrences give takes none.",
          .parameters = config::invariantsParameters(),
          .unused = {"trace"},
          .notes = "docs/invariants.md defines the invariants. Values are the same in every mode.",
          .examples = {"--generators 6,9,20",
                       "--generators 13,37,38,40 --element 5000 --invariant catenary_degree,tame_degree",
                       "--generators 13,37,38,40 --element 1000..2000 --invariant delta_set --json",
                       "--generators 6,9,20 --element 60 --invariant all --witness --json"},
          .firstExample = "--generators 6,9,20",
          .prepare = config::prepareInvariants,
          .check = config::checkInvariants,
          .identity = config::invariantsIdentity,
          .countsEverything = [](const config::Json&) { return true; },
          .shards = {.refusal = "invariants have no rule for shards: their runs are short"}};
}

}  // namespace slicepool::invariants
