// How far a plan is: the state of every shard, by the files beside the plan. Called by `slicepool status` and
// by `slicepool run PLAN --shard any`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cluster/part.hpp"
#include "runtime/cluster/plan.hpp"

namespace slicepool::cluster {

enum class ShardState : std::uint8_t {
  done,         ///< its record is there and of this plan
  running,      ///< a live process holds its lease
  interrupted,  ///< a checkpoint or a run without its record, and no process that works on it
  missing,      ///< not begun, or begun and lost
  damaged       ///< a record that cannot be used: `why` says what is wrong
};
inline constexpr std::size_t kShardStates = 5;
[[nodiscard]] const char* stateName(ShardState state);

struct ShardFacts {
  ShardState state = ShardState::missing;
  std::string why;     ///< who runs it, or what is wrong
  std::string count;   ///< of a shard that is done, as its record says; decimal, or empty
  double seconds = 0;  ///< likewise: of enumeration
};

/// One shard. Outputs are not read, only their sizes.
[[nodiscard]] ShardFacts lookAtShard(const Plan& plan, const PlanFiles& files, std::uint64_t shard);

struct Survey {
  std::vector<ShardFacts> shards;
  std::array<std::uint64_t, kShardStates> numbers{};  ///< by ShardState
  [[nodiscard]] std::vector<std::uint64_t> in(ShardState state) const;
};
[[nodiscard]] Survey surveyPlan(const Plan& plan, const PlanFiles& files);

}  // namespace slicepool::cluster
