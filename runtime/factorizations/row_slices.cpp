// Implementation of row_slices.hpp.
#include "slicepool/factorizations/steps/row_slices.hpp"

#include <algorithm>
#include <cmath>

#include "slicepool/factorizations/steps/pair.hpp"

namespace slicepool::factorizations {

namespace {

// In bytes of output that take as long (measured on an H200; docs/performance/factorizations.md).
constexpr double kPrefixCost = 1500;
constexpr double kBlockCost = 48;

class Cutter {
 public:
  Cutter(const std::vector<std::uint64_t>& generators, const RankCounts& counts, unsigned tail,
         std::size_t rowBytes)
      : generators_(generators),
        counts_(counts),
        axis_(generators.size() - tail - 1),
        rowBytes_(static_cast<double>(rowBytes)),
        stride_(static_cast<std::size_t>(counts.element) + 1),
        pair_(Pair<std::uint64_t>::of(generators[generators.size() - 2], generators.back())) {
    if (axis_ == 0) return;
    // Levels between the first prefix coordinate and the axis; the others follow from them.
    overheads_.resize((axis_ - 1) * stride_);
    for (std::size_t k = axis_; k-- > 1;) {
      const std::uint64_t g = generators_[k];
      double* const level = overheads_.data() + (k - 1) * stride_;
      for (std::uint64_t p = 0; p < stride_; ++p) level[p] = overhead(k + 1, p) + (p >= g ? level[p - g] : 0);
    }
  }

  /// Of all rows, in bytes of output that take as long.
  [[nodiscard]] double cost() const {
    return static_cast<double>(counts_.total) * rowBytes_ + overhead(0, counts_.element);
  }

  /// Boundaries of slices of about `target` each; the first is window.begin, the last window.end.
  std::vector<std::uint64_t> cut(RankRange window, double target) {
    window_ = window;
    target_ = target;
    gathered_ = 0;
    boundaries_ = {window.begin};
    visit(0, counts_.element, 0);
    if (boundaries_.back() != window.end) boundaries_.push_back(window.end);
    return std::move(boundaries_);
  }

 private:
  /// Of all prefixes and blocks behind a prefix of k coordinates that leaves p. O(1), for k = 0 O(n / g_1).
  [[nodiscard]] double overhead(std::size_t k, std::uint64_t p) const {
    if (k == axis_) {
      const std::uint64_t blocks = p / generators_[k] + 1;
      return kPrefixCost + kBlockCost * static_cast<double>(blocks);
    }
    if (k != 0) return overheads_[(k - 1) * stride_ + p];
    double sum = 0;
    for (std::uint64_t left = p % generators_[0]; left <= p; left += generators_[0]) sum += overhead(1, left);
    return sum;
  }

  [[nodiscard]] std::uint64_t rows(std::size_t k, std::uint64_t p) const {
    const std::size_t d = generators_.size();
    if (k == 0) return counts_.total;
    return k == d - 2 ? pair_.count(p) : counts_.levels[(k - 1) * stride_ + p];
  }

  /// The rows of the window with one prefix of k coordinates; those with the prefix begin at rank `start`.
  void visit(std::size_t k, std::uint64_t p, std::uint64_t start) {
    const std::uint64_t count = rows(k, p);
    const std::uint64_t begin = std::max(start, window_.begin);
    const std::uint64_t end = std::min(start + count, window_.end);
    if (begin >= end) return;
    const double share = static_cast<double>(end - begin) / static_cast<double>(count);
    const double cost = static_cast<double>(end - begin) * rowBytes_ + share * overhead(k, p);
    if (gathered_ + cost <= target_) {
      gathered_ += cost;
      return;
    }
    if (k < axis_) return visitChildren(k, p, start);
    // Close what was gathered, then slices of equally many rows.
    close(begin);
    const auto parts =
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::round(cost / target_)), 1, end - begin);
    for (std::uint64_t i = 1; i < parts; ++i) close(begin + (end - begin) / parts * i);
    gathered_ = cost / static_cast<double>(parts);
  }

  /// The prefixes of one coordinate more, in order: they leave p modulo g, that plus g, .. p.
  void visitChildren(std::size_t k, std::uint64_t p, std::uint64_t start) {
    const std::uint64_t g = generators_[k];
    for (std::uint64_t left = p % g; left <= p && start < window_.end; left += g) {
      if (k != 0) left = gatherChildren(k, left, p, start);
      if (left > p || start >= window_.end) return;
      visit(k + 1, left, start);
      start += rows(k + 1, left);
    }
  }

  /// Gathers as many whole prefixes from `left` on as fit the slice, and returns the first one that does not.
  /// All up to one that leaves q are together what the shorter prefix has at q, so no sum is taken: O(log).
  std::uint64_t gatherChildren(std::size_t k, std::uint64_t left, std::uint64_t p, std::uint64_t& start) {
    if (start < window_.begin) return left;
    const std::uint64_t g = generators_[k];
    const std::uint64_t rowsBefore = left >= g ? rows(k, left - g) : 0;
    const double overheadBefore = left >= g ? overhead(k, left - g) : 0;
    const auto costUpTo = [&](std::uint64_t q) {
      return static_cast<double>(rows(k, q) - rowsBefore) * rowBytes_ + overhead(k, q) - overheadBefore;
    };
    std::uint64_t fitting = 0;
    std::uint64_t most = (p - left) / g + 1;
    while (fitting < most) {
      const std::uint64_t middle = fitting + (most - fitting + 1) / 2;
      const std::uint64_t q = left + (middle - 1) * g;
      const bool fits =
          gathered_ + costUpTo(q) <= target_ && start + (rows(k, q) - rowsBefore) <= window_.end;
      if (fits)
        fitting = middle;
      else
        most = middle - 1;
    }
    if (fitting == 0) return left;
    const std::uint64_t last = left + (fitting - 1) * g;
    gathered_ += costUpTo(last);
    start += rows(k, last) - rowsBefore;
    return last + g;
  }

  void close(std::uint64_t rank) {
    if (rank != boundaries_.back()) boundaries_.push_back(rank);
    gathered_ = 0;
  }

  const std::vector<std::uint64_t>& generators_;
  const RankCounts& counts_;
  std::size_t axis_;
  RankRange window_;
  double rowBytes_;
  double target_ = 0;
  std::size_t stride_;
  Pair<std::uint64_t> pair_;
  std::vector<double> overheads_;  ///< for 1 <= k < axis
  std::vector<std::uint64_t> boundaries_;
  double gathered_ = 0;
};

}  // namespace

std::vector<std::uint64_t> cutRows(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                                   unsigned tail, std::size_t rowBytes, std::uint32_t bytesPerSlice) {
  return Cutter(generators, counts, tail, rowBytes).cut({0, counts.total}, bytesPerSlice);
}

std::vector<std::uint64_t> cutWindow(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                                     unsigned tail, std::size_t rowBytes, RankRange window,
                                     std::uint32_t slices) {
  if (window.begin >= window.end) return {};
  Cutter cutter(generators, counts, tail, rowBytes);
  // As if the window were as expensive as the average; where it is more, fewer slices will do.
  const double share = static_cast<double>(window.end - window.begin) / static_cast<double>(counts.total);
  double target = std::max(1.0, cutter.cost() * share / slices);
  auto boundaries = cutter.cut(window, target);
  while (boundaries.size() > 2 * std::size_t{slices} + 1) {
    target *= static_cast<double>(boundaries.size()) / slices;
    boundaries = cutter.cut(window, target);
  }
  return boundaries;
}

}  // namespace slicepool::factorizations
