// Enumeration: from a request to its outcome. Reduces the basis, lets trials search (trials.hpp), ends with
// an unpruned search (proof.hpp) where that is feasible, saves and resumes. Called by the command line, the
// sweeps and library users.
#include "slicepool/svp/enumeration.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/automatic_choice.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/core/recent_rate.hpp"
#include "runtime/core/report_merge.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/svp/fixed_rates.hpp"
#include "runtime/svp/proof.hpp"
#include "runtime/svp/request_check.hpp"
#include "runtime/svp/saved_search.hpp"
#include "runtime/svp/trials.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::svp {
namespace {

using Clock = std::chrono::steady_clock;
using lattice::Integer;

/// Of the tours of the starting basis, whose quality trials replace.
constexpr int kStartBlockSize = 30;
/// Unpruned nodes up to which automatic mode does without devices.
constexpr double kCoresAlone = 2e7;
/// Rows from which on a search takes a second or more, whatever its first LLL leaves: that LLL alone lasts as
/// long as the start of a driver.
constexpr int kLongSearch = 70;
/// Nodes per second that are assumed of a GPU until they are measured.
constexpr double kGpuRate = 1.2e10;

std::string textOf(const std::vector<Integer>& entries) {
  std::string text = "[";
  for (std::size_t i = 0; i < entries.size(); ++i) text += (i == 0 ? "" : " ") + entries[i].str();
  return text + "]";
}

}  // namespace

class Enumeration::Impl final : public RunLife {
 public:
  Impl(Request request, EngineOptions options)
      : RunLife(std::move(options)), request_(std::move(request)), begun_(Clock::now()) {
    checkRequest(request_);
    refuseRanks("a search for a shortest vector", "one process: trials are not shared between ranks");
    slot_.useClock(options_);
    guard_.claim({{"checkpoint", options_.checkpointPath, OutputNeed::checkpoint}},
                 {{"basis", request_.basisPath}, {"gram", request_.gramPath}});
    input_ = lattice::readMatrix(matrixOf(request_));
    lattice::requireLattice(input_, matrixOf(request_).name());
    requireStrategies(blockSize());
    options_.checkpointIdentity = searchIdentity(request_, input_);
    expectDevices();
    limitMemory();
  }

  void run() override {
    if (started_.exchange(true)) throw Error("an enumeration runs once");
    const ReleaseAtEnd release(guard_);
    begun_ = Clock::now();
    saved_ = begun_;
    execute();
    slot_.finishTimes(report_);
  }

  void cancel() noexcept override { slot_.cancel(); }
  [[nodiscard]] bool stepping() const noexcept override { return stepping_.load() || slot_.stepping(); }

  [[nodiscard]] Progress progress() const override {
    const std::lock_guard lock(mutex_);
    Progress progress = slot_.progress();
    if (trials_ != nullptr) progress.steps = static_cast<double>(trials_->nodes());
    if (trials_ == nullptr && !proving_) progress.steps = static_cast<double>(stepsSoFar_);
    if (!proving_) {
      progress.totalSteps = 0;
      progress.stepsPerSecond = rate_.at(progress.seconds, progress.steps);
      progress = withTotal(progress, 0);
    } else if (expectedProof_.nodes > 0) {
      progress = withTotal(progress, expectedProof_.nodes);
    }
    progress.results = best_ ? best_->version() : 0;
    return progress;
  }

  [[nodiscard]] Outcome outcome() {
    requireRun();
    outcome_.run = std::move(report_);
    outcome_.run.automatic = choice_;
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] int blockSize() const {
    return request_.blockSize != 0 ? std::min(request_.blockSize, input_.dimension)
                                   : standardBlockSize(input_.dimension);
  }
  [[nodiscard]] bool hasFixedRates() const { return request_.rates == RateSource::fixed; }
  [[nodiscard]] bool exact() const { return request_.ghFactor == 0 && !request_.squaredNorm.given(); }

