// The factorizations workload for the command and the sweeps: JSON parameters to a Request, an Outcome to a
// record and to readable lines.
#include "runtime/app/config/front.hpp"

#include <algorithm>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/factorizations/front_access.hpp"
#include "runtime/factorizations/front_answers.hpp"
#include "runtime/factorizations/front_parameters.hpp"
#include "runtime/factorizations/front_rank_values.hpp"
#include "runtime/factorizations/front_request.hpp"
#include "runtime/factorizations/front_shards.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::config {
namespace {

using factorizations::Enumeration;
using factorizations::Request;

class FactorizationsRun final : public EnumerationRun<Enumeration> {
 public:
  FactorizationsRun(const Request& request, const RunConfig& config)
      : EnumerationRun(request, config),
        sink_(request.sink),
        sinkText_(config.document.value("sink", std::string("count"))),
        columns_(static_cast<unsigned>(request.generators.size())),
        keepsRows_(request.output.path.empty() && (request.sink.kind == factorizations::SinkKind::rows ||
                                                   request.sink.kind == factorizations::SinkKind::first)) {}

  [[nodiscard]] Answers answers() const override {
    return factorizationsAnswers(outcome_, sink_, sinkText_, finished());
  }
  [[nodiscard]] bool keepsRows() const noexcept override { return keepsRows_; }
  [[nodiscard]] RowsInMemory rows() const override {
    const auto& matrix = outcome_.rows;
    return {matrix.data(), matrix.rows(), columns_, std::max(matrix.elementBytes(), 1U)};
  }

 private:
  factorizations::SinkSpec sink_;
  std::string sinkText_;
  unsigned columns_;
  bool keepsRows_;
};

bool stopsEarly(const Json& document) {
  const std::string sink = document.value("sink", std::string("count"));
  return sink.rfind("first:", 0) == 0 || sink.rfind("any:", 0) == 0 || sink.rfind("all:", 0) == 0;
}

std::unique_ptr<WorkloadRun> prepare(const RunConfig& config, Strictness strictness) {
  if (asksForAccess(config.document)) return prepareAccess(config);
  return std::make_unique<FactorizationsRun>(parseFactorizationsRequest(config, strictness), config);
}

void check(const RunConfig& config, Strictness strictness) {
  if (!asksForAccess(config.document))
    factorizations::checkRequest(parseFactorizationsRequest(config, strictness), config.engine);
}

Json identity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}};
  identity["generators"] = document.at("generators");
  identity["element"] = document.at("element");
  if (document.contains("rank_range"))
    identity["rank_range"] = rankRangeRecord(parseRankRange(document["rank_range"]));
  return identity;
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::factorizations {

config::Front front() {
  return {.name = "factorizations",
          .title = "All nonnegative integer vectors a with sum a_i g_i = n: count, list, describe.",
          .summary = "all nonnegative integer vectors a with sum a_i g_i = n",
          .step = "A step is one candidate or one row, depending on the algorithm.",
          .parameters = frontParameters(),
          .outputs = "an object with path, header, element_type and how to write",
          .checkpointDefault = "with a streamed output: OUTPUT.checkpoint",
          .examples = {"--generators 13,37,38,40 --element 20000",
                       "--generators 6,9,20 --element 120 --sink rows --output -",
                       "--generators 13,37,38,40 --element 5000 --sink lengths --json",
                       "--generators 6,9,20 --element 300 --sink \"any:a1 + a2 = 7\"",
                       R"(--generators 13,37,38,40 --element 20000 --rank-range 1000000:1000100
      --sink rows --output -)",
                       "--generators 13,37,38,40 --element 20000 --sample 10 --seed 7",
                       "--generators 6,9,20 --element 60 --rank-of 4,4,0",
                       R"(--generators 13,37,38,40,41,42,43,44 --element 3600 --algorithm candidate
      --mode hybrid --checkpoint big.ckpt --time-limit 3600)"},
          .firstExample = "--generators 13,37,38,40 --element 20000",
          .libraries = {{"zstd", ".npy.zst"}},
          .times = {{"table_seconds", "table", "table fill", "how the table was filled"}},
          .shortcut = {"counted_by_table", "by table"},
          .prepare = config::prepare,
          .check = config::check,
          .identity = config::identity,
          .countsEverything = [](const config::Json& document) { return !config::stopsEarly(document); },
          .shards = config::factorizationsShards()};
}

}  // namespace slicepool::factorizations
