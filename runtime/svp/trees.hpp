// Searches of reduced bases with pruning, within the radius of the moment: what the trials of a search for a
// shortest vector ask for. A core searches one tree by itself; an engine takes several, for a device. Called
// by trials.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/svp/best_vector.hpp"
#include "runtime/svp/trial_reduction.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"

namespace slicepool::svp {

struct Tree {
  std::uint64_t trial = 0;
  std::unique_ptr<ReducedBasis> basis;
  Profile profile;
  lattice::Integer radius;  ///< R^2 that the profile was made for
};

/// What a search of a tree did.
struct TreeResult {
  std::uint64_t nodes = 0;
  double seconds = 0;
  bool complete = false;  ///< false: it was stopped
};

/// Searches the whole tree on the calling thread. Vectors go to `best`, each made and measured exactly, and
/// the radius of the search follows that of `best`. Returns early when `stop` says so.
[[nodiscard]] TreeResult searchTree(const Tree& tree, BestVector& best, const std::function<bool()>& stop);

/// A device that searches trees: `best` and `stop` as above. One caller at a time.
class TreeSearch {
 public:
  virtual ~TreeSearch() = default;
  /// Throws DeviceError when the device cannot be used, or not any longer.
  [[nodiscard]] virtual TreeResult search(const Tree& tree, BestVector& best,
                                          const std::function<bool()>& stop) = 0;
  /// Moments of its report count from here. Before the first search.
  virtual void beginAt(std::chrono::steady_clock::time_point moment) = 0;
  /// What it did in the `seconds` since then.
  [[nodiscard]] virtual RunReport report(double seconds) const = 0;
};

/// One for each device of these options, which each take a tree at a time, by an engine of its own: two
/// devices are done with two trees sooner than with one after the other, since no tree is divided.
[[nodiscard]] std::vector<std::unique_ptr<TreeSearch>> makeTreeSearches(const EngineOptions& options);

}  // namespace slicepool::svp