  void readCheckpoint(const std::string& path) override {
    SavedSearch saved = readSavedSearch(path, options_.checkpointIdentity, input_.dimension);
    state_ = std::move(saved.state);
    lattice::adoptForm(state_.start, input_);
    lattice::adoptForm(state_.reduced, input_);
    proofPath_ = saved.proving ? path : std::string();
    resumed_ = true;
  }

  void execute() {
    reduceStart();
    chooseWorkers();
    report_.stepsBefore = state_.nodes;
    report_.secondsBefore = state_.seconds;
    TrialsEnd end = TrialsEnd::proof;
    if (!exact() && goal_ == 0) {
      proven_ = true;  // norms are integers
      end = TrialsEnd::reached;
    } else {
      if (proofPath_.empty()) end = search();
      if (end == TrialsEnd::proof) end = prove();
    }
    clock().enter(Phase::merging);
    conclude(end);
  }

  /// The shortest row of the input is known, and a start for the trials.
  void reduceStart() {
    const PhaseScope reducing(&clock(), Phase::tables);
    const bool isLong = input_.dimension >= kLongSearch;
    if (isLong) startDevices();
    if (!resumed_) {
      const auto start = Clock::now();
      state_.start = looselyReduced(input_, [this] { return slot_.cancelled(); });
      if (!isLong && gpusMayJoin(options_) && hasLargeTree(state_.start)) startDevices();
      const auto toured = Clock::now();
      const auto basis =
          TrialReduction(state_.start).reduced(toursTo(kStartBlockSize, input_.dimension), [this] {
            return slot_.cancelled();
          });
      startSeconds_ = secondsSince(toured);
      // A checkpoint would keep the start as it is, and all trials of the run that goes on would begin there.
      startIsReduced_ = basis != nullptr;
      if (startIsReduced_) state_.start = basis->basis;
      state_.reduced = state_.start;
      state_.reductionSeconds += secondsSince(start);
    }
    norms_ = normsOf(state_.reduced);
    lattice::requireNormRange(norms_, matrixOf(request_).name());
    gaussian_ = lattice::gaussianSquaredRadius(norms_);
    if (!exact()) {
      target_ = request_.squaredNorm.given() ? request_.squaredNorm : targetByGaussian();
      goal_ = Integer(target_.integerPart());
    }
    {
      const std::lock_guard lock(mutex_);
      best_.emplace(goal_);
    }
    if (state_.best.squaredNorm != 0) {
      best_->offer(state_.best);
      seenVersion_ = best_->version();  // a run before has found it, at its time
    }
    offer(shortestRow(state_.start));
    if (exact() && !state_.uncapped)
      best_->setCap(Integer(std::floor(sufficientSquaredRadius(input_.dimension, gaussian_))));
  }

  /// Their driver starts while the basis is reduced: from the first LLL on where the search is long in any
  /// case, and after it where its tree is not small then. A smaller tree follows from the reduction.
  void startDevices() const {
    if (gpusMayJoin(options_)) startGpus(options_.device.deviceIndex, options_.devices);
  }
  [[nodiscard]] static bool hasLargeTree(const lattice::IntegerBasis& basis) {
    const Integer bound = shortestRow(basis).squaredNorm;
    return unprunedNodes(normsOf(basis), bound.convert_to<double>()) >= kCoresAlone;
  }

  [[nodiscard]] lattice::SquaredRadius targetByGaussian() const {
    constexpr double kLeast = 1e-300;  // of a SquaredRadius
    constexpr double kGreatest = 1e300;
    const double target = request_.ghFactor * request_.ghFactor * gaussian_ * (1 + std::ldexp(1.0, -44));
    if (target >= kLeast && target <= kGreatest) return target;
    throw ConfigError("target", fmt::format("gh:{}", request_.ghFactor),
                      fmt::format("gh:F where F^2 times {:.3g}, the squared Gaussian heuristic of this "
                                  "lattice, is from 1e-300 to 1e300",
                                  gaussian_));
  }

  void offer(KnownVector vector) {
    if (best_->offer(std::move(vector))) noteFound();
  }
  void noteFound() {
    state_.foundSeconds = state_.seconds + secondsSince(begun_);
    seenVersion_ = best_->version();
  }

