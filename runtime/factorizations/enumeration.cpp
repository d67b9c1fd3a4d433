// Enumeration: from a request to its outcome. Chooses (algorithm_choice), sizes (row_plan), sets problems up
// (problem_setup), runs them on engines (run_life) and, with rows, in windows (row_windows) into what takes
// them (row_delivery), and reads the sink's words (outcome_words). Called by the command line, the sweeps and
// library users.
#include "slicepool/factorizations/enumeration.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/automatic_choice.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/joining_devices.hpp"
#include "runtime/core/report_merge.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/core/trace.hpp"
#include "runtime/factorizations/algorithm_choice.hpp"
#include "runtime/factorizations/collected_rows.hpp"
#include "runtime/factorizations/ordered_walk.hpp"
#include "runtime/factorizations/outcome_words.hpp"
#include "runtime/factorizations/problem_setup.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/factorizations/row_delivery.hpp"
#include "runtime/factorizations/row_plan.hpp"
#include "runtime/factorizations/row_windows.hpp"
#include "runtime/factorizations/window_checkpoint.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/problem_factory.hpp"

namespace slicepool::factorizations {
namespace {

constexpr double kThreadBytes = 256U << 10U;  // of rows, for which one more CPU worker is worth its start

constexpr const char* kWideRanks = "ranks beyond 64 bits run on CPU workers only, not on a GPU";
constexpr double kRowsOfThreadPerSecond = 1e9;  // rows in memory or reductions of `ranked`, measured 1.2e9

}  // namespace

class Enumeration::Impl final : public EngineLife {
 public:
  Impl(Request request, EngineOptions options)
      : EngineLife(std::move(options), "a checkpoint file or a streamed output"),
        request_(std::move(request)) {
    checkRequest(request_, options_);
    if (hasRows(request_.sink))
      refuseRanks("rows",
                  "a count or a reduction; ranks take the shards of a slicepool plan: docs/cluster.md");
    claimFiles();
    request_.dynamicOnGpu ? awaitDevices() : expectDevices();
    {
      const PhaseScope counting(&clock(), Phase::tables);
      plan_ = makePlan(request_, options_);
    }
    threads_ = options_.threads != 0 ? options_.threads : availableCores();
    decideMode();
    if (plan_.wideRanks != nullptr) leaveDevices();
    sizeRows();
    requireHistogramMemory(request_, plan_.memoryLimit, threads_);
    options_.checkpointIdentity =
        canonicalText(request_, plan_.algorithm, plan_.tabulatedDimension, plan_.total.has_value());
    options_.memoryLimit = plan_.memoryLimit;
    if (options_.onProgress) tellOfOutput();
  }

  [[nodiscard]] Progress progress() const override { return written_.in(slot_.progress()); }
  [[nodiscard]] Outcome outcome() { return handOver(outcome_); }
  [[nodiscard]] std::optional<std::string> exactTotal() const { return plan_.exactTotal; }

 private:
  // ---- before the run -------------------------------------------------------------------------------------

  void claimFiles() {
    const bool text = outputFormat(request_.output) == OutputFormat::csv;
    guard_.claim({{"output.path", request_.output.path, text ? OutputNeed::text : OutputNeed::file,
                   request_.output.shardRows != 0},
                  {"trace", options_.tracePath, OutputNeed::text},
                  {"checkpoint", options_.checkpointPath, OutputNeed::checkpoint}});
    refuseInPlace(options_.checkpointPath);
  }

  /// What needs memory of a GPU before it starts cannot be joined by one: here `auto` decides by the number
  /// of rows whether waiting for the driver pays. So does `hybrid`, unless the process has asked for it.
  void decideMode() {
    if (leavesRowsToCores()) {
      options_.mode = Mode::cpu;
      return;
    }
    if (options_.mode == Mode::hybrid && !driverWasAsked()) return decideHybrid();
    if (options_.mode != Mode::automatic) return;
    if (plan_.wideRanks != nullptr)
      choice_ = withoutDevices(kWideRanks);
    else if (!gpusAreLikely())
      choice_ = withoutGpus();
    else if (needsTables())
      choice_ = choiceByRows();
    if (choice_) options_.mode = choice_->devices ? Mode::hybrid : Mode::cpu;
    if (plan_.readCount) choice_.reset();  // nothing is left to choose workers for
  }

