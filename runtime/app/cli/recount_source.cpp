// See recount_source.hpp.
#include "runtime/app/cli/recount_source.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/digest_log.hpp"
#include "runtime/cluster/part.hpp"
#include "runtime/cluster/survey.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using cluster::Plan;
using cluster::PlanFiles;
using cluster::ShardState;

/// A recount of the others would say nothing about a record that is damaged: it is mended first.
void requireWhole(const PlanFiles& files, const cluster::Survey& survey) {
  const auto damaged = survey.in(ShardState::damaged);
  if (damaged.empty()) return;
  throw ConfigError(
      files.record(damaged.front()),
      fmt::format("a record that cannot be used: {}{}", survey.shards[damaged.front()].why,
                  damaged.size() == 1 ? "" : "; damaged: shards " + numberList(damaged)),
      "records and outputs as their runs wrote them: remove the record of a damaged shard, and run it again");
}

report::ShardResults resultsInFiles(const Plan& plan, const PlanFiles& files, std::uint64_t shard) {
  const std::string path = files.record(shard);
  const cluster::FoundPart found{cluster::readPart(path), path};
  for (const auto& output : found.part.outputs) {
    const std::string problem = cluster::problemOfOutput(folderOf(path), output);
    if (!problem.empty()) {
      throw ConfigError(path, "a record of outputs that have changed: " + problem,
                        "the record of outputs that are whole: remove it, and run the shard again");
    }
  }
  return report::resultsOf(config::requireWorkload(plan.config).shards, found.part.record,
                           found.outputPaths());
}

RecountSource sourceOfLog(const std::string& path) {
  const auto log = std::make_shared<report::DigestLog>(report::readDigestLog(path));
  RecountSource source;
  source.path = path;
  source.plan = log->plan;
  cluster::requireProgram(source.plan, path);
  for (std::uint64_t shard = 0; shard < log->shards.size(); ++shard) source.done.push_back(shard);
  source.record = [path](std::uint64_t) { return path; };
  source.expected = [log](std::uint64_t shard) { return log->shards[shard]; };
  return source;
}

}  // namespace

RecountSource openRecountSource(const std::string& path) {
  if (report::looksLikeDigestLog(path)) return sourceOfLog(path);
  RecountSource source;
  source.path = path;
  source.plan = cluster::readPlan(path);
  cluster::requireProgram(source.plan, path);
  const PlanFiles files(path, source.plan.stem);
  const cluster::Survey survey = cluster::surveyPlan(source.plan, files);
  requireWhole(files, survey);
  source.done = survey.in(ShardState::done);
  if (source.done.empty()) {
    throw ConfigError(path, "a plan of which no shard is done",
                      "one with a finished shard: slicepool run " + path + " --shard I");
  }
  source.record = [files](std::uint64_t shard) { return files.record(shard); };
  source.expected = [files, plan = source.plan](std::uint64_t shard) {
    return resultsInFiles(plan, files, shard);
  };
  return source;
}

}  // namespace slicepool::cli
