// See tours.hpp.
#include "runtime/reduce/tours.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "runtime/lattice/reduction.hpp"
#include "runtime/reduce/figures.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::reduce {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFirstSize = 20;
constexpr int kSizeStep = 10;

/// Adds the time of its life.
class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ += secondsSince(start_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

std::vector<int> scheduleOf(int blockSize, int tours, int dimension) {
  const int last = std::min(blockSize, dimension);
  std::vector<int> schedule;
  if (last < 2) return schedule;
  for (int size = kFirstSize; size < last; size += kSizeStep) schedule.push_back(size);
  schedule.insert(schedule.end(), static_cast<std::size_t>(tours), last);
  return schedule;
}

int stepsOf(int blockSize, int dimension) { return std::min(blockSize, dimension - 1); }

std::vector<int> firstRowsOf(int step, int blockSize, int dimension) {
  std::vector<int> rows;
  for (int first = step; first + 1 < dimension; first += blockSize) rows.push_back(first);
  return rows;
}

lattice::IntegerBasis lllReduced(const lattice::IntegerBasis& basis) {
  try {
    return svp::TrialReduction(basis).reduced({}, {})->basis;
  } catch (const Error&) {
    return lattice::reduced(basis);
  }
}

TourDriver::TourDriver(const Request& request, StepSettings settings, ReductionState& state,
                       std::vector<WorkerReport>& workers)
    : request_(request),
      settings_(std::move(settings)),
      state_(state),
      workers_(workers),
      schedule_(scheduleOf(request.blockSize, request.tours, state.basis.dimension)),
      rows_(state.basis) {}

bool TourDriver::run(const std::function<void()>& attend, const StopRequest& stop) {
  const int dimension = state_.basis.dimension;
  while (!state_.unchanged && state_.tour < schedule_.size()) {
    const int blockSize = schedule_[state_.tour];
    while (state_.step < stepsOf(blockSize, dimension)) {
      if (stop() || !step(blockSize, stop)) return false;
      attend();
    }
    endTour(blockSize);
    attend();
  }
  return true;
}

bool TourDriver::step(int blockSize, const StopRequest& stop) {
  const Timed timed(state_.tourSeconds);
  const int dimension = state_.basis.dimension;
  std::vector<std::unique_ptr<BlockSearch>> blocks;
  for (const int first : firstRowsOf(state_.step, blockSize, dimension)) {
    ProjectedBlock block = rows_.block(first, std::min(blockSize, dimension - first));
    BlockPlan plan = planOf(block, request_.trials);
    const std::uint64_t seed =
        mix64(mix64(mix64(request_.seed) ^ state_.tour) ^ static_cast<std::uint64_t>(first));
    blocks.push_back(std::make_unique<BlockSearch>(first, std::move(block), std::move(plan), seed));
  }
  StepRecord record;
  const std::vector<BlockResult> results = searchBlocks(blocks, settings_, stop, record, workers_);
  state_.nodes += record.nodes;
  state_.preprocessingSeconds += record.reductionSeconds;
  state_.searchSeconds += record.searchSeconds;
  state_.deviceSeconds += record.deviceSeconds;
  if (results.empty()) return false;
  state_.blocks += record.blocks;
  state_.trials += record.trials;
  const Timed inserting(state_.sizeReductionSeconds);
  int firstChanged = dimension;
  for (const BlockResult& result : results) {
    if (result.found) {
      ++state_.inserted;
      ++state_.tourInserted;
    }
    if (result.transformation.isIdentity()) continue;
    state_.changed = true;
    firstChanged = std::min(firstChanged, result.first);
    rows_.apply(result.first, result.transformation);
  }
  rows_.refresh(firstChanged);
  ++state_.step;
  return true;
}

void TourDriver::endTour(int blockSize) {
  lattice::IntegerBasis basis = rows_.basis();
  {
    const Timed timed(state_.lllSeconds);
    const Timed whole(state_.tourSeconds);
    state_.basis = lllReduced(basis);
  }
  if (state_.basis != basis) {
    state_.changed = true;
    rows_ = BasisRows(state_.basis);
  }
  const std::vector<double> norms = rows_.logNorms();
  state_.tours.push_back(
      {blockSize, state_.tourSeconds, state_.tourInserted, hermiteFactor(norms), slope(norms)});
  state_.unchanged = !state_.changed && blockSize == schedule_.back();
  ++state_.tour;
  state_.step = 0;
  state_.changed = false;
  state_.tourSeconds = 0;
  state_.tourInserted = 0;
}

}  // namespace slicepool::reduce