  /// Where GPUs are ready, an engine would leave to CPU workers what earlier runs have copied slowly. Here
  /// that is known before tables for a GPU are made, which would be what takes the time.
  [[nodiscard]] bool leavesRowsToCores() {
    if (options_.mode != Mode::hybrid && options_.mode != Mode::automatic) return false;
    const bool placed = hasRows(request_.sink) && plan_.total && plan_.algorithm == Algorithm::ranked;
    if (!placed || plan_.wideRanks != nullptr || !gpusAreReady(options_)) return false;
    ProblemSpec spec = specOf(request_, plan_);
    spec.rows = ProblemSpec::Rows{
        nullptr, {plan_.firstRank, plan_.firstRank + *plan_.total}, elementBytesFor(request_)};
    const Forecast expected = forecastOf(*makeProblem(spec), options_, static_cast<double>(*plan_.total));
    if (searchersOf(expected, options_.mode) != Searchers::cpuWorkers) return false;
    choice_ = choiceOf(expected, options_.mode);
    return true;
  }

  [[nodiscard]] bool needsTables() const {
    return plan_.algorithm == Algorithm::ranked || hasRows(request_.sink);
  }

  void decideHybrid() {
    if (plan_.wideRanks != nullptr || plan_.readCount || !needsTables()) return;
    if (request_.dynamicOnGpu) return;
    choice_ = choiceByRows();
    if (choice_->devices)
      awaitDevices();
    else
      options_.mode = Mode::cpu;
  }

  [[nodiscard]] AutomaticChoice choiceByRows() const {
    AutomaticChoice choice;
    choice.devices = true;
    choice.reason = "a GPU has to be there before the enumeration begins, whose size is unknown";
    if (plan_.total) {
      choice.stepsLeft = static_cast<double>(*plan_.total);
      choice.secondsLeft = *choice.stepsLeft / (kRowsOfThreadPerSecond * threads_);
      choice.devices = *choice.secondsLeft >= kDriverSeconds;
      choice.reason = fmt::format("CPU workers take about {:.3g} s for {:.4g} factorizations, {} of a GPU",
                                  *choice.secondsLeft, *choice.stepsLeft,
                                  choice.devices ? "no less than the start" : "less than the start");
    }
    if (!choice.devices) return choice;
    choice.askedSeconds = 0;
    if (options_.mode == Mode::hybrid) return choice;
    if (const GpuList gpus = knownGpus(); gpus.gpus.empty()) return withoutGpus(gpus.whyNone);
    return choice;
  }

  /// Arithmetic beyond 64 bits is for CPU workers only.
  void leaveDevices() {
    if (!usesDevice(options_.mode)) return;
    warn(kWideRanks);
    options_.mode = Mode::cpu;
  }

  void sizeRows() {
    limits_ = {threads_, usesDevice(options_.mode), options_.checkpointPath};
    if (hasRows(request_.sink) && (plan_.total.has_value() || mustStream(request_.output))) {
      limits_.deviceRows =
          deviceRows(options_, plan_.tableBytes(), request_.generators.size() * elementBytesFor(request_));
    }
    rows_ = planRows(request_, plan_, limits_);
    const bool file = request_.output.path != "-" && !guard_.inPlace("output.path");
    if (rows_.diskBytes.has_value() && file) requireDisk(request_.output.path, *rows_.diskBytes);
    if (rows_.stream.has_value()) saveStream();
  }

  /// A stream always keeps what a resume needs.
  void saveStream() {
    if (options_.checkpointPath.empty()) options_.checkpointPath = request_.output.path + ".checkpoint";
    guard_.add({"checkpoint", options_.checkpointPath, OutputNeed::checkpoint});
  }

  /// Reports of progress say how far the output is as well.
  void tellOfOutput() {
    options_.onProgress = [this, tell = std::move(options_.onProgress)](const Progress& progress) {
      tell(written_.in(progress));
    };
  }

  void allowResume(const std::string& path) const override {
    if (plan_.readCount)
      throw CheckpointError("resume: a count read off the counting table has no checkpoints");
    refuseInPlace(path);
  }

