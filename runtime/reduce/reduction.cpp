// Reduction: from a request to its outcome. LLL of the whole basis, then tours (tours.hpp); saves, resumes
// and writes the basis. Called by the command line, the sweeps and library users.
#include "slicepool/reduce/reduction.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/automatic_choice.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/recent_rate.hpp"
#include "runtime/core/report_merge.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/io/text_output.hpp"
#include "runtime/lattice/gram_reduction.hpp"
#include "runtime/reduce/figures.hpp"
#include "runtime/reduce/reduction_state.hpp"
#include "runtime/reduce/request_check.hpp"
#include "runtime/reduce/tours.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::reduce {
namespace {

using Clock = std::chrono::steady_clock;

/// Expected nodes from which on a tree is worth a launch of its own, beside cores that search as well and
/// where they do not.
constexpr double kDeviceNodes = 3e7;
constexpr double kAllDeviceNodes = 1e5;
/// The same for the lane emulator, which is for tests.
constexpr double kEmulatorNodes = 1e3;
/// Expected nodes from which on all cores search a tree together: some milliseconds of one.
constexpr double kSharedNodes = 5e5;
/// Smaller blocks have no tree for a device, and automatic mode does without one.
constexpr int kDeviceBlock = 70;

constexpr double kLogTwo = 0.69314718055994530942;

}  // namespace

class Reduction::Impl final : public RunLife {
 public:
  Impl(Request request, EngineOptions options)
      : RunLife(std::move(options)), request_(std::move(request)), begun_(Clock::now()) {
    checkRequest(request_);
    // Before the first LLL, which may last long.
    if (request_.blockSize != 0) svp::requireStrategies(request_.blockSize);
    refuseRanks("the reduction of a basis", "one process: blocks are not shared between ranks");
    slot_.useClock(options_);
    guard_.claim({{"output.path", request_.outputPath},
                  {"output.transformation", request_.transformationPath},
                  {"checkpoint", options_.checkpointPath, OutputNeed::checkpoint}},
                 {{"basis", request_.basisPath}, {"gram", request_.gramPath}});
    input_ = lattice::readMatrix(matrixOf(request_), kMaximumRows);
    lattice::requireLattice(input_, matrixOf(request_).name());
    options_.checkpointIdentity = reductionIdentity(request_, input_);
    expectDevices();
    if (options_.mode == Mode::hybrid && hasLargeBlocks())
      startGpus(options_.device.deviceIndex, options_.devices);
    limitMemory();
  }

  void run() override {
    if (started_.exchange(true)) throw Error("a reduction runs once");
    const ReleaseAtEnd release(guard_);
    begun_ = Clock::now();
    saved_ = begun_;
    execute();
    slot_.finishTimes(report_);
  }

  void cancel() noexcept override { slot_.cancel(); }
  [[nodiscard]] bool stepping() const noexcept override { return stepping_.load(); }

  [[nodiscard]] Progress progress() const override {
    const std::lock_guard lock(mutex_);
    Progress progress = slot_.progress();
    progress.steps = steps_;
    progress.results = inserted_;
    progress.totalSteps = 0;
    progress.stepsPerSecond = rate_.at(progress.seconds, progress.steps);
    return withTotal(progress, 0);
  }

  [[nodiscard]] Outcome outcome() {
    requireRun();
    outcome_.run = std::move(report_);
    outcome_.run.automatic = choice_;
    return std::move(outcome_);
  }

 private:
  void readCheckpoint(const std::string& path) override {
    state_ = readReductionState(path, options_.checkpointIdentity);
    lattice::adoptForm(state_.start, input_);
    resumed_ = true;
  }

  void execute() {
    reduceFirst();
    chooseWorkers();
    report_.stepsBefore = state_.nodes;
    report_.secondsBefore = state_.seconds;
    const bool finished = reduceBlocks();
    clock().enter(Phase::merging);
    conclude(finished);
  }

  void reduceFirst() {
    if (resumed_) return;
    const PhaseScope reducing(&clock(), Phase::tables);
    const auto start = Clock::now();
    // Both take half the time of one with 0.99 at once.
    lattice::IntegerBasis loose = svp::looselyReduced(input_, [this] { return slot_.cancelled(); });
    if (!input_.gram.empty()) {
      state_.start = std::move(loose);
      loose = lattice::approximateRows(state_.start).rows;
    }
    state_.basis = lllReduced(loose);
    state_.lllSeconds = secondsSince(start);
    state_.hermiteFactorBefore = hermiteFactor(BasisRows(state_.basis).logNorms());
  }

