// See trials.hpp: the threads, what they share, and when they end. Single trials are in trial_steps.cpp.
#include "runtime/svp/trials.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/session_impl.hpp"
#include "slicepool/core/session.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::svp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAttention{10};
/// Seconds that any trial takes: the smallest lattices do without.
constexpr double kLeastTrial = 1e-3;
/// Of a trial, as long as there was none.
constexpr double kFirstProbability = 0.5;

/// Of `best`, as far as the basis has it; an interrupted run may not have come to that.
std::uint64_t versionIn(const lattice::IntegerBasis& start, const BestVector& best) {
  const bool has = shortestRow(start).squaredNorm <= best.known().squaredNorm;
  return best.version() - (has ? 0 : 1);
}

}  // namespace

Trials::Trials(TrialSettings settings, SearchState& state, BestVector& best, Rates& rates,
               std::function<bool()> cancelled)
    : settings_(std::move(settings)),
      state_(state),
      best_(best),
      rates_(rates),
      cancelled_(std::move(cancelled)),
      reduction_(std::make_shared<const TrialReduction>(state.start)),
      seenVersion_(versionIn(state.start, best)),
      devices_(settings_.devices.size()),
      lastProbability_(state.trials.empty() ? kFirstProbability : state.trials.back().second),
      reducedNorms_(settings_.reducedNorms),
      nodes_(state.nodes) {
  workers_.resize(static_cast<std::size_t>(settings_.threads));
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i].name = fmt::format("cpu{}", i);
    workers_[i].kind = "cpu";
  }
}

TrialsEnd Trials::run(const std::function<void()>& attend) {
  begun_ = Clock::now();
  for (TreeSearch* device : settings_.devices) device->beginAt(begun_);
  {
    const std::lock_guard lock(mutex_);
    decide();
  }
  if (!ended_) {
    Session::Impl& session = settings_.session->impl();
    const auto arena = session.arena(settings_.threads);
    std::atomic<bool> producing{true};
    std::vector<ThreadCrew::Work> work;
    const struct Wait {
      std::vector<ThreadCrew::Work>& work;
      ~Wait() {
        for (const auto& one : work) one.wait();
      }
    } wait{work};
    work.push_back(session.helpers().start([&] {
      arena->run([this](std::size_t worker) { produce(worker); });
      producing = false;
      changed_.notify_all();
    }));
    try {
      for (TreeSearch* device : settings_.devices)
        work.push_back(session.drivers().start([this, device] { driveDevice(*device); }));
    } catch (...) {
      fail(std::current_exception());
    }
    while (producing) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kAttention);
      if (cancelled_() && !ended_) {
        end_ = TrialsEnd::stopped;
        ended_ = true;
        changed_.notify_all();
      }
      if (ended_) continue;
      try {
        attend();
      } catch (...) {
        lock.unlock();
        fail(std::current_exception());
      }
    }
    const std::lock_guard lock(mutex_);
    decide();
    ended_ = true;  // for the thread that drives the device
    changed_.notify_all();
  }
  seconds_ = secondsSince(begun_);
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  return end_;
}

/// One thread of the arena; throws nothing.
void Trials::produce(std::size_t worker) {
  try {
    makeTrials(workers_[worker]);
  } catch (...) {
    fail(std::current_exception());
  }
}

void Trials::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  ended_ = true;
  changed_.notify_all();
}

bool Trials::stopping() const { return ended_ || best_.reached() || cancelled_(); }

/// One thread; throws nothing.
void Trials::driveDevice(TreeSearch& device) {
  try {
    searchQueue(device);
  } catch (const DeviceError& error) {
    loseDevice(error);
  } catch (...) {
    fail(std::current_exception());
  }
}

void Trials::searchQueue(TreeSearch& device) {
  for (;;) {
    Tree tree;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ended_ || !queue_.empty(); });
      if (ended_) return;
      tree = std::move(queue_.front());
      queue_.pop_front();
      changed_.notify_all();
    }
    const auto start = Clock::now();
    TreeResult result;
    try {
      result = device.search(
          tree, best_, [this] { return stopping(); });
    } catch (const DeviceError&) {
      const std::lock_guard lock(mutex_);
      queue_.push_front(std::move(tree));
      throw;
    }
    {
      const std::lock_guard lock(mutex_);
      deviceBusySeconds_ += secondsSince(start);
    }
    account(tree, result, true);
  }
}