  void readCheckpoint(const std::string& path) override {
    if (isWindowCheckpoint(path)) return readWindows(path);
    (void)readCheckpointHeaderOf(path, "factorizations", options_.checkpointIdentity);
    if (rows_.inWindows()) leaveWindows();
    if (rows_.inWindows() || rows_.stream.has_value()) {
      throw CheckpointError("checkpoint " + path + " is of one run over all rows, but here " +
                            std::to_string(rows_.rows) + " rows go in windows of " +
                            std::to_string(rows_.windowRows) +
                            ": resume it with the mode, the writing and the memory limit that it was made "
                            "with");
    }
    engineResume_ = path;
  }

  /// What began as one run over all rows, of which a GPU holds a part, goes on by CPU workers alone.
  void leaveWindows() {
    if (options_.mode != Mode::hybrid) return;
    RowLimits withoutGpu = limits_;
    withoutGpu.device = false;
    withoutGpu.deviceRows = RowLimits{}.deviceRows;
    RowPlan rows = planRows(request_, plan_, withoutGpu);
    if (rows.inWindows() || rows.stream.has_value()) return;
    limits_ = withoutGpu;
    rows_ = std::move(rows);
    options_.mode = Mode::cpu;
    choice_ = withoutDevices("the checkpoint is of one run over all rows, of which the GPU holds a part");
  }

  void readWindows(const std::string& path) {
    if (!rows_.placed || rows_.format == OutputFormat::none) {
      throw CheckpointError("checkpoint " + path + " is of rows written in windows; this request is " +
                            options_.checkpointIdentity);
    }
    windows_ = readWindowCheckpoint(path, canonicalRowsText(request_));
    // Nothing is finished before the end of the first window, but earlier versions saved its results so far.
    if (windows_->nextRank == 0) {
      windows_->words.clear();
      windows_->steps = 0;
    }
    // Free memory may have decided otherwise the last time.
    if (rows_.format != OutputFormat::npy || request_.output.writing != Writing::automatic) return;
    streamRows(rows_, request_, plan_, limits_);
    saveStream();
  }

  // ---- the run --------------------------------------------------------------------------------------------

  void execute() override {
    outcome_.algorithm = plan_.algorithm;
    outcome_.algorithmReason = plan_.reason;
    outcome_.tabulatedDimension = plan_.tabulatedDimension;
    report_.setupSeconds = plan_.seconds;
    outcome_.ranks = request_.ranks;
    if (request_.ranks.has_value()) outcome_.total = *plan_.exactTotal;
    if (plan_.readCount)
      readCount();
    else
      enumerate();
    if (!traced_ && !options_.tracePath.empty()) writeTrace(options_.tracePath, {}, {});
    conclude();
  }

  void readCount() {
    outcome_.count = *plan_.results;
    outcome_.countedByTable = true;
    report_.complete = true;
  }

  void enumerate() {
    spec_ = specOf(request_, plan_);
    makeTables();
    if (rows_.placed)
      runPlaced();
    else if (request_.sink.kind == SinkKind::first)
      runInOrder();
    else if (rows_.wanted)
      runCollected();
    else
      runEngine(options_, nullptr);
    clock().enter(Phase::merging);
    readOutcome(outcome_, report_, request_, plan_, spec_, {rows_.rows, exhausted_, resumePath_});
  }

  void makeTables() {
    const PhaseScope filling(&clock(), Phase::tables);
    const FilledTables filled = fillTables(spec_, request_, plan_, rows_, options_, threads_);
    outcome_.tabulatedDimension = filled.tabulatedDimension;
    outcome_.tableRows = filled.rows;
    outcome_.tableSeconds = filled.seconds;
    if (filled.ofDynamic) outcome_.listRows = filled.rows;
    report_.setupSeconds += filled.seconds;
  }

  /// One engine over everything (`share` = 1) or over a window of rows.
  RunReport runEngine(const EngineOptions& options, ResultConsumer* consumer, double share = 1) {
    const auto problem = [&] {
      // Of a problem for devices, which begins with a thousand slices: most of what its making takes.
      const PhaseScope cutting(&clock(), Phase::cutting);
      return makeProblem(spec_);
    }();
    EngineOptions adjusted = options;
    if (options.mode == Mode::cpu && spec_.cpuTail != nullptr)
      adjusted.threads = usefulThreads(problem->totalSteps().value_or(0));
    traced_ = true;
    RunReport report = slot_.run(*problem, adjusted, consumer, share, engineResume_);
    mergeReport(report_, report, problem->words(), report.complete || share >= 1);
    return report;
  }

