// See tree_estimate.hpp.
#include "runtime/core/tree_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace slicepool {
namespace {

constexpr std::uint32_t kResultCapacity = 64;  ///< of one step; emptied before each

}  // namespace

TreeEstimate::TreeEstimate(const Problem& problem, std::size_t population, std::uint64_t seed)
    : problem_(problem),
      population_(population),
      sliceBytes_(problem.sliceBytes()),
      random_(seed),
      words_(problem.words().fresh()),
      results_(problem.resultBytes() * kResultCapacity / sizeof(std::uint64_t) + 1) {}

void TreeEstimate::probe() {
  level_ = problem_.roots();
  double weight = 1;
  double steps = 0;
  while (!level_.empty()) {
    weight *= thin(level_);
    const std::size_t slices = level_.size() / sliceBytes_;
    steps += weight * static_cast<double>(slices);
    descend();
  }
  ++probes_;
  const double deviation = steps - mean_;
  mean_ += deviation / static_cast<double>(probes_);
  squares_ += deviation * (steps - mean_);
}

double TreeEstimate::relativeError() const {
  if (probes_ < 2 || mean_ <= 0) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(probes_);
  return std::sqrt(squares_ / (n - 1) / n) / mean_;
}

void TreeEstimate::descend() {
  children_.clear();
  for (std::size_t at = 0; at < level_.size(); at += sliceBytes_) {
    std::uint32_t resultCount = 0;
    std::uint64_t shared = problem_.sharedStart();
    const SinkMemory memory{words_.data(), reinterpret_cast<std::byte*>(results_.data()), &resultCount,
                            kResultCapacity, &shared};
    Budget budget{1};
    std::byte* slice = level_.data() + at;
    if (problem_.advanceFast(slice, budget, memory) != Turn::exhausted) appendChildren(slice);
  }
  std::swap(level_, children_);
}

void TreeEstimate::appendChildren(std::byte* slice) {
  std::vector<std::byte> given(sliceBytes_);
  while (problem_.split(slice, given.data())) children_.insert(children_.end(), given.begin(), given.end());
  children_.insert(children_.end(), slice, slice + sliceBytes_);
}

double TreeEstimate::thin(Slices& slices) {
  const std::size_t count = slices.size() / sliceBytes_;
  if (count <= population_) return 1;
  // The first draws of a Fisher-Yates shuffle.
  for (std::size_t i = 0; i < population_; ++i) {
    const std::size_t other = i + random_() % (count - i);
    std::byte* a = slices.data() + i * sliceBytes_;
    std::byte* b = slices.data() + other * sliceBytes_;
    if (a != b) std::swap_ranges(a, a + sliceBytes_, b);
  }
  slices.resize(population_ * sliceBytes_);
  return static_cast<double>(count) / static_cast<double>(population_);
}

}  // namespace slicepool
