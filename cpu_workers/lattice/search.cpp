// Implementation of search.hpp.
#include "cpu_workers/lattice/search.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>

namespace slicepool::lattice {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Nodes of a batch, and of a unit as it is chosen. A batch lasts about a millisecond.
constexpr std::uint64_t kBatchNodes = 1U << 17;
constexpr double kUnitNodes = 512;
/// Where fewer nodes are granted a walk does them alone: the work around a batch would not pay.
constexpr std::uint64_t kMinimumNodes = 1U << 11;
constexpr int kMaximumFailures = 5;

}  // namespace

std::uint64_t FastSearch::newNumber() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

FastSearch& FastSearch::ofThread(std::uint64_t problem, const SearchView& view,
                                 const LatticeKernels& kernels) {
  thread_local FastSearch search;
  if (search.problem_ != problem || search.kernels_ != &kernels) search.prepare(problem, view, kernels);
  return search;
}

void FastSearch::prepare(std::uint64_t problem, const SearchView& view, const LatticeKernels& kernels) {
  problem_ = problem;
  view_ = view;
  kernels_ = &kernels;
  if (lists_ != nullptr && lists_->levels() != view.dimension) lists_.reset();
  walk_ = LatticeWalk{};
  walk_.rows = view.rows;
  walk_.norms = view.norms;
  walk_.stride = view.stride;
  walk_.dimension = view.dimension;
  sums_.assign((static_cast<std::size_t>(view.dimension) + 1) * static_cast<std::size_t>(view.stride), 0);
  walk_.sums = sums_.data();
  unitsRadius_ = 0;
  nodesOfUnit_ = kUnitNodes / 2;
  aloneFor_ = kMinimumNodes;
  failures_ = 0;
}

void FastSearch::setRadius(double squaredRadius) {
  squaredRadius_ = squaredRadius;
  for (int k = 0; k < view_.dimension; ++k) walk_.bounds[k] = view_.pruning[k] * squaredRadius;
}

void FastSearch::load(const Choice* path, int level, int top, double squaredRadius) {
  setRadius(squaredRadius);
  walk_.level = level;
  walk_.top = top;
  taken_ = false;
  std::fill_n(walk_.nodes, view_.dimension, 0);
  for (int k = view_.dimension - 1; k >= level; --k) {
    const Choice choice = path[view_.dimension - 1 - k];
    walk_.x[k] = choice.coefficient;
    walk_.step[k] = choice.step;
  }
  refresh();
}

void FastSearch::refresh() {
  double norm = 0;
  for (int k = view_.dimension - 1; k >= walk_.level; --k) {
    const int first = k * walk_.stride;
    double* const row = walk_.sums + first;
    const double* const mu = walk_.rows + first;
    for (int j = 0; j < k; ++j) row[j] = row[walk_.stride + j] - walk_.x[k] * mu[j];
    walk_.above[k] = norm;
    walk_.centre[k] = row[walk_.stride + k];
    const double distance = walk_.x[k] - walk_.centre[k];
    norm += distance * distance * walk_.norms[k];
  }
}

void FastSearch::store(Choice* path) const {
  for (int k = view_.dimension - 1; k >= walk_.level; --k) {
    path[view_.dimension - 1 - k] =
        Choice{static_cast<std::int16_t>(walk_.x[k]), static_cast<std::int16_t>(walk_.step[k])};
  }
}

LatticeStop FastSearch::run(std::uint64_t& left) {
  for (;;) {
    LatticeStop stop{};
    if (wantsBatch(left) && runBatch(left, stop)) {
      if (stop == LatticeStop::exhausted || stop == LatticeStop::vector) return stop;
      continue;
    }
    const std::uint64_t granted =
        kernels_->expand == nullptr || aloneFor_ == 0 ? left : std::min(left, aloneFor_);
    std::fill_n(walk_.unitFrom, view_.dimension, kNever);
    walk_.unitsLeft = 1;
    walk_.left = granted;
    stop = kernels_->walk(walk_, taken_);
    taken_ = false;
    const std::uint64_t walked = granted - walk_.left;
    left -= walked;
    aloneFor_ -= std::min(aloneFor_, walked);
    if (stop != LatticeStop::nodes || left == 0) return stop;
  }
}

bool FastSearch::wantsBatch(std::uint64_t left) const {
  return kernels_->expand != nullptr && aloneFor_ == 0 && left >= kMinimumNodes;
}

bool FastSearch::runBatch(std::uint64_t& left, LatticeStop& stop) {
  if (lists_ == nullptr) lists_ = std::make_unique<LatticeLists>(view_.dimension);
  if (unitsRadius_ != squaredRadius_) findUnits();
  walk_.lists = lists_.get();
  std::copy_n(unitFrom_.begin(), view_.dimension, walk_.unitFrom);
  before_ = walk_;
  const std::uint64_t nodes = std::min(kBatchNodes, left / 2);
  const std::uint64_t units =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(nodes) / nodesOfUnit_));
  walk_.unitsLeft = units;
  walk_.left = nodes;
  stop = kernels_->walk(walk_, taken_);
  const std::uint64_t walked = nodes - walk_.left;
  std::size_t aside = 0;
  for (int k = 1; k < view_.dimension; ++k) aside += lists_->at(k).count;
  if (aside != 0 && !kernels_->expand(walk_, left - walked)) {
    walk_ = before_;
    refresh();
    aloneFor_ = kBatchNodes << failures_;
    failures_ = std::min(failures_ + 1, kMaximumFailures);
    return false;
  }
  failures_ = 0;
  taken_ = false;
  std::uint64_t all = 0;
  for (int k = 0; k < view_.dimension; ++k) all += walk_.nodes[k] - before_.nodes[k];
  if (aside != 0) {
    const double seen = static_cast<double>(all - walked) / static_cast<double>(aside);
    nodesOfUnit_ = std::max(1.0, 0.75 * nodesOfUnit_ + 0.25 * seen);
  }
  left -= all;
  return true;
}

void FastSearch::findUnits() {
  unitFrom_ = unitNorms(view_, squaredRadius_, kUnitNodes);
  unitsRadius_ = squaredRadius_;
}

}  // namespace slicepool::lattice
