// How many boards the search below a board visits, on average over boards with as many points: what
// Search::size looks up. Included by search_problem.hpp. For sharing slices out, not for an ETA: at n = 16
// single samples of the whole differ by factors of hundreds (runtime/core/tree_estimate.hpp knows its error).
//
// The tree is sampled level by level: all children of some boards of a level are visited, and of those that
// stay open a random choice goes on, for all of them. The tree is even, and hundreds of boards a level do
// what single random descents (D. E. Knuth, "Estimating the efficiency of backtrack programs", 1975) need
// millions for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "slicepool/three_in_line/search.hpp"

namespace slicepool::three_in_line {

/// Means per kind of child and number of points, weighted by how many boards there are.
class SubtreeMeans {
 public:
  explicit SubtreeMeans(int mostPoints)
      : points_(static_cast<std::size_t>(mostPoints) + 1),
        boards_(kSubtreeKinds * points_),
        below_(kSubtreeKinds * points_) {}

  /// `boards` boards of this kind, `visits` visited by the search of each, itself included.
  void add(SubtreeKind kind, int points, double boards, double visits) {
    const std::size_t index = indexOf(kind, points);
    boards_[index] += boards;
    below_[index] += boards * visits;
  }

  /// kSubtreeKinds rows of mostPoints + 1 means; where nothing was seen, that of one point less.
  [[nodiscard]] std::vector<float> means() const {
    std::vector<float> result(boards_.size(), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (boards_[i] > 0) {
        result[i] = static_cast<float>(below_[i] / boards_[i]);
      } else if (i % points_ != 0) {
        result[i] = result[i - 1];
      }
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t indexOf(SubtreeKind kind, int points) const {
    return static_cast<std::size_t>(kind) * points_ + static_cast<std::size_t>(points);
  }
  std::size_t points_;
  std::vector<double> boards_;
  std::vector<double> below_;
};

/// A visited board of a level.
struct SampledBoard {
  SubtreeKind kind;
  int points;          ///< before it is closed
  std::size_t parent;  ///< in the level above
  double visits;       ///< of the search of this board, itself included, as estimated
};

/// A board of a level that stays open, with its list of points.
template <class Shape>
struct OpenBoard {
  Pending<Shape> pending;
  std::size_t index;  ///< in the level
  typename Shape::Cell points[Shape::kMostPoints];
};

template <class Shape, class Lines>
class SubtreeSampler {
 public:
  SubtreeSampler(const SearchView& view, std::size_t boardsOfLevel)
      : view_(view), boardsOfLevel_(boardsOfLevel), means_(Shape::kMostPoints) {}

  /// kSubtreeKinds rows of means below these roots.
  std::vector<float> sample(const std::vector<SearchSlice<Shape>>& roots) {
    open_.clear();
    for (const SearchSlice<Shape>& root : roots) open_.push_back({root.pending[0], open_.size(), {}});
    for (thin(1); !open_.empty(); thin(weights_.back())) visitChildren();
    for (std::size_t level = levels_.size(); level-- != 0;) account(level);
    return means_.means();
  }

 private:
  using W = Search<Shape, Lines>;

  /// Visits all children of the open boards; those that stay open take their places.
  void visitChildren() {
    std::vector<SampledBoard> level;
    std::vector<OpenBoard<Shape>> next;
    for (OpenBoard<Shape>& parent : open_) {
      for (bool more = true; more;) {
        OpenBoard<Shape> child = parent;
        Board<Shape> board;
        board.points = child.points;
        const SubtreeKind kind = W::subtreeKind(parent.pending.branch);
        Branch rest;
        more = W::takeChild(parent.pending, board, rest);
        parent.pending.branch = rest;
        level.push_back({kind, board.count, parent.index, 1});
        if (W::visit(view_, board) != Visit::open) continue;
        child.index = level.size() - 1;
        child.pending = {board.on, board.off, chooseBranch(view_.geometry, board.on, board.off, board.count)};
        next.push_back(child);
      }
    }
    levels_.push_back(std::move(level));
    open_ = std::move(next);
  }

  /// Leaves at most boardsOfLevel_ open boards, which then stand for all; `weight` is what they stood for
  /// before.
  void thin(double weight) {
    const std::size_t all = open_.size();
    if (all > boardsOfLevel_) {
      std::shuffle(open_.begin(), open_.end(), random_);
      open_.resize(boardsOfLevel_);
      weight *= static_cast<double>(all) / static_cast<double>(boardsOfLevel_);
    }
    weights_.push_back(weight);
  }

  /// Adds a level, below which all has been added, to the means and to the level above.
  void account(std::size_t level) {
    const double weight = weights_[level];  // of the boards whose children these are
    for (const SampledBoard& board : levels_[level]) {
      means_.add(board.kind, board.points, weight, board.visits);
      if (level == 0) continue;
      levels_[level - 1][board.parent].visits += board.visits * weight / weights_[level - 1];
    }
  }

  const SearchView& view_;
  std::size_t boardsOfLevel_;
  SubtreeMeans means_;
  std::mt19937_64 random_{1};
  std::vector<OpenBoard<Shape>> open_;
  std::vector<std::vector<SampledBoard>> levels_;
  std::vector<double> weights_;  ///< what one open board stands for, before each level
};

}  // namespace slicepool::three_in_line
