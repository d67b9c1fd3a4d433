// A small plan and its parts, for the tests of this folder.
#pragma once

#include <fstream>
#include <string>

#include "runtime/cluster/part.hpp"
#include "runtime/cluster/plan.hpp"
#include "slicepool/build_info.hpp"
#include "support/temporary_folder.hpp"

namespace slicepool::test {

inline void writeText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Shard i has i + 1 results and one output, STEM-i.rows.
inline cluster::Plan smallPlan(std::uint64_t shards) {
  cluster::Plan plan;
  plan.program = build::kVersion;
  plan.workload = "queens";
  plan.stem = "plan";
  plan.identity = {{"workload", "queens"}, {"size", 8}};
  plan.rule = {{"kind", "columns"}};
  plan.config = {{"workload", "queens"}, {"size", 8}};
  for (std::uint64_t i = 0; i < shards; ++i)
    plan.shards.push_back({{{"column", i}}, std::to_string(i + 1), {"plan-" + std::to_string(i) + ".rows"}});
  return plan;
}

/// A plan in a folder of its own, and the parts of its shards.
struct PlanFolder {
  TemporaryFolder folder;
  std::string path = folder.path("plan.json");
  cluster::Plan plan;
  cluster::PlanFiles files{path, "plan"};

  explicit PlanFolder(std::uint64_t shards) : plan(smallPlan(shards)) { cluster::writePlan(path, plan); }

  /// Writes the output of a shard; what its record is then to say.
  [[nodiscard]] cluster::Part partOf(std::uint64_t shard) const {
    const std::string output = files.of(shard) + ".rows";
    writeText(output, "rows of shard " + std::to_string(shard) + "\n");
    cluster::Part part;
    part.plan = plan.hash;
    part.program = plan.program;
    part.shard = shard;
    part.shards = plan.shards.size();
    part.record = {{"status", "done"}, {"count", shard + 1}, {"seconds", 0.5}};
    part.outputs = {cluster::describeOutput(output)};
    return part;
  }
  void finish(std::uint64_t shard) const { cluster::writePart(files.record(shard), partOf(shard)); }
};

}  // namespace slicepool::test
