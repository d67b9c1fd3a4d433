// See survey.hpp.
#include "runtime/cluster/survey.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "runtime/cluster/lease.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/exact_json.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cluster {
namespace {

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// What is wrong with the files of a part, by their sizes; empty: nothing.
std::string missingOutput(const std::string& folder, const Part& part) {
  for (const auto& output : part.outputs) {
    const std::string path = (std::filesystem::path(folder) / output.name).string();
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    if (error) return path + " is missing";
    if (bytes != output.bytes) return fmt::format("{} has {} bytes, not {}", path, bytes, output.bytes);
  }
  return {};
}

ShardFacts factsOfRecord(const Plan& plan, const std::string& path, std::uint64_t shard) {
  ShardFacts facts;
  facts.state = ShardState::damaged;
  try {
    const Part part = readPart(path);
    facts.why = foreignReason(plan, part);
    if (facts.why.empty() && part.shard != shard) facts.why = fmt::format("it is of shard {}", part.shard);
    if (facts.why.empty()) facts.why = missingOutput(folderOf(path), part);
    if (!facts.why.empty()) return facts;
    facts.state = ShardState::done;
    if (part.record.contains("count")) facts.count = decimalText(part.record["count"]);
    facts.seconds = secondsInAll(part.record);
  } catch (const Error& error) {
    facts.why = error.what();
  }
  return facts;
}

}  // namespace

const char* stateName(ShardState state) {
  constexpr std::array<const char*, kShardStates> kNames = {"done", "running", "interrupted", "missing",
                                                            "damaged"};
  return kNames.at(static_cast<std::size_t>(state));
}

ShardFacts lookAtShard(const Plan& plan, const PlanFiles& files, std::uint64_t shard) {
  if (exists(files.record(shard))) return factsOfRecord(plan, files.record(shard), shard);
  const LeaseView lease = lookAtLease(files.lease(shard));
  ShardFacts facts;
  if (lease.state == LeaseState::held) {
    facts.state = ShardState::running;
    facts.why = lease.holder;
    return facts;
  }
  if (exists(files.checkpoint(shard)) || exists(files.ended(shard))) facts.state = ShardState::interrupted;
  if (lease.state == LeaseState::stale) facts.why = lease.holder + ", " + lease.why;
  return facts;
}

std::vector<std::uint64_t> Survey::in(ShardState state) const {
  std::vector<std::uint64_t> found;
  for (std::uint64_t shard = 0; shard < shards.size(); ++shard)
    if (shards[shard].state == state) found.push_back(shard);
  return found;
}

Survey surveyPlan(const Plan& plan, const PlanFiles& files) {
  Survey survey;
  for (std::uint64_t shard = 0; shard < plan.shards.size(); ++shard) {
    survey.shards.push_back(lookAtShard(plan, files, shard));
    ++survey.numbers.at(static_cast<std::size_t>(survey.shards.back().state));
  }
  return survey;
}

}  // namespace slicepool::cluster
