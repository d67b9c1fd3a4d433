// One enumeration for fplll: a problem whose radius is what fplll's evaluator says after each solution.
// Called by plugin.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "plugins/fplll/settings.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::fplll_plugin {

/// Takes squared norm and coefficients of a solution, returns the new squared radius; 0: enough.
using ProcessSolution = std::function<double(double, double*)>;

/// Hands solutions to fplll, one at a time, and remembers the radius that comes back. Not thread-safe, as
/// fplll's evaluators are not.
class SolutionGate {
 public:
  SolutionGate(int dimension, double squaredRadius, const ProcessSolution& process);

  /// A buffered ShortVector. Those beyond the radius of the moment are dropped: they were found before it
  /// shrank.
  void deliver(const std::byte* result);
  /// fplll wants no more, or its evaluator threw.
  [[nodiscard]] bool closed() const { return closed_; }
  /// Of the moment; 0 once it is closed.
  [[nodiscard]] double squaredRadius() const { return closed_ ? 0 : squaredRadius_; }
  /// Of that double, for the shared word.
  [[nodiscard]] std::uint64_t boundBits() const;
  /// What the evaluator threw.
  void rethrow() const;

 private:
  const ProcessSolution& process_;
  double squaredRadius_;
  std::vector<double> coefficients_;
  bool closed_ = false;
  std::exception_ptr error_;
};

/// Searches the whole tree on the calling thread; the radius follows every solution at once. Returns accepted
/// nodes of each level. `spec`: collecting, shrinking, finds do not lower the radius.
[[nodiscard]] std::vector<std::uint64_t> searchAlone(const lattice::ProblemSpec& spec, SolutionGate& gate);

/// The same by a pool of workers; the radius follows within a budget. Pools share the session of the process.
/// Throws what an engine throws, and after an interrupt (interrupts.hpp).
[[nodiscard]] std::vector<std::uint64_t> searchTogether(lattice::ProblemSpec spec, const Settings& settings,
                                                        SolutionGate& gate);

}  // namespace slicepool::fplll_plugin
