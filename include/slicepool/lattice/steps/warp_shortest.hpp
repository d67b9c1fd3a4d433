// A shortest vector of a small lattice by one warp, from the root to the end: the steps of warp_search.hpp
// without batches, budgets and slices, for lattices that come by the thousand. Run by
// kernels/lattice/searcher.cu, and lane by lane by runtime/lattice/emulated_searcher.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/detail/lattice_searcher.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_search.hpp"

namespace slicepool::lattice {

/// What a warp needs for a lattice of this dimension.
struct WarpShortestShape {
  static constexpr int kMaximumDimension = 64;
  /// No coefficient may be larger.
  static constexpr double kMaximumCoefficient = Packing<8>::kMaximum - 1;

  int dimension;

  [[nodiscard]] SLICEPOOL_HD WarpLists<BytePaths> lists() const {
    WarpLists<BytePaths> shaped{};
    shaped.shape(dimension, 0);
    return shaped;
  }
  /// Numbers of a lattice: the packed columns of mu (packColumn), then r_0 .. r_{d-1}.
  [[nodiscard]] SLICEPOOL_HD std::size_t numbers() const {
    return packedColumns(lists()) + static_cast<std::size_t>(dimension);
  }
  /// Of `view` columns, stride, norms and dimension are read.
  void pack(const SearchView& view, double* to) const {
    for (int depth = 1; depth < dimension; ++depth) packColumn(lists(), view, depth, 0, 1, to);
    for (int i = 0; i < dimension; ++i)
      to[packedColumns(lists()) + static_cast<std::size_t>(i)] = view.norms[i];
  }
  /// Shared memory on a device: the numbers, as many ones as there are r, and a part of the lists.
  [[nodiscard]] SLICEPOOL_HD std::size_t sharedBytes() const {
    return (tableSize() * sizeof(double) + lists().sharedBytes() + 7) / 8 * 8;
  }
  [[nodiscard]] SLICEPOOL_HD std::size_t tableSize() const {
    return numbers() + static_cast<std::size_t>(dimension);
  }
  /// Other memory: lists, and a vector for each lane.
  [[nodiscard]] std::size_t memoryBytes() const {
    constexpr std::size_t kLine = 128;
    return (listBytes() + std::size_t{kWarpSize} * kMaximumDimension * sizeof(std::int16_t) + kLine - 1) /
           kLine * kLine;
  }
  [[nodiscard]] SLICEPOOL_HD std::size_t listBytes() const { return (lists().memoryBytes() + 15) / 16 * 16; }
};

/// kCapacity: capacityOf(d).
template <class LanesType, int kCapacity>
class WarpShortest {
 public:
  using Lanes = LanesType;
  using Searcher = WarpSearch<Lanes, kCapacity, BytePaths>;

  /// `shared` and `memory`: as WarpShortestShape says, 16-byte aligned.
  SLICEPOOL_INLINE WarpShortest(std::byte* shared, std::byte* memory) : shared_(shared), memory_(memory) {}

  /// Squared norm (0: none is within the radius) and nodes of an item with these numbers. x_0 .. x_{d-1} of
  /// the vector go to `found`. `stopped`: asked now and then whether to end; all lanes get the same answer.
  struct Answer {
    std::uint64_t squaredNorm;
    std::uint64_t nodes;
  };
  template <class Stopped>
  SLICEPOOL_INLINE Answer run(const SearcherItem& item, const double* numbers, std::int16_t* found,
                              const Stopped& stopped) const {
    Answer answer{0, 0};
    for (int pass = item.firstSquaredRadius > 0 ? 0 : 1; pass < 2 && answer.squaredNorm == 0; ++pass) {
      const double squaredRadius = pass == 0 ? item.firstSquaredRadius : item.squaredRadius;
      const Answer within = runWithin(item, squaredRadius, numbers, found, stopped);
      answer = {within.squaredNorm, answer.nodes + within.nodes};
    }
    return answer;
  }

