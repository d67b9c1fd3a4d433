// How plans cut a search of the tree of numerical semigroups. Called by front.cpp.
#pragma once

#include "runtime/app/config/front.hpp"

namespace slicepool::config {

/// A frontier of slices, dealt round robin.
[[nodiscard]] ShardRule genusShards();

}  // namespace slicepool::config