  void chooseWorkers() {
    mode_ = options_.mode;
    if (mode_ == Mode::gpu) awaitDevices();
    if (mode_ == Mode::automatic || (mode_ == Mode::hybrid && !gpuIsReady(options_.device.deviceIndex))) {
      const PhaseScope waiting(&clock(), Phase::devices);
      choice_ = chooseDevices();
      mode_ = choice_->devices ? Mode::hybrid : Mode::cpu;
    }
    threads_ = options_.threads > 0 ? options_.threads : availableCores();
    if (hasFixedRates()) rates_.core = kFixedCoreRate;
    if (mode_ == Mode::gpu || mode_ == Mode::hybrid)
      rates_.device = hasFixedRates() ? kFixedGpuRate : kGpuRate;
    if (mode_ == Mode::emulated) rates_.device = kFixedEmulatorRate;
    coresSearch_ = mode_ != Mode::gpu && (mode_ != Mode::emulated || options_.emulator.withCpuWorkers);
    outcome_.blockSize = blockSize();
  }

  /// Their driver has been starting since the tree was seen to be large. In mode hybrid, throws DeviceError
  /// where it finds none.
  [[nodiscard]] AutomaticChoice chooseDevices() const {
    if (!gpusAreLikely()) return withoutGpus();
    if (best_->reached()) return withoutDevices("the reduced basis has a vector that is short enough");
    AutomaticChoice choice;
    choice.reason = "the size of an unpruned tree is unknown";
    if (best_->bound() > 0) {
      choice.stepsLeft = unprunedNodes(norms_, best_->bound());
      const bool small = *choice.stepsLeft < kCoresAlone;
      choice.reason = fmt::format("an unpruned tree has about {:.3g} nodes, {} for CPU workers alone",
                                  *choice.stepsLeft, small ? "few enough" : "too many");
      if (small) return choice;
    }
    if (mode_ == Mode::hybrid)
      (void)requireGpus();
    else if (const GpuList gpus = knownGpus(); gpus.gpus.empty())
      return withoutGpus(gpus.whyNone);
    choice.devices = true;
    choice.askedSeconds = 0;
    return choice;
  }

  TrialsEnd search() {
    savedTrials_ = state_.trials.size();
    std::vector<std::unique_ptr<TreeSearch>> devices;
    if (mode_ != Mode::cpu) devices = makeTreeSearches(optionsOf(mode_));
    rates_.device *= static_cast<double>(devices.size());
    TrialSettings settings;
    settings.request = &request_;
    // Each device is driven by a core.
    settings.threads = std::max(1, threads_ - static_cast<int>(devices.size()));
    settings.coresSearch = coresSearch_;
    for (const auto& device : devices) settings.devices.push_back(device.get());
    settings.tours = toursTo(outcome_.blockSize, input_.dimension);
    settings.gaussianSquaredRadius = gaussian_;
    settings.exact = exact();
    settings.startSeconds = startSeconds_;
    if (hasFixedRates()) settings.fixedReduction = fixedReductionSeconds(settings.tours, input_.dimension);
    settings.session = options_.session;
    settings.stepLimit = options_.stepLimit == 0 ? 0 : state_.nodes + options_.stepLimit;
    settings.reducedNorms = norms_;
    const PhaseScope searching(&clock(), Phase::search);
    Trials trials(settings, state_, *best_, rates_, [this] { return slot_.cancelled(); });
    setTrials(&trials);
    stepping_ = true;  // reductions are most of what is done: a time limit counts from here
    const struct Unset {
      Impl& impl;
      ~Unset() { impl.setTrials(nullptr); }
    } unset{*this};
    const TrialsEnd end = trials.run([this] { attend(); });
    if (best_->version() != seenVersion_) noteFound();
    expectedProof_ = trials.proofCost();
    RunReport done;
    done.seconds = trials.seconds();
    for (const auto& worker : trials.coreReports())
      if (worker.turns != 0) done.workers.push_back(worker);
    for (const auto& device : devices) addReportAt(done, device->report(done.seconds), 0);
    computeWaiting(done, done.seconds);
    addReport(report_, done);
    for (const auto& warning : trials.warnings()) addWarning(report_, warning);
    if (!devices.empty() && report_.seconds > 0) {
      outcome_.deviceBusyShare =
          trials.deviceBusySeconds() / (report_.seconds * static_cast<double>(devices.size()));
    }
    return end;
  }

