// The trials of a search for a shortest vector: threads of the arena rerandomise and reduce, choose a pruning
// and search, or hand what they reduced to a device. Called by enumeration.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/svp/balance.hpp"
#include "runtime/svp/best_vector.hpp"
#include "runtime/svp/search_state.hpp"
#include "runtime/svp/trees.hpp"
#include "runtime/svp/trial_reduction.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/svp/enumeration.hpp"

namespace slicepool::svp {

/// Nodes per second, measured as the search goes; before that, what is usual.
struct Rates {
  double core = 3e7;  ///< one core
  double device = 0;  ///< all devices together; 0: there is none
  bool coreMeasured = false;
  bool deviceMeasured = false;
};

struct TrialSettings {
  const Request* request = nullptr;
  int threads = 1;                   ///< that reduce and search
  bool coresSearch = true;           ///< false: all trees are for the device
  std::vector<TreeSearch*> devices;  ///< none: cores search all trees
  Tours tours;
  double gaussianSquaredRadius = 0;
  bool exact = true;
  double startSeconds = 0;    ///< that the reduction of the start took
  double fixedReduction = 0;  ///< seconds that a reduction is taken to last; 0: rates are measured
  std::shared_ptr<Session> session;
  std::uint64_t stepLimit = 0;       ///< nodes after which it stops, those of earlier runs included; 0: none
  std::vector<double> reducedNorms;  ///< |b*_i|^2 of the state's reduced basis
};

/// An unpruned search that is expected to take no longer, in seconds, is done whatever the limit.
inline constexpr double kShortProof = 0.1;

enum class TrialsEnd : std::uint8_t {
  reached,  ///< the goal
  proof,    ///< the unpruned search is next
  enough,   ///< the wanted probability is spent, and a proof takes too long
  stopped   ///< cancelled
};

class Trials {
 public:
  /// `state` and `best` must outlive it. `cancelled` is asked by all threads.
  Trials(TrialSettings settings, SearchState& state, BestVector& best, Rates& rates,
         std::function<bool()> cancelled);

  /// `attend` is called by this thread every few ms, with the state locked.
  TrialsEnd run(const std::function<void()>& attend);

  /// Of the unpruned search of the best basis at the moment.
  [[nodiscard]] ProofCost proofCost() const;
  /// Any thread: nodes of trees so far.
  [[nodiscard]] std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
  /// After run(): what cores did.
  [[nodiscard]] std::vector<WorkerReport> coreReports() const { return workers_; }
  [[nodiscard]] double deviceBusySeconds() const { return deviceBusySeconds_; }  ///< of all together
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  void produce(std::size_t worker);
  void makeTrials(WorkerReport& worker);
  void driveDevice(TreeSearch& device);
  void searchQueue(TreeSearch& device);
  void loseDevice(const DeviceError& error);
  [[nodiscard]] bool deviceHasRoom(const Tree& tree) const;
  /// What waits for devices of which none is left.
  std::optional<Tree> treeOfLostDevices();
  std::optional<Tree> makeTree(std::uint64_t number);
  [[nodiscard]] Profile profileFor(const ReducedBasis& basis, bool forDevice);
  [[nodiscard]] bool enqueue(Tree& tree);
  void searchHere(Tree tree, WorkerReport& worker, double begin);
  void addTurn(WorkerReport& worker, double begin) const;
  void account(const Tree& tree, const TreeResult& result, bool onDevice);
  void keepIfBest(const ReducedBasis& basis);
  void insertFound();
  void decide();
  [[nodiscard]] Situation situation() const;
  [[nodiscard]] bool measures() const { return settings_.fixedReduction == 0; }
  [[nodiscard]] double reductionSeconds() const;
  [[nodiscard]] double trialWallSeconds() const;
  [[nodiscard]] bool stopping() const;
  void fail(std::exception_ptr error);

  TrialSettings settings_;
  SearchState& state_;
  BestVector& best_;
  Rates& rates_;
  std::function<bool()> cancelled_;

  std::chrono::steady_clock::time_point begun_;  ///< run()
  mutable std::mutex mutex_;                     ///< of the state, the rates and what follows
  std::condition_variable changed_;
  std::shared_ptr<const TrialReduction> reduction_;
  std::uint64_t nextNumber_ = 0;
  std::uint64_t seenVersion_ = 0;  ///< of `best`, as far as the starting basis has it
  bool inserting_ = false;
  std::deque<Tree> queue_;
  std::size_t devices_;  ///< that work
  double lastProbability_;
  std::vector<double> reducedNorms_;  ///< |b*_i|^2 of state.reduced
  double reductionMean_ = 0;
  double searchMean_ = 0;
  double pruningMean_ = 0;
  std::optional<Profile> sharedProfile_;
  lattice::Integer sharedRadius_ = 0;
  bool sharedForDevice_ = false;
  double sharedVectors_ = 0;   ///< that its pruning counts on
  double reductionPrice_ = 1;  ///< by which the cost of a reduction is multiplied for the pruner
  bool prunes_ = false;        ///< a thread makes another pruning for devices
  TrialsEnd end_ = TrialsEnd::stopped;
  std::exception_ptr error_;
  std::vector<WorkerReport> workers_;
  std::vector<std::string> warnings_;
  double deviceBusySeconds_ = 0;
  double seconds_ = 0;
  std::atomic<bool> ended_{false};
  std::atomic<std::uint64_t> nodes_{0};
};

/// Expected nodes of the unpruned tree.
[[nodiscard]] double unprunedNodes(const std::vector<double>& norms, double squaredRadius);

}  // namespace slicepool::svp
