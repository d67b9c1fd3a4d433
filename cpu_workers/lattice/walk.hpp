// Lattice enumeration on a CPU core, fast: two ways through the same tree as the plain step
// (include/slicepool/lattice/steps/search.hpp), compiled for several instruction sets.
//
// `walk` goes depth first and can stop anywhere. It keeps, for every level of its path, a row of partial
// centre sums: the row of level k has -sum_{i>=k} x_i mu_{i,j} for all j < k, and is the row above less x_k
// times a row of mu. That is one vector operation per four or eight levels below, none of which waits for
// another, where a sum per centre would be a chain of them.
//
// `expand` searches many subtrees at once, those that a walk has put aside (units). Nodes wait in one list
// per level; a vector of them tries its children, one more of each node in every pass, and those that have a
// child themselves go to the list of the next level. All nodes of a vector are of one level, so mu, norms and
// bounds are the same for all of them, and a test has no branch that depends on one node. What it cannot do
// is stop or emit: it gives up where it meets a vector that is short enough, and the walk goes there instead.
//
// Called by cpu_workers/lattice/search.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "slicepool/core/platform.hpp"
#include "slicepool/lattice/types.hpp"

namespace slicepool {

/// Levels that an expansion searches at a time.
inline constexpr int kLatticeDepth = 3;

/// Nodes whose children, at some level, are to be tried: in columns.
struct LatticeNodes {
  double* norms = nullptr;           ///< squared norm of the node
  double* centres = nullptr;         ///< of its children
  double* sums[kLatticeDepth] = {};  ///< partial centre sums of the levels below these, downwards
  double* coefficients = nullptr;    ///< the node's own, for nodes that have no row yet
  std::int64_t* parents = nullptr;   ///< place of its parent, for the same
};

/// Nodes with children at level `level`, each of which has one at least.
struct LatticeList {
  LatticeNodes nodes;
  double* rows = nullptr;  ///< partial centre sums of levels 0 .. level-1, `stride` apart
  std::size_t stride = 0;
  std::size_t count = 0;
};

/// The lists of all levels. Memory is reserved at once and mostly never touched.
class LatticeLists {
 public:
  /// For bases of this dimension.
  explicit LatticeLists(int dimension);

  [[nodiscard]] SLICEPOOL_INLINE LatticeList& at(int level) { return lists_[level]; }
  [[nodiscard]] SLICEPOOL_INLINE int levels() const { return levels_; }
  void clear();

  static constexpr std::size_t kCapacity = 1024;  ///< nodes a level
  /// A walk puts no more units than this aside at one level.
  static constexpr std::size_t kMaximumUnits = 256;
  /// Children of a node for which there is room in any case, were it one of kChunk like it.
  static constexpr int kMaximumChildren = 20;
  static constexpr std::size_t kChunk = 32;

  /// Descendants of a chunk, by generation; of the last, only columns that a list has no use for.
  LatticeNodes generations[kLatticeDepth];

 private:
  struct Free {
    void operator()(double* memory) const;
  };
  std::unique_ptr<double[], Free> memory_;
  int levels_;
  LatticeList lists_[lattice::kMaximumDimension];
};

/// A depth-first search and the tables it reads.
struct LatticeWalk {
  // What is searched; tables as in lattice::SearchView.
  const double* rows = nullptr;
  const double* norms = nullptr;
  int stride = 0;
  int dimension = 0;
  double bounds[lattice::kMaximumDimension] = {};

  // Where it stands: the choice at `level` is to be tested next. `step` as in lattice::Choice.
  int level = 0;
  int top = 0;
  double x[lattice::kMaximumDimension] = {};
  double step[lattice::kMaximumDimension] = {};
  double above[lattice::kMaximumDimension] = {};   ///< squared norm of the path above a level
  double centre[lattice::kMaximumDimension] = {};  ///< valid from `level` on, like the two above
  double* sums = nullptr;  ///< rows of partial centre sums, dimension + 1 of `stride`; row d is zero

  // What it may do and what it did.
  std::uint64_t left = 0;                                ///< nodes
  std::uint64_t nodes[lattice::kMaximumDimension] = {};  ///< accepted at each level, counted up
  double norm = 0;                                       ///< of the vector it stopped at
  double unitFrom[lattice::kMaximumDimension] = {};      ///< nodes with at least this norm are put aside
  std::uint64_t unitsLeft = 0;                           ///< that it may put aside
  LatticeLists* lists = nullptr;
};

enum class LatticeStop : std::uint8_t {
  exhausted,  ///< nothing is left; the position means nothing
  nodes,      ///< `left` is zero and a node would be accepted
  vector,     ///< a complete vector is to be accepted next; it is not counted
  units       ///< as many units as there may be are put aside
};

/// Goes on from where `walk` stands; `taken`: the vector it stopped at was taken, and counts.
using WalkLattice = LatticeStop (*)(LatticeWalk& walk, bool taken);

/// Searches all lists, and adds to walk.nodes. False, with lists empty and nodes unreliable, if there is a
/// vector or more than `limit` nodes.
using ExpandLattice = bool (*)(LatticeWalk& walk, std::uint64_t limit);

/// One instruction set's functions.
struct LatticeKernels {
  const char* name;  ///< "avx512", "avx2" or "portable"
  WalkLattice walk;
  ExpandLattice expand;  ///< null: no vectors that would be worth it
};

/// The best that this CPU executes; SLICEPOOL_SIMD=avx512|avx2|portable in the environment asks for others (a
/// wrong or unavailable name is ignored).
[[nodiscard]] const LatticeKernels& latticeKernels();
/// By name, null when this build or this CPU has none.
[[nodiscard]] const LatticeKernels* latticeKernelsNamed(const char* name);

}  // namespace slicepool
