// How plans cut a three_in_line search, and how its records add up. Called by front.cpp.
#pragma once

#include "runtime/app/config/front.hpp"

namespace slicepool::config {

/// A frontier of boards, dealt round robin; a part is the record that `slicepool three-in-line --record`
/// writes.
[[nodiscard]] ShardRule threeInLineShards();
/// Records of shards that were run without a plan.
[[nodiscard]] RecordMerge threeInLineRecords();

}  // namespace slicepool::config
