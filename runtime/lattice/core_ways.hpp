// What a search of one of many lattices may do on its core. Used by one_lattice.hpp, one_target.hpp,
// core_task.hpp and core_walk.cpp; rates also by group_plan.cpp.
#pragma once

#include <atomic>
#include <functional>

namespace slicepool::lattice {

/// Of a core of an H200's host, 16 of which are busy.
inline constexpr double kCoreNodesPerSecond = 5e7;
/// In about ten seconds.
inline constexpr double kNodesOfCore = 10 * kCoreNodesPerSecond;

/// Whether a search on its core is to end: since the run is stopped, or since the lattice is given to others.
class CoreStop {
 public:
  /// `leave` may be empty.
  CoreStop(const std::atomic<bool>& stop, const std::function<bool()>& leave) : stop_(stop), leave_(leave) {}
  [[nodiscard]] bool operator()() const {
    if (stop_.load(std::memory_order_relaxed)) return true;
    left_ = left_ || (leave_ && leave_());
    return left_;
  }
  [[nodiscard]] bool left() const { return left_; }

 private:
  const std::atomic<bool>& stop_;
  const std::function<bool()> leave_;
  mutable bool left_ = false;
};

/// Tests take other ones.
struct CoreWays {
  bool certified = true;               ///< in doubles
  bool exact = true;                   ///< by big integers; ConfigError where that is needed and not allowed
  double maximumNodes = kNodesOfCore;  ///< where more are expected a lattice is too large
};

}  // namespace slicepool::lattice
