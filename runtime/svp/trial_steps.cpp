// One trial: from its number to a reduced basis, a pruning and a search, and what is learned from it. See
// trials.hpp.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "runtime/core/report_merge.hpp"
#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/svp/trials.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::svp {
namespace {

using Clock = std::chrono::steady_clock;

/// A pruning of its own for each basis, as long as that takes no more than this part of its reduction.
constexpr double kPruningShare = 0.1;
/// Cells of an estimate of the nodes of a pruned tree.
constexpr std::size_t kCells = 256;
/// Nodes that a reduction counts as where it has no influence: a measured cost would not be the same twice.
constexpr double kAnyCost = 1e6;
/// Weight of the newest of what is averaged.
constexpr double kNewest = 0.2;
/// Seconds; a shorter search says nothing about the rate of a core, or of a device.
constexpr double kCoreSample = 1e-3;
constexpr double kDeviceSample = 1e-2;

/// Expected, of a tree; no `pruning`: of an unpruned one.
double treeNodes(const std::vector<double>& norms, double squaredRadius, std::vector<double> pruning) {
  lattice::ProblemSpec spec;
  spec.dimension = static_cast<int>(norms.size());
  spec.norms = norms;
  spec.squaredRadius = squaredRadius;
  spec.pruning = std::move(pruning);
  const std::vector<double> levels = lattice::expectedNodes(spec, kCells);
  return std::accumulate(levels.begin(), levels.end(), 0.0);
}

void average(double& mean, double value) {
  mean = mean == 0 ? value : (1 - kNewest) * mean + kNewest * value;
}

void learn(double& rate, bool& measured, double value) {
  rate = measured ? (1 - kNewest) * rate + kNewest * value : value;
  measured = true;
}

}  // namespace

double unprunedNodes(const std::vector<double>& norms, double squaredRadius) {
  return treeNodes(norms, squaredRadius, {});
}

void Trials::makeTrials(WorkerReport& worker) {
  worker.readySeconds = 0;
  while (!stopping()) {
    const double begin = secondsSince(begun_);
    insertFound();
    if (std::optional<Tree> left = treeOfLostDevices()) {
      left->profile = profileFor(*left->basis, false);
      searchHere(std::move(*left), worker, begin);
      continue;
    }
    std::uint64_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = state_.nextTrial(nextNumber_);
      nextNumber_ = number + 1;
    }
    std::optional<Tree> tree = makeTree(number);
    addTurn(worker, begin);
    ++worker.turns;
    if (!tree || stopping()) break;
    if (!settings_.devices.empty()) {
      if (enqueue(*tree)) continue;
      if (!settings_.coresSearch || stopping()) break;
    }
    const double again = secondsSince(begun_);
    if (!settings_.devices.empty()) tree->profile = profileFor(*tree->basis, false);
    searchHere(std::move(*tree), worker, again);
  }
  const std::lock_guard lock(mutex_);
  decide();
}

/// One that began `begin` seconds after the trials and ends now.
void Trials::addTurn(WorkerReport& worker, double begin) const {
  const double end = secondsSince(begun_);
  worker.busySeconds += end - begin;
  noteTurn(worker, begin, end);
}

std::optional<Tree> Trials::treeOfLostDevices() {
  const std::lock_guard lock(mutex_);
  if (devices_ != 0 || queue_.empty()) return std::nullopt;
  std::optional<Tree> tree = std::move(queue_.front());
  queue_.pop_front();
  return tree;
}

std::optional<Tree> Trials::makeTree(std::uint64_t number) {
  std::shared_ptr<const TrialReduction> reduction;
  {
    const std::lock_guard lock(mutex_);
    reduction = reduction_;
  }
  const auto start = Clock::now();
  Tree tree;
  tree.trial = number;
  tree.basis = reduction->trial(
      settings_.request->seed, number, settings_.tours, [this] { return stopping(); },
      [this](KnownVector row) { best_.offer(std::move(row)); });
  {
    const std::lock_guard lock(mutex_);
    const double seconds = secondsSince(start);
    state_.reductionSeconds += seconds;
    if (tree.basis != nullptr) average(reductionMean_, seconds);
  }
  if (tree.basis == nullptr) return std::nullopt;
  best_.offer(shortestRow(tree.basis->basis));
  keepIfBest(*tree.basis);
  if (stopping()) return std::nullopt;
  tree.radius = best_.radius();
  tree.profile = profileFor(*tree.basis, !settings_.devices.empty());
  return tree;
}

