// See block_search.hpp.
#include "runtime/reduce/block_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/svp/block_strategy.hpp"
#include "runtime/svp/thread_search.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::reduce {
namespace {

using Clock = std::chrono::steady_clock;

/// A vector must be shorter than the first row by this factor of squares, or rounding would count.
constexpr double kShorter = 1 - 0x1p-30;
/// The same where blocks are pruned: a smaller gain is not worth the insertion. As LLL's delta.
constexpr double kWorthInserting = 0.99;
/// Vectors beyond this multiple of the squared Gaussian heuristic are not looked for: there is enough within.
constexpr double kSquaredGhFactor = 1.05;
/// What the trials of a block together find a vector as long as the radius with.
constexpr double kProbability = 0.5;
constexpr int kMaximumStandardTrials = 1000;

/// Blocks of these sizes have one trial with a larger tree than fplll's strategies give them: cores search
/// trees faster than they reduce rerandomised blocks.
constexpr int kSmallestSingle = 62;
constexpr int kLargestSingle = 72;

std::vector<double> normsOf(const ProjectedBlock& block) {
  std::vector<double> norms;
  norms.reserve(static_cast<std::size_t>(block.size));
  for (int i = 0; i < block.size; ++i) norms.push_back(block.at(i, i) * block.at(i, i));
  return norms;
}

/// By fplll's pruner, for a success probability of kProbability in a block whose b*_i are as those of reduced
/// bases. It takes a tenth of a second, so that sizes share it: coefficients for the next multiple of 4,
/// taken at the same heights.
svp::Profile singlePruning(int size) {
  constexpr int kShared = 4;
  constexpr double kSlope = -0.055;  // of ln |b*_i|^2
  static std::mutex mutex;
  static std::map<int, svp::Profile> known;
  const int whole = (size + kShared - 1) / kShared * kShared;
  const std::lock_guard lock(mutex);
  svp::Profile& profile = known[whole];
  if (profile.coefficients.empty()) {
    std::vector<double> norms;
    norms.reserve(static_cast<std::size_t>(whole));
    for (int i = 0; i < whole; ++i) norms.push_back(std::exp(kSlope * i));
    svp::ProfileRequest request;
    request.norms = &norms;
    request.squaredRadius = kSquaredGhFactor * lattice::gaussianSquaredRadius(norms);
    request.reductionNodes = 1e6;
    request.fixed = kProbability;
    profile = svp::pruningProfile(request);
  }
  svp::Profile result;
  result.probability = profile.probability;
  for (int i = 0; i < size; ++i)
    result.coefficients.push_back(profile.coefficients[static_cast<std::size_t>(i * whole / size)]);
  return result;
}

}  // namespace

BlockPlan planOf(const ProjectedBlock& block, int trials) {
  const std::vector<double> norms = normsOf(block);
  BlockPlan plan;
  if (block.size <= kUnprunedBlock) {
    plan.squaredRadius = norms.front() * kShorter;
    return plan;
  }
  const double heuristic = lattice::gaussianSquaredRadius(norms);
  plan.squaredRadius = std::min(norms.front() * kWorthInserting, kSquaredGhFactor * heuristic);
  svp::BlockStrategy strategy = svp::strategyOf(block.size, plan.squaredRadius / heuristic);
  if (block.size >= kSmallestSingle && block.size <= kLargestSingle)
    strategy.pruning = singlePruning(block.size);
  plan.preprocessing = std::move(strategy.preprocessing);
  plan.pruning = std::move(strategy.pruning.coefficients);
  plan.probability = std::clamp(strategy.pruning.probability, 1e-6, 1 - 1e-6);
  const double enough = std::log(1 - kProbability) / std::log(1 - plan.probability);
  plan.trials =
      trials > 0 ? trials : std::clamp(static_cast<int>(std::lround(enough)), 1, kMaximumStandardTrials);
  return plan;
}

BlockSearch::BlockSearch(int first, ProjectedBlock block, BlockPlan plan, std::uint64_t seed)
    : first_(first),
      block_(std::move(block)),
      plan_(std::move(plan)),
      seed_(seed),
      trials_(static_cast<std::size_t>(plan_.trials)) {}

