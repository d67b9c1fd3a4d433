// What a search of one of many lattices may do on its core. Used by one_lattice.hpp, one_target.hpp and
// core_walk.cpp.
#pragma once

#include <atomic>
#include <functional>

namespace slicepool::lattice {

/// Nodes of one core in about ten seconds.
inline constexpr double kNodesOfCore = 5e8;

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