  void chooseWorkers() {
    mode_ = options_.mode;
    // In mode hybrid no driver is started that would have nothing to do.
    const bool asks = mode_ == Mode::hybrid && !driverWasAsked();
    if (needsDevices() && !(asks && !hasLargeBlocks())) awaitDevices();
    if (mode_ == Mode::automatic || asks) {
      const PhaseScope waiting(&clock(), Phase::devices);
      choice_ = chooseDevices();
      mode_ = choice_->devices ? Mode::hybrid : Mode::cpu;
    }
    threads_ = options_.threads > 0 ? options_.threads : availableCores();
    workers_.resize(static_cast<std::size_t>(threads_));
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      workers_[i].name = fmt::format("cpu{}", i);
      workers_[i].kind = "cpu";
    }
    EngineOptions options = options_;
    options.mode = mode_;
    if (mode_ != Mode::cpu) device_.emplace(options);
    options.mode = Mode::cpu;
    options.threads = threads_;
    if (threads_ > 1) cores_.emplace(options);
  }

  [[nodiscard]] int blockSize() const { return std::min(request_.blockSize, input_.dimension); }
  [[nodiscard]] bool hasLargeBlocks() const { return blockSize() >= kDeviceBlock; }

  [[nodiscard]] AutomaticChoice chooseDevices() const {
    if (!gpusAreLikely()) return withoutGpus();
    const int block = blockSize();
    AutomaticChoice choice =
        withoutDevices(fmt::format("blocks of {} are {}", block,
                                   block < kDeviceBlock ? "too small for a GPU" : "large enough for a GPU"));
    if (block < kDeviceBlock) return choice;
    if (const GpuList gpus = knownGpus(); gpus.gpus.empty()) return withoutGpus(gpus.whyNone);
    choice.devices = true;
    choice.askedSeconds = 0;
    return choice;
  }

  [[nodiscard]] StepSettings stepSettings() {
    StepSettings settings;
    settings.threads = threads_;
    settings.session = options_.session ? options_.session : Session::ofProcess();
    if (device_) settings.device = &*device_;
    if (cores_) settings.cores = &*cores_;
    settings.sharedNodes = kSharedNodes;
    settings.deviceNodes = mode_ == Mode::gpu      ? kAllDeviceNodes
                           : mode_ == Mode::hybrid ? kDeviceNodes
                                                   : kEmulatorNodes;
    return settings;
  }

  bool reduceBlocks() {
    const PhaseScope searching(&clock(), Phase::search);
    stepping_ = true;  // a time limit counts from here
    const auto start = Clock::now();
    StepSettings settings = stepSettings();
    settings.begun = start;
    for (auto* engine : {&device_, &cores_})
      if (*engine) (*engine)->beginAt(start);
    TourDriver driver(request_, std::move(settings), state_, workers_);
    const bool finished = driver.run([&] { attend(driver); }, [this] { return slot_.cancelled(); });
    if (!finished) state_.basis = driver.rows().basis();
    report_.seconds = secondsSince(start);
    for (const auto& worker : workers_)
      if (worker.turns != 0) report_.workers.push_back(worker);
    for (const auto* engine : {&device_, &cores_})
      if (*engine) addReportAt(report_, (*engine)->report(report_.seconds), 0);
    computeWaiting(report_, report_.seconds);
    return finished;
  }

  /// From the thread of run(), after each step.
  void attend(const TourDriver& driver) {
    {
      const std::lock_guard lock(mutex_);
      steps_ = static_cast<double>(state_.nodes);
      inserted_ = state_.inserted;
    }
    if (options_.stepLimit != 0 && state_.nodes - report_.stepsBefore >= options_.stepLimit) slot_.cancel();
    if (options_.onProgress && Clock::now() - told_ >= options_.progressInterval) {
      told_ = Clock::now();
      options_.onProgress(progress());
    }
    if (options_.checkpointPath.empty() || options_.checkpointInterval.count() == 0) return;
    if (Clock::now() - saved_ < options_.checkpointInterval) return;
    saved_ = Clock::now();
    state_.basis = driver.rows().basis();
    if (saves_.attempt([this] { saveState(); },
                       [this](const std::string& text) { addWarning(report_, text); }) &&
        options_.onCheckpoint)
      options_.onCheckpoint(options_.checkpointPath);
  }

  void saveState() {
    ReductionState state = state_;
    state.seconds += secondsSince(begun_);
    report_.checkpointBytes =
        writeReductionState(options_.checkpointPath, options_.checkpointIdentity, state);
    ++report_.checkpoints;
  }

  void conclude(bool finished) {
    if (!finished && !options_.checkpointPath.empty()) {
      const PhaseScope writing(&clock(), Phase::writing);
      saveState();
      outcome_.checkpointPath = options_.checkpointPath;
    }
    describe(reducedRows(finished ? state_.basis : lllReduced(state_.basis)));
    writeOutput();
    for (const auto& warning : guard_.warnings()) addWarning(report_, warning);
    report_.steps = state_.nodes;
    computeShares(report_);
    finished_ = finished;
    report_.complete = finished;
    if (finished) dropCheckpoints();
  }

  void writeOutput() {
    if (request_.outputPath.empty() && request_.transformationPath.empty()) return;
    const PhaseScope writing(&clock(), Phase::writing);
    const auto write = [](const std::string& path, const std::string& text) -> std::uint64_t {
      return path.empty() ? 0 : writeTextLines(path, [&](auto&& take) { take(text); });
    };
    const bool gram = !input_.gram.empty();
    outcome_.outputPath = request_.outputPath;
    outcome_.outputBytes = write(request_.outputPath, gram ? outcome_.gram : outcome_.basis);
    outcome_.transformationPath = request_.transformationPath;
    outcome_.transformationBytes = write(request_.transformationPath, outcome_.basis);
  }

  struct Reduced {
    lattice::IntegerBasis basis;   ///< of the lattice
    std::vector<double> logNorms;  ///< ln |b*_i|^2
  };

  /// From the rows that tours work on.
  [[nodiscard]] Reduced reducedRows(const lattice::IntegerBasis& rows) const {
    std::vector<double> norms = BasisRows(rows).logNorms();
    if (input_.gram.empty()) return {rows, std::move(norms)};
    const lattice::ApproximateRows start = lattice::approximateRows(state_.start);
    for (double& norm : norms) norm -= 2 * start.bits * kLogTwo;
    return {lattice::transformed(lattice::transformOf(rows, start.rows), state_.start), std::move(norms)};
  }

  static std::string matrixText(const lattice::IntegerBasis& matrix) {
    std::string text = lattice::basisText(matrix);
    text.pop_back();  // the end of the line
    return text;
  }

  void describe(const Reduced& reduced) {
    const lattice::IntegerBasis& basis = reduced.basis;
    const std::vector<double>& norms = reduced.logNorms;
    outcome_.dimension = basis.dimension;
    outcome_.columns = basis.columns;
    outcome_.basis = matrixText(basis);
    if (!basis.gram.empty()) outcome_.gram = matrixText({basis.dimension, basis.dimension, basis.gram});
    outcome_.squaredNorm = lattice::squaredNorms(basis).front().str();
    outcome_.hermiteFactorBefore = state_.hermiteFactorBefore;
    outcome_.hermiteFactor = hermiteFactor(norms);
    outcome_.ghRatio = ghRatio(norms);
    outcome_.slope = slope(norms);
    outcome_.logPotential = logPotential(norms);
    for (const double norm : norms) outcome_.profile.push_back(norm / 2 / kLogTwo);
    outcome_.tours = state_.tours;
    outcome_.unchanged = state_.unchanged;
    outcome_.blocks = state_.blocks;
    outcome_.inserted = state_.inserted;
    outcome_.trials = state_.trials;
    outcome_.nodes = state_.nodes;
    outcome_.lllSeconds = state_.lllSeconds;
    outcome_.preprocessingSeconds = state_.preprocessingSeconds;
    outcome_.searchSeconds = state_.searchSeconds;
    outcome_.deviceSeconds = state_.deviceSeconds;
    outcome_.sizeReductionSeconds = state_.sizeReductionSeconds;
  }

  Request request_;
  lattice::IntegerBasis input_;
  ReductionState state_;
  std::optional<EngineSearch> device_;
  std::optional<EngineSearch> cores_;
  std::vector<WorkerReport> workers_;
  Mode mode_ = Mode::cpu;
  int threads_ = 1;
  bool resumed_ = false;
  Outcome outcome_;
  RunReport report_;
  EngineSlot slot_;
  IntervalSaves saves_;
  std::atomic<bool> stepping_{false};
  Clock::time_point begun_;
  Clock::time_point saved_;
  Clock::time_point told_;
  mutable std::mutex mutex_;  ///< of what follows
  double steps_ = 0;
  std::uint64_t inserted_ = 0;
  mutable RecentRate rate_;
};

Reduction::Reduction(Request request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}
Outcome Reduction::outcome() { return static_cast<Impl&>(life()).outcome(); }

}  // namespace slicepool::reduce