bool BlockSearch::reduce(int trial, const StopRequest& stop) {
  const auto start = Clock::now();
  std::call_once(begun_, [this] {
    scaled_ = scaledBlock(block_);
    reduction_ = std::make_unique<const svp::TrialReduction>(scaled_);
  });
  Trial& made = trials_[static_cast<std::size_t>(trial)];
  made.basis = trial == 0
                   ? reduction_->reduced(plan_.preprocessing, stop)
                   : reduction_->trial(seed_, static_cast<std::uint64_t>(trial), plan_.preprocessing, stop);
  if (made.basis == nullptr) return false;
  made.transformation = transformationTo(scaled_, made.basis->basis);
  made.data = dataOf(block_, made.transformation);
  made.record.reductionSeconds = secondsSince(start);
  return true;
}

lattice::ProblemSpec BlockSearch::specOf(int trial) const {
  const Trial& made = trials_[static_cast<std::size_t>(trial)];
  lattice::ProblemSpec spec;
  spec.dimension = block_.size;
  spec.mu = made.data.mu;
  spec.norms = made.data.norms;
  spec.pruning = plan_.pruning;
  // The reduction may have made the first row shorter already.
  const double shorter = plan_.pruning.empty() ? kShorter : kWorthInserting;
  spec.squaredRadius = std::min(plan_.squaredRadius, made.data.norms.front() * shorter);
  spec.shrinking = true;
  spec.findsLower = false;
  spec.collect = true;
  return spec;
}

bool BlockSearch::search(int trial, const StopRequest& stop) {
  const auto start = Clock::now();
  Trial& made = trials_[static_cast<std::size_t>(trial)];
  const lattice::ProblemSpec spec = specOf(trial);
  double radius = spec.squaredRadius;
  std::vector<std::vector<std::int64_t>> found;
  const auto take = [&](const std::byte* result) {
    double norm = 0;
    std::memcpy(&norm, result, sizeof norm);
    // A shortest vector does not depend on the way there. In a pruned tree what is found within a smaller
    // radius would, and the tree of each thread would be another one.
    if (!isPruned()) radius = std::min(radius, norm * kShorter);
    auto& coefficients = found.emplace_back();
    for (int i = 0; i < block_.size; ++i) {
      std::int16_t value = 0;
      std::memcpy(&value, result + sizeof norm + static_cast<std::size_t>(i) * sizeof value, sizeof value);
      coefficients.push_back(value);
    }
  };
  const auto problem = lattice::makeProblem(spec);
  const svp::ThreadSearch done = svp::searchOnThisThread(
      *problem, block_.size, [&] { return radius; }, take, [&] { return stop && stop(); });
  made.record.nodes = done.nodes();
  made.record.searchSeconds = secondsSince(start);
  for (const auto& coefficients : found) offer(trial, coefficients);
  return done.complete;
}

void BlockSearch::offer(int trial, const std::vector<std::int64_t>& coefficients) {
  Found found;
  found.trial = trial;
  found.coefficients = combined(trials_[static_cast<std::size_t>(trial)].transformation, coefficients);
  found.squaredNorm = squaredNormOf(block_, found.coefficients);
  if (!(found.squaredNorm > 0) || found.squaredNorm >= block_.at(0, 0) * block_.at(0, 0) * kShorter) return;
  const std::lock_guard lock(mutex_);
  // Of equally short ones always the same, in whatever order they come.
  if (best_ && std::tie(best_->squaredNorm, best_->trial, best_->coefficients) <=
                   std::tie(found.squaredNorm, found.trial, found.coefficients))
    return;
  best_ = std::move(found);
}

Transformation BlockSearch::finish() const {
  const Trial& first = trials_.front();
  if (!best_) return first.transformation;
  const std::vector<lattice::Integer> vector = combined(scaled_, best_->coefficients);
  return transformationTo(scaled_, svp::withVector(first.basis->basis, vector));
}

}  // namespace slicepool::reduce
