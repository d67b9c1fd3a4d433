// How plans cut a lattice enumeration with a fixed radius. Called by front.cpp.
#pragma once

#include "runtime/app/config/shard_rule.hpp"

namespace slicepool::config {

/// A frontier of slices of the tree, dealt round robin.
[[nodiscard]] ShardRule latticeShards();

}  // namespace slicepool::config
