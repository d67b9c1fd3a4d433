// What a search of one of many lattices may do on its core. Used by one_lattice.hpp, one_target.hpp and
// core_walk.cpp.
#pragma once

namespace slicepool::lattice {

/// Nodes of one core in about ten seconds.
inline constexpr double kNodesOfCore = 5e8;

/// Tests take other ones.
struct CoreWays {
  bool certified = true;               ///< in doubles
  bool exact = true;                   ///< by big integers; ConfigError where that is needed and not allowed
  double maximumNodes = kNodesOfCore;  ///< where more are expected a lattice is too large
};

}  // namespace slicepool::lattice