/// The pruning for a basis within the radius of the moment, given what its reduction costs in nodes. Where
/// the pruner takes long, bases share one: for devices while trees are as large as they should be, and while
/// a thread makes the next one; for cores while the radius is the same.
Profile Trials::profileFor(const ReducedBasis& basis, bool forDevice) {
  const auto start = Clock::now();
  const lattice::Integer radius = best_.radius();
  ProfileRequest request;
  request.norms = &basis.norms;
  request.squaredRadius = radius.convert_to<double>();
  request.wanted = settings_.request->probability;
  request.fixed = settings_.request->trialProbability;
  const bool balances = forDevice && measures() && request.fixed == 0;
  double cost = kAnyCost;  // of a reduction, in nodes
  double price = 1;
  {
    const std::lock_guard lock(mutex_);
    const double expected = expectedVectors(static_cast<int>(basis.norms.size()), request.squaredRadius,
                                            settings_.gaussianSquaredRadius);
    if (!settings_.exact) request.expectedVectors = vectorsToCountOn(expected, state_.failure);
    if (request.fixed == 0)
      cost = forDevice ? reductionSeconds() / settings_.threads * rates_.device
                       : reductionSeconds() * rates_.core;
    if (balances) price = reductionPrice_;
    const bool isDear = measures() && pruningMean_ > kPruningShare * reductionMean_;
    const bool isAlike = sharedForDevice_ == forDevice && sharedVectors_ == request.expectedVectors;
    if (sharedProfile_ && isAlike && request.fixed == 0 && isDear) {
      if (!balances && sharedRadius_ == radius) return *sharedProfile_;
      if (balances) {
        Profile again = *sharedProfile_;
        again.nodes = treeNodes(basis.norms, request.squaredRadius, again.coefficients);
        if (prunes_ || isBalanced(again.nodes, cost)) return again;
      }
    }
    if (balances) prunes_ = true;
  }
  request.reductionNodes = price * cost;
  Profile profile = pruningProfile(request);
  if (balances) profile.nodes = treeNodes(basis.norms, request.squaredRadius, profile.coefficients);
  const std::lock_guard lock(mutex_);
  const double seconds = secondsSince(start);
  state_.pruningSeconds += seconds;
  average(pruningMean_, seconds);
  lastProbability_ = profile.probability;
  if (balances) {
    prunes_ = false;
    reductionPrice_ = balancingPrice(price, profile.nodes, cost);
  }
  sharedProfile_ = profile;
  sharedRadius_ = radius;
  sharedForDevice_ = forDevice;
  sharedVectors_ = request.expectedVectors;
  return profile;
}

/// `begin`: of this turn.
void Trials::searchHere(Tree tree, WorkerReport& worker, double begin) {
  const std::uint64_t before = best_.version();
  const TreeResult result = searchTree(tree, best_, [this] { return stopping(); });
  addTurn(worker, begin);
  worker.steps += result.nodes;
  worker.results += best_.version() - before;
  account(tree, result, false);
}

void Trials::account(const Tree& tree, const TreeResult& result, bool onDevice) {
  nodes_ += result.nodes;
  const std::lock_guard lock(mutex_);
  state_.nodes += result.nodes;
  if (!onDevice) state_.searchSeconds += result.seconds;
  const double rate = static_cast<double>(result.nodes) / result.seconds;
  if (measures() && !onDevice && result.seconds >= kCoreSample) learn(rates_.core, rates_.coreMeasured, rate);
  if (measures() && onDevice && result.seconds >= kDeviceSample)
    learn(rates_.device, rates_.deviceMeasured, rate * static_cast<double>(devices_));
  if (result.complete) {
    if (onDevice == !settings_.devices.empty()) average(searchMean_, result.seconds);
    state_.trials.emplace_back(tree.trial, tree.profile.probability);
    // A tree for a smaller radius says nothing about the present one.
    if (tree.radius >= best_.radius()) state_.failure *= 1 - tree.profile.probability;
  }
  decide();
}

void Trials::keepIfBest(const ReducedBasis& basis) {
  const std::lock_guard lock(mutex_);
  const double radius = best_.known().squaredNorm.convert_to<double>();
  if (unprunedNodes(basis.norms, radius) >= unprunedNodes(reducedNorms_, radius)) return;
  state_.reduced = basis.basis;
  reducedNorms_ = basis.norms;
}

/// What was found since goes into the starting basis, by one thread; the others go on with the old one.
void Trials::insertFound() {
  lattice::IntegerBasis base;
  std::uint64_t version = 0;
  {
    const std::lock_guard lock(mutex_);
    version = best_.version();
    if (version == seenVersion_ || inserting_) return;
    inserting_ = true;
    base = state_.reduced;
  }
  lattice::IntegerBasis start = withVector(base, best_.known().entries);
  auto reduction = std::make_shared<const TrialReduction>(start);
  const std::lock_guard lock(mutex_);
  state_.start = std::move(start);
  reduction_ = std::move(reduction);
  seenVersion_ = version;
  inserting_ = false;
  ++state_.inserted;
}

}  // namespace slicepool::svp