  /// From the thread of run(), every few ms, with the state locked.
  void attend() {
    if (best_->version() != seenVersion_) noteFound();
    if (options_.onProgress && Clock::now() - told_ >= options_.progressInterval) {
      told_ = Clock::now();
      options_.onProgress(progress());
    }
    if (options_.checkpointPath.empty() || options_.checkpointInterval.count() == 0) return;
    if (state_.trials.size() == savedTrials_) return;  // there is nothing new to save
    if (Clock::now() - saved_ < options_.checkpointInterval) return;
    saved_ = Clock::now();
    savedTrials_ = state_.trials.size();
    if (saves_.attempt([this] { saveState(); },
                       [this](const std::string& text) { addWarning(report_, text); }) &&
        options_.onCheckpoint)
      options_.onCheckpoint(options_.checkpointPath);
  }

  [[nodiscard]] SearchState currentState() const {
    SearchState state = state_;
    state.best = best_->known();
    state.seconds += secondsSince(begun_);
    return state;
  }

  void saveState() {
    report_.checkpointBytes =
        writeSavedSearch(options_.checkpointPath, options_.checkpointIdentity, currentState());
    ++report_.checkpoints;
  }

  TrialsEnd prove() {
    best_->setCap(0);
    if (proofPath_.empty()) {
      const PhaseScope reducing(&clock(), Phase::tables);
      strengthen(state_, *best_, outcome_.blockSize, nodesPerSecond(), request_.rates,
                 [this] { return slot_.cancelled(); });
      if (best_->version() != seenVersion_) noteFound();
    }
    if (slot_.cancelled()) return TrialsEnd::stopped;
    if (best_->reached()) return TrialsEnd::reached;
    norms_ = normsOf(state_.reduced);
    expectedProof_.nodes = unprunedNodes(norms_, best_->bound());
    expectedProof_.seconds = expectedProof_.nodes / nodesPerSecond();
    if (request_.onProof) request_.onProof(expectedProof_);
    const PhaseScope searching(&clock(), Phase::search);
    Proof proof(
        state_.reduced, mode_ != Mode::cpu, *best_, [this] { return packState(currentState()); },
        [this] { noteFound(); },  // before a checkpoint says when
        [this] { slot_.cancel(); });
    EngineOptions options = optionsOf(mode_);
    if (options.stepLimit != 0) options.stepLimit -= std::min(options.stepLimit - 1, stepsOfThisRun());
    {
      const std::lock_guard lock(mutex_);
      proving_ = true;
    }
    const auto start = Clock::now();
    RunReport report = slot_.run(proof.problem(), options, &proof.consumer(), 1, proofPath_);
    outcome_.proofSeconds = report.secondsBefore + secondsSince(start);
    outcome_.proofNodes = proof.nodes(report.words);
    const double seconds = report_.seconds + report.seconds;
    for (auto& worker : report_.workers) {
      const auto isSame = [&](const WorkerReport& other) { return other.name == worker.name; };
      if (std::none_of(report.workers.begin(), report.workers.end(), isSame))
        worker.waitingSeconds = worker.waitingSeconds.value_or(0) + report.seconds;
    }
    addReport(report_, report);
    report_.seconds = seconds;
    report_.secondsBefore = state_.seconds;  // those of the proof are among them
    provingSaved_ = report.checkpoints != 0;
    if (best_->reached()) return TrialsEnd::reached;
    if (!report.complete) return TrialsEnd::stopped;
    proven_ = true;
    return TrialsEnd::reached;
  }

  [[nodiscard]] std::uint64_t stepsOfThisRun() const { return state_.nodes - report_.stepsBefore; }

