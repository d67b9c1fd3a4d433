// See checkpoint_interval.hpp.
#include "runtime/core/checkpoint_interval.hpp"

#include <fmt/format.h>

#include <utility>

namespace slicepool {

std::string CheckpointPace::learn(const CheckpointCost& cost) {
  const double affordable = affordableInterval(interval_, cost);
  if (interval_ <= 0 || affordable <= interval_) return {};
  const double before = std::exchange(interval_, affordable);
  if (std::exchange(told_, true)) return {};
  return fmt::format(
      "a checkpoint takes {:.2g} s to write and stops the search for {:.2g} s: the interval between two is "
      "lengthened from {:.3g} s to {:.3g} s",
      cost.write, cost.stall, before, affordable);
}

}  // namespace slicepool
