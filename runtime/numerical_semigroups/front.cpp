// The numerical_semigroups workload for the command and the sweeps: its registration.
#include "runtime/app/config/front.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/numerical_semigroups/front_answers.hpp"
#include "runtime/numerical_semigroups/front_request.hpp"
#include "runtime/numerical_semigroups/front_shards.hpp"
#include "runtime/numerical_semigroups/request_check.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"

namespace slicepool::config {
namespace {

using numerical_semigroups::Enumeration;
using numerical_semigroups::Request;

class NumericalSemigroupsRun final : public EnumerationRun<Enumeration> {
 public:
  NumericalSemigroupsRun(const Request& request, const RunConfig& config)
      : EnumerationRun(request, config),
        request_(request),
        triangle_(config.document.value("triangle", false)) {}

  [[nodiscard]] Answers answers() const override {
    return genusAnswers(outcome_, request_, triangle_, finished());
  }

 private:
  Request request_;
  bool triangle_;
};

std::unique_ptr<WorkloadRun> prepareGenus(const RunConfig& config, Strictness) {
  return std::make_unique<NumericalSemigroupsRun>(parseGenusRequest(config), config);
}

void checkGenus(const RunConfig& config, Strictness) {
  checkRequest(parseGenusRequest(config), config.engine);
}

/// What a count depends on.
Json genusIdentity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}};
  for (const char* member : {"genus", "frobenius", "multiplicity", "where"})
    if (document.contains(member)) identity[member] = document[member];
  for (const char* member : {"exactly", "trim"})
    if (document.value(member, false)) identity[member] = true;
  return identity;
}

bool countsEveryOne(const Json& document) {
  const std::string sink = document.value("sink", std::string("count"));
  const bool sharded = document.contains("shards") && document["shards"] != Json(1);
  return !sharded && (sink == "count" || sink == "list");
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::numerical_semigroups {

config::Front front() {
  return {
      .name = "numerical_semigroups",
      .title =
          "All numerical semigroups of a genus, or of a Frobenius number: sets of nonnegative integers, "
          "closed "
          "under addition, with so many gaps.",
      .summary = "numerical semigroups by genus",
      .step =
          "A step is one visited semigroup. By multiplicity and second element, those of the last two genera "
          "are "
          "counted and not visited.",
      .parameters = config::genusParameters(),
      .outputs = "an object with the path of the semigroups",
      .notes =
          "One walk has every genus up to the bound. Counts, lists and steps are the same in every mode.",
      .examples = {"-g 30", "-g 24 --triangle --json", "-g 20 --by type", "-g 20 --by multiplicity,second",
                   "-g 100 --multiplicity 6", "--frobenius 30 --by genus", "-g 24 --sink \"all:wilf >= 0\"",
                   "-g 20 --where \"t = 1 and e = 3\" --output symmetric.npy", "-g 7 --output tree.svg",
                   "-g 50 --mode hybrid --checkpoint genus.ckpt --resume auto"},
      .firstExample = "-g 30",
      .prepare = config::prepareGenus,
      .check = config::checkGenus,
      .identity = config::genusIdentity,
      .countsEverything = config::countsEveryOne,
      .shards = config::genusShards()};
}

}  // namespace slicepool::numerical_semigroups