  /// Starting a thread takes longer than writing a few rows.
  [[nodiscard]] int usefulThreads(double rows) const {
    const std::size_t bytes = rows_.wanted ? rows_.rowBytes() : sizeof(std::uint64_t);
    const double worth = rows * static_cast<double>(bytes) / kThreadBytes;
    return worth < threads_ ? std::max(1, static_cast<int>(worth)) : threads_;
  }

  // ---- rows -----------------------------------------------------------------------------------------------

  [[nodiscard]] RowRun rowRun() {
    return {request_,
            plan_,
            rows_,
            options_,
            threads_,
            clock(),
            written_,
            outcome_,
            report_,
            [this] { options_.onProgress(slot_.progress()); },
            !resumePath_.empty(),
            !engineResume_.empty(),
            windows_};
  }

  void runPlaced() {
    outcome_.outputPath = request_.output.path;
    const RowRun run = rowRun();
    // A count and, if it is asked for, a fingerprint.
    RowWindows windows(run, spec_.reductions.fingerprint ? 3 : 1, resumePath_);
    if (windows_.has_value()) slot_.addDone(windows_->steps, windows_->nextRank);
    const auto delivery = makeDelivery(run);
    windows.run(
        *delivery,
        [this](RankRange window, std::byte* rows, bool saves, ResultConsumer* consumer) {
          return runWindow(window, rows, saves, consumer);
        },
        [this] { return slot_.cancelled(); });
    delivery->close();
  }

  bool runWindow(RankRange window, std::byte* rows, bool saves, ResultConsumer* consumer) {
    EngineOptions options = options_;
    if (!saves) options.checkpointPath.clear();
    const RankRange ranks{plan_.firstRank + window.begin, plan_.firstRank + window.end};
    spec_.rows = ProblemSpec::Rows{rows, ranks, rows_.elementBytes};
    if (traced_ && !options.tracePath.empty()) {
      options.tracePath.clear();
      warn("the trace shows the first window only");
    }
    const double share = static_cast<double>(window.end - window.begin) / static_cast<double>(rows_.rows);
    return runEngine(options, consumer, share).complete;
  }

  void runCollected() {
    spec_.collectRows = true;
    CollectedRows rows(rows_.dimension, rows_.elementBytes, makeProblem(spec_)->resultBytes(),
                       plan_.memoryLimit);
    outcome_.algorithmReason += "; rows were collected and sorted at the end";
    runEngine(options_, &rows);
    deliver(rows);
  }

  void runInOrder() {
    spec_.collectRows = true;
    outcome_.algorithmReason += "; one slice was walked in order on one thread";
    if (options_.mode != Mode::cpu) warn("first:K without a counting table runs on one CPU thread only");
    const auto problem = makeProblem(spec_);
    CollectedRows rows(rows_.dimension, rows_.elementBytes, problem->resultBytes(), plan_.memoryLimit);
    clock().enter(Phase::search);
    exhausted_ = walkInOrder(*problem, request_.sink.firstCount, rows, report_, [this] {
      return slot_.cancelled() || (options_.stepLimit != 0 && report_.steps >= options_.stepLimit);
    });
    clock().enter(Phase::merging);
    deliver(rows);
  }

  void deliver(const CollectedRows& rows) {
    if (!report_.complete) return;
    std::optional<StreamShape> stream;
    if (mustStream(request_.output)) stream = streamOf(rows.rows(), request_, plan_, limits_);
    deliverCollected(
        rowRun(), rows.rows(), [&](std::byte* output) { rows.writeSorted(output); }, stream);
  }

  Request request_;
  Plan plan_;
  RowLimits limits_;
  RowPlan rows_;
  int threads_ = 1;
  ProblemSpec spec_;
  WrittenRows written_;
  std::string engineResume_;                 ///< path of a checkpoint that an engine saved
  std::optional<WindowCheckpoint> windows_;  ///< or what one between two windows says
  bool traced_ = false;
  bool exhausted_ = false;  ///< the walk in order came to the end of all rows
  Outcome outcome_;
};

Enumeration::Enumeration(Request request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}
Outcome Enumeration::outcome() { return static_cast<Impl&>(life()).outcome(); }
std::optional<std::string> Enumeration::exactTotal() const {
  return static_cast<const Impl&>(life()).exactTotal();
}

}  // namespace slicepool::factorizations
