// How plans cut the search for integer points, and how what the shards found becomes what one run would have
// found. Called by front.cpp.
#pragma once

#include "runtime/app/config/shard_rule.hpp"

namespace slicepool::config {

[[nodiscard]] ShardRule pointShards();

}  // namespace slicepool::config