/// The others go on without it, if there are others that search.
void Trials::loseDevice(const DeviceError& error) {
  {
    const std::lock_guard lock(mutex_);
    if (devices_ > 1 || settings_.coresSearch) {
      rates_.device *= static_cast<double>(devices_ - 1) / static_cast<double>(devices_);
      --devices_;
      warnings_.emplace_back(error.what());
      changed_.notify_all();
      return;
    }
  }
  fail(std::make_exception_ptr(error));
}

/// Locked. `rates_.device` is of all devices together, `searchMean_` of the tree of one.
bool Trials::deviceHasRoom(const Tree& tree) const {
  const double search =
      searchMean_ > 0 ? searchMean_ : tree.profile.nodes / rates_.device * static_cast<double>(devices_);
  return treeMayWait(queue_.size(), devices_, search, reductionMean_);
}

/// Whether a device takes the tree. Where cores search as well, a full queue means that they search.
bool Trials::enqueue(Tree& tree) {
  std::unique_lock lock(mutex_);
  if (!settings_.coresSearch) changed_.wait(lock, [&] { return ended_ || deviceHasRoom(tree); });
  if (ended_ || devices_ == 0 || !deviceHasRoom(tree)) return false;
  queue_.push_back(std::move(tree));
  changed_.notify_all();
  return true;
}

/// Locked. What the search as a whole does next.
void Trials::decide() {
  if (ended_) return;
  const auto end = [this](TrialsEnd how) {
    end_ = how;
    ended_ = true;
    changed_.notify_all();
  };
  if (best_.reached()) return end(TrialsEnd::reached);
  if (settings_.stepLimit != 0 && nodes_ >= settings_.stepLimit) return end(TrialsEnd::stopped);
  Next next = nextStep(situation());
  if (next != Next::trials && best_.capped() && state_.failure <= 1 - settings_.request->probability) {
    // No vector is within the radius that any random lattice has one in.
    state_.uncapped = true;
    state_.failure = 1;
    best_.setCap(0);
    sharedProfile_.reset();
    next = nextStep(situation());
  }
  if (next == Next::proof) end(TrialsEnd::proof);
  if (next == Next::end) end(TrialsEnd::enough);
}

Situation Trials::situation() const {
  Situation now;
  now.exact = settings_.exact;
  now.dimension = state_.start.dimension;
  now.squaredRadius = best_.radius().convert_to<double>();
  now.provenRadius = settings_.exact ? best_.known().squaredNorm.convert_to<double>() - 1 : now.squaredRadius;
  now.gaussianSquaredRadius = settings_.gaussianSquaredRadius;
  now.failure = state_.failure;
  now.wanted = settings_.request->probability;
  now.trialProbability = lastProbability_;
  now.trialSeconds = trialWallSeconds();
  now.proofSeconds = proofCost().seconds;
  // What takes no time is done in any case.
  now.proofLimit = std::max(settings_.request->proofLimit, kShortProof);
  return now;
}

/// Locked. Of a trial.
double Trials::reductionSeconds() const { return measures() ? reductionMean_ : settings_.fixedReduction; }

/// Before there is a trial, the tours of the start tell. With fixed rates the search of a tree is taken to
/// last as long as a reduction, about which the pruner aims at.
double Trials::trialWallSeconds() const {
  const double reduction = !measures()          ? reductionSeconds()
                           : reductionMean_ > 0 ? reductionMean_ + pruningMean_
                                                : 2 * settings_.startSeconds;
  const double search = measures() ? searchMean_ : reduction;
  const double threads = settings_.threads;
  const double devices = measures() ? static_cast<double>(devices_) : threads;
  const double seconds =
      devices_ == 0 ? (reduction + search) / threads : std::max(reduction / threads, search / devices);
  return std::max(seconds, kLeastTrial);
}

ProofCost Trials::proofCost() const {
  const double radius =
      (settings_.exact ? best_.known().squaredNorm - 1 : best_.radius()).convert_to<double>();
  ProofCost cost;
  cost.nodes = radius > 0 ? unprunedNodes(reducedNorms_, radius) : 0;
  const double cores = settings_.coresSearch ? rates_.core * settings_.threads : 0;
  cost.seconds = cost.nodes / (rates_.device + cores);
  return cost;
}

}  // namespace slicepool::svp
