// What plans and logs of digests have in common: a sealed JSON document with the search and how it was cut,
// and a line for each shard. Called by plan.cpp and runtime/app/report/digest_log.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/cluster/plan.hpp"

namespace slicepool::cluster {

struct ShardDocument {
  const char* format;
  std::uint64_t version;
};

/// The text of the document. `lineOf`: what it says of a shard. O(shards).
[[nodiscard]] std::string shardDocumentText(const ShardDocument& kind, const Plan& plan,
                                            const std::function<Json(std::uint64_t shard)>& lineOf);

/// The plan of a document, with the shards that `addShard` makes of their lines, in order. Throws Error when
/// the text was changed, is of another kind, or says what it must not.
[[nodiscard]] Plan planOfShardDocument(
    const ShardDocument& kind, const std::string& text,
    const std::function<PlannedShard(const Json& line, std::uint64_t shard)>& addShard);

}  // namespace slicepool::cluster
