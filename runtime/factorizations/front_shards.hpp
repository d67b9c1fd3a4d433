// How plans cut the factorizations of an element: by ranks. Called by front.cpp.
#pragma once

#include "runtime/app/config/shard_rule.hpp"

namespace slicepool::config {

/// A range of ranks for each shard; rows are cut where files of the output begin.
[[nodiscard]] ShardRule factorizationsShards();

}  // namespace slicepool::config