  [[nodiscard]] double nodesPerSecond() const {
    return rates_.device + (coresSearch_ ? rates_.core * threads_ : 0);
  }

  /// For an engine of this run.
  [[nodiscard]] EngineOptions optionsOf(Mode mode) const {
    EngineOptions options = options_;
    options.mode = mode;
    return options;
  }

  void setTrials(const Trials* trials) {
    const std::lock_guard lock(mutex_);
    trials_ = trials;
    stepsSoFar_ = state_.nodes;
  }

  void conclude(TrialsEnd end) {
    for (const auto& warning : guard_.warnings()) addWarning(report_, warning);
    describe(end);
    report_.steps = outcome_.nodes;
    computeShares(report_);
    finished_ = end != TrialsEnd::stopped;
    report_.complete = finished_;
    if (finished_) {
      dropCheckpoints();
      return;
    }
    // The trials of a run that goes on from it would all begin at a start that was left half reduced.
    if (!startIsReduced_) return;
    if (!options_.checkpointPath.empty() && !provingSaved_) {
      const PhaseScope writing(&clock(), Phase::writing);
      saveState();
    }
    outcome_.checkpointPath = options_.checkpointPath;
  }

  void describe(TrialsEnd end) {
    const KnownVector known = best_->known();
    outcome_.dimension = input_.dimension;
    outcome_.exact = exact();
    outcome_.target = target_;
    outcome_.squaredNorm = known.squaredNorm.str();
    outcome_.text = textOf(known.entries);
    outcome_.gaussianSquaredRadius = gaussian_;
    outcome_.ghRatio = std::sqrt(known.squaredNorm.convert_to<double>() / gaussian_);
    outcome_.foundSeconds = state_.foundSeconds;
    outcome_.successProbability = 1 - state_.failure;
    outcome_.trials = state_.trials.size();
    outcome_.inserted = state_.inserted;
    outcome_.reductionSeconds = state_.reductionSeconds;
    outcome_.pruningSeconds = state_.pruningSeconds;
    outcome_.searchSeconds = state_.searchSeconds;
    outcome_.nodes = state_.nodes + outcome_.proofNodes;
    const bool least = known.squaredNorm == 1;
    outcome_.proven = proven_ || (exact() && least && end == TrialsEnd::reached);
    outcome_.found =
        exact() ? end == TrialsEnd::enough || end == TrialsEnd::reached : known.squaredNorm <= goal_;
    if (!best_->reached()) outcome_.expectedProof = expectedProof_;
  }

  Request request_;
  lattice::IntegerBasis input_;
  SearchState state_;
  std::optional<BestVector> best_;
  lattice::SquaredRadius target_;
  std::vector<double> norms_;  ///< of state_.reduced
  Integer goal_ = 0;           ///< the greatest squared norm that is good enough
  double gaussian_ = 0;
  double startSeconds_ = 0;
  Mode mode_ = Mode::cpu;
  int threads_ = 1;
  bool coresSearch_ = true;
  Rates rates_;
  bool resumed_ = false;
  bool startIsReduced_ = true;  ///< no stop came before
  std::string proofPath_;       ///< of a checkpoint of the unpruned search
  bool provingSaved_ = false;
  bool proven_ = false;
  ProofCost expectedProof_;
  Outcome outcome_;
  RunReport report_;
  EngineSlot slot_;
  IntervalSaves saves_;
  std::atomic<bool> stepping_{false};
  Clock::time_point begun_;
  Clock::time_point saved_;
  std::size_t savedTrials_ = 0;
  Clock::time_point told_;
  std::uint64_t seenVersion_ = 0;
  mutable std::mutex mutex_;  ///< of what follows
  const Trials* trials_ = nullptr;
  bool proving_ = false;
  std::uint64_t stepsSoFar_ = 0;
  mutable RecentRate rate_;
};

Enumeration::Enumeration(Request request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}
Outcome Enumeration::outcome() { return static_cast<Impl&>(life()).outcome(); }

}  // namespace slicepool::svp
