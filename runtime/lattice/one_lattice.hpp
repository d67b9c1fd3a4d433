// One lattice of many, on the calling thread: its shortest vector, or all vectors within a radius; or the
// parts before and after the search, where a device does that. Called by many_lattices.cpp and tests.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/lattice/core_ways.hpp"
#include "runtime/lattice/device_groups.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

/// Nodes beyond which a warp, one of few, would keep its group waiting: a tenth of a second.
inline constexpr double kNodesOfWarp = 3e5;
/// A computed norm is rounded to an integer where its error is below this.
inline constexpr double kSafeError = 0.125;

/// A test of a vector within the radius.
using VectorTest = std::function<bool(const LatticeVector&)>;

/// What is asked of every lattice.
struct ManyWanted {
  SquaredRadius squaredRadius{};
  std::uint64_t solutions = 1;
  VectorTest accept{};              ///< none: all vectors
  std::uint64_t first = 0;          ///< vectors after which a search is over; 0: all
  double mostNodes = kNodesOfCore;  ///< where more are expected a lattice is too large for the core
  /// Asked every few milliseconds of a search without a radius of which more than `leaveNodes` are expected:
  /// whether it has become too large for the core, which begins no new one.
  std::function<bool()> leave{};
  double leaveNodes = kNodesOfCore;
};

/// Throws ConfigError where a test or `first` is asked for without a radius. `sought`: "the shortest vector".
void requireRadius(const ManyWanted& wanted, bool byRadius, const char* sought);

/// How a lattice was searched.
enum class Way : std::uint8_t {
  certified,  ///< its numbers are small: in doubles, with a bound on all errors
  exact,      ///< prepared by big integers, as a single run is
  pooled,     ///< by all workers
  tooLarge,   ///< more nodes are expected than one core should visit: there is no answer
  stopped     ///< likewise
};

/// "[[1 0] [0 2]]".
[[nodiscard]] std::string matrixText(const GivenLattice& lattice);

/// Has the memory that searches need. One object a thread.
class OneLattice {
 public:
  /// `stop`: asked every few milliseconds; it must outlive the object.
  explicit OneLattice(const std::atomic<bool>& stop, const CoreWays& ways = {});
  ~OneLattice();
  OneLattice(OneLattice&&) noexcept;

  /// Throws ConfigError and LimitError for a lattice that is none, or a radius that is impossible.
  Way search(const GivenLattice& lattice, const ManyWanted& wanted, LatticeAnswer& answer);

  /// What all workers search where search() has said Way::tooLarge. Once, before the next call.
  [[nodiscard]] PreparedSearch takePrepared();
  /// Nodes of its search, before it is made; none where its numbers are too large for doubles, or it is no
  /// lattice. Reduces a copy.
  [[nodiscard]] std::optional<double> expectedNodes(const GivenLattice& lattice, const ManyWanted& wanted);

  /// Appends the search of the shortest vector to a group for a device, whose rows are then those of a
  /// reduced basis. False where it is one for this core, as one with more than `mostNodes` expected nodes:
  /// search() has the answer or the error then.
  bool prepare(GivenLattice& lattice, const ManyWanted& wanted, double mostNodes, SearcherGroup& group);
  /// The answer to what prepare() appended. False where the device made a mistake: search() has the answer
  /// then.
  bool finish(const GivenLattice& lattice, const SearcherItem& item, const std::int16_t* coefficients,
              LatticeAnswer& answer);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slicepool::lattice