 private:
  template <class Stopped>
  SLICEPOOL_INLINE Answer runWithin(const SearcherItem& item, double squaredRadius, const double* numbers,
                                    std::int16_t* found, const Stopped& stopped) const {
    const WarpShortestShape shape{item.dimension};
    Searcher search = begin(shape, item, squaredRadius, numbers);
    auto* const kept = reinterpret_cast<std::int16_t*>(memory_ + shape.listBytes());
    Shortest shortest{kNone, nullptr};
    Lanes::all([&](int lane, int) {
      if (shortest.coefficients == nullptr)
        // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): below 2^11
        shortest.coefficients = kept + lane * WarpShortestShape::kMaximumDimension;
    });
    std::uint64_t best = kNone;
    int winner = 0;
    for (std::uint32_t turn = 1;; ++turn) {
      // The deepest list with an entry for each lane; without one the shallowest, whose children
      // will be many.
      int depth = search.frontier.full.deepest();
      if (depth >= 0 && turn % kTurnsBetweenDescents == 0) depth = search.frontier.some.deepest();
      if (depth < 0) depth = search.frontier.some.shallowest();
      if (depth < 0 || (turn % kTurnsBetweenQuestions == 0 && stopped())) break;
      search.step(depth, shortest);
      if (depth < item.dimension - 1) continue;
      typename Lanes::template Per<std::uint64_t> norms;
      Lanes::all([&](int, int held) { norms[held] = shortest.norm; });
      const auto least = Lanes::least(norms);
      if (least.number >= best) continue;
      best = least.number;
      winner = least.lane;
      // Others keep only what is shorter, so that the winner's vector stays.
      shortest.norm = best;
      search.squaredRadius = static_cast<double>(best - 1) * item.room + item.error;
    }
    Lanes::sync();
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): below 2^11
    const std::int16_t* const from = kept + winner * WarpShortestShape::kMaximumDimension;
    typename Lanes::template Per<std::uint32_t> nodes;
    Lanes::all([&](int lane, int held) {
      nodes[held] = 0;
      for (int q = lane; q < item.dimension; q += kWarpSize) {
        nodes[held] += search.lists().nodes[q];
        if (best != kNone) found[q] = from[q];
      }
    });
    return {best == kNone ? 0 : best, Lanes::sum(nodes)};
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  /// Some milliseconds of a warp: a run that is interrupted ends after 0.2 s (one H200).
  static constexpr std::uint32_t kTurnsBetweenQuestions = 4096;
  /// Otherwise vectors are found late, and the radius falls late: at dimension 34 a tree of 70,033 nodes had
  /// 85,002 by 2704 steps without these turns, 73,816 by 2467 with them (q-ary lattices of q = 1009).
  static constexpr std::uint32_t kTurnsBetweenDescents = 16;

  /// The sink of a lane on a device, and of all lanes on a host.
  struct Shortest {
    std::uint64_t norm;  ///< of the shortest vector so far
    std::int16_t* coefficients;

    SLICEPOOL_INLINE bool operator()(const ShortVector<kCapacity>& found) {
      // NOLINTNEXTLINE(bugprone-incorrect-roundings): norms are far from halves, see SearcherItem::room
      const auto own = static_cast<std::uint64_t>(found.squaredNorm + 0.5);
      if (own >= norm) return true;
      norm = own;
      for (int i = 0; i < kCapacity; ++i) coefficients[i] = found.coefficients[i];
      return true;
    }
  };

  /// The tables, and the root as the only entry; with a target the first node below it.
  SLICEPOOL_INLINE Searcher begin(const WarpShortestShape& shape, const SearcherItem& item,
                                  double squaredRadius, const double* numbers) const {
    const int d = shape.dimension;
    auto lists = shape.lists();
    auto* const table = reinterpret_cast<double*>(shared_);
    const auto given = static_cast<int>(shape.numbers());
    Lanes::sync();  // the lattice before may be in use by other lanes
    Lanes::all([&](int lane, int) {
      for (int i = lane; i < given; i += kWarpSize) table[i] = numbers[i];
      for (int i = lane; i < d; i += kWarpSize) table[given + i] = 1;
    });
    lists.place(shared_ + shape.tableSize() * sizeof(double));
    lists.memory = memory_;
    Lanes::sync();
    SearchView view{};
    view.norms = table + given - d;
    view.pruning = table + given;
    view.squaredRadius = squaredRadius;
    view.dimension = d;
    Searcher search(view, table, lists);
    search.squaredRadius = squaredRadius;
    typename Searcher::Slice root{};
    root.level = root.top = static_cast<std::int16_t>(d - 1 - item.target);
    root.dimension = static_cast<std::int16_t>(d);
    if (item.target == 0) {
      root.path[0] = Choice{0, Choice::kUpwards};
      search.take(root, PathState{0, 0});
    } else {
      root.path[0] = Choice{1, 1};
      root.path[1] = Choice::first(item.centre);
      search.take(root, PathState{view.norms[d - 1], item.centre});
    }
    return search;
  }

  std::byte* shared_;
  std::byte* memory_;
};

}  // namespace slicepool::lattice
