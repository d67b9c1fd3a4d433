// A turn of the lattice search on a CPU worker: walks and expands (cpu_workers/lattice/walk.hpp) so that
// nodes, vectors and budgets are those of the plain step. Called by search_turn.hpp; one object per thread.
//
// What a walk puts aside and an expansion searches is one batch. A batch counts only if it is complete: where
// the expansion meets a short vector or the end of the budget, everything since the start of the batch is
// forgotten, and the walk goes through the same part alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu_workers/lattice/walk.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

class FastSearch {
 public:
  /// For a problem: never the same twice. Any thread.
  [[nodiscard]] static std::uint64_t newNumber();
  /// This thread's, made ready for the problem with this number.
  static FastSearch& ofThread(std::uint64_t problem, const SearchView& view, const LatticeKernels& kernels);

  /// Takes a slice's path (of d choices) up. O(d^2).
  void load(const Choice* path, int level, int top, double squaredRadius);
  /// The choice at every level from level() on, into a slice's path.
  void store(Choice* path) const;
  [[nodiscard]] int level() const { return walk_.level; }

  /// The next nodes, this many, are walked one by one. Of use to a problem that mostly has no more: choosing
  /// what is searched many at a time takes as long as thousands of nodes.
  void walkFirst(std::uint64_t nodes) { aloneFor_ = nodes; }
  /// Goes on for at most `left` nodes and counts it down. Never `units`.
  LatticeStop run(std::uint64_t& left);
  /// The vector that `run` stopped at was taken: it counts, and the next run goes on behind it.
  void accept() { taken_ = true; }
  void setRadius(double squaredRadius);

  [[nodiscard]] double norm() const { return walk_.norm; }
  [[nodiscard]] double coefficient(int level) const { return walk_.x[level]; }
  /// Nodes accepted at a level since `load`.
  [[nodiscard]] std::uint64_t nodes(int level) const { return walk_.nodes[level]; }

 private:
  void prepare(std::uint64_t problem, const SearchView& view, const LatticeKernels& kernels);
  /// Centres, norms and sums of the path from `level` on.
  void refresh();
  [[nodiscard]] bool wantsBatch(std::uint64_t left) const;
  /// Sets `batched` to whether it counts; `stop` and `left` mean something only then.
  [[nodiscard]] bool runBatch(std::uint64_t& left, LatticeStop& stop);
  void findUnits();

  std::uint64_t problem_ = 0;
  SearchView view_{};
  const LatticeKernels* kernels_ = nullptr;
  LatticeWalk walk_;
  LatticeWalk before_;  ///< at the start of a batch
  bool taken_ = false;
  double squaredRadius_ = 0;
  std::vector<double> sums_;
  std::unique_ptr<LatticeLists> lists_;

  // Which nodes become units, and what was learned about them.
  std::vector<double> unitFrom_;
  double unitsRadius_ = 0;      ///< that unitFrom_ is for
  double nodesOfUnit_ = 0;      ///< mean
  std::uint64_t aloneFor_ = 0;  ///< nodes to be walked before the next batch
  int failures_ = 0;            ///< batches in a row that did not count
};

/// The least norm, for each level, at which a node of that level is expected to have at most `nodes` nodes
/// below it; infinite where none is. By the Gaussian heuristic; O(d^2), 0.1 ms at d = 50.
[[nodiscard]] std::vector<double> unitNorms(const SearchView& view, double squaredRadius, double nodes);

}  // namespace slicepool::lattice
