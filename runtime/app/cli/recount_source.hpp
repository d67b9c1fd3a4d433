// What `slicepool recount` compares with: the finished shards of a plan, or a log of digests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/app/report/shard_results.hpp"
#include "runtime/cluster/plan.hpp"

namespace slicepool::cli {

struct RecountSource {
  std::string path;  ///< of the plan or the log
  cluster::Plan plan;
  std::vector<std::uint64_t> done;  ///< shards that have results, in order
  /// What was found in one of them, and where that is written. Reads its outputs. Throws ConfigError when
  /// they are not as its run wrote them.
  std::function<report::ShardResults(std::uint64_t shard)> expected;
  std::function<std::string(std::uint64_t shard)> record;
};

/// Throws ConfigError: no plan and no log, changed, of another version, a record that is damaged or foreign,
/// or no shard that is done.
[[nodiscard]] RecountSource openRecountSource(const std::string& path);

}  // namespace slicepool::cli
