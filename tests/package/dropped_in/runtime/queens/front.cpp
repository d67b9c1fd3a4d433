// A workload that is dropped in beside the built-in ones: n queens. With queens.hpp this is all of it on the
// CPU.
#include "runtime/app/config/counting_run.hpp"
#include "slicepool/queens/steps/queens.hpp"

namespace slicepool::queens {
namespace {

using namespace config;  // NOLINT: the table is written in its words

int sizeOf(const Json& document) {
  return static_cast<int>(requireUnsigned(document.at("size"), "size", 1, Queens::kMaximum));
}

Json identity(const Json& document) {
  return {{"workload", document.at("workload")}, {"size", document.at("size")}};
}

}  // namespace

config::Front front() {
  return {.name = "queens",
          .title = "All ways to place n queens on an n x n board so that none attacks another.",
          .summary = "n queens on an n x n board",
          .step = "A step tries one queen or leaves one row.",
          .parameters = {{.member = "size",
                          .flag = "-n,--size",
                          .given = Given::integer,
                          .type = "N",
                          .help = "side of the board",
                          .domain = domain::digits("an integer from 1 to 20", 1, Queens::kMaximum),
                          .required = true,
                          .sweep = Sweep::axis,
                          .label = [](const Json& value) { return "n=" + labelValue(value); }}},
          .examples = {"-n 8", "-n 16 --mode hybrid --checkpoint queens.ckpt --resume auto"},
          .prepare = [](const RunConfig& config, Strictness) -> std::unique_ptr<WorkloadRun> {
            const Queens::View view{sizeOf(config.document)};
            return std::make_unique<CountingRun<Queens>>(config, identity(config.document), view,
                                                         std::vector{Queens::root(view)});
          },
          .check = [](const RunConfig& config, Strictness) { (void)sizeOf(config.document); },
          .identity = identity,
          .countsEverything = [](const Json&) { return true; }};
}

}  // namespace slicepool::queens
