// Enumeration: from a request to its outcome. Chooses (algorithm_choice), sizes, builds problems
// (problem_factory), runs them on engines (run_life) and reads the sink's words. Called by the command
// line, the sweeps and library users.
#include "slicepool/factorizations/enumeration.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "cpu_workers/core/cpu_workers.hpp"
#include "cpu_workers/factorizations/tail_reduction.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/recent_rate.hpp"
#include "runtime/core/report_merge.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/core/trace.hpp"
#include "runtime/factorizations/algorithm_choice.hpp"
#include "runtime/factorizations/collected_rows.hpp"
#include "runtime/factorizations/csv.hpp"
#include "runtime/factorizations/invariants.hpp"
#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/factorizations/row_savers.hpp"
#include "runtime/factorizations/row_stream.hpp"
#include "runtime/factorizations/stream_shape.hpp"
#include "runtime/factorizations/window_checkpoint.hpp"
#include "runtime/io/part_file.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/rank_index.hpp"
#include "slicepool/factorizations/sinks.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"
#include "slicepool/factorizations/steps/tables.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kCsvWindowBytes = std::size_t{64} << 20;  // of packed rows, on CPU workers
constexpr std::size_t kCsvDeviceWindowBytes = std::size_t{256}
                                              << 20;   // an engine with a device costs more to start
constexpr std::uint64_t kRowsOfDeviceTurn = 1U << 20;  // of one warp
constexpr std::uint32_t kRootsOfDevice = 1024;         // a device halves them further by itself
constexpr double kThreadBytes = 256U << 10U;     // of rows, for which one more CPU worker is worth its start
constexpr double kDeviceRowShare = 0.6;          // of free device memory, for rows
constexpr std::uint32_t kSequentialRows = 4096;  // rows buffered by the sequential walk
constexpr std::uint64_t kSequentialBudget = 1U << 20;  // steps between two looks at cancel

FillMethod fillMethod(DynamicParallelism parallelism) {
  switch (parallelism) {
    case DynamicParallelism::sequential: return FillMethod::sequential;
    case DynamicParallelism::factorizationwise: return FillMethod::factorizationwise;
    case DynamicParallelism::elementwise: break;
  }
  return FillMethod::elementwise;
}

constexpr double kDriverSeconds = 0.35;         // until a GPU has started, as a process sees it (H200)
constexpr double kRowsOfThreadPerSecond = 1e9;  // rows in memory or reductions of `ranked`, measured 1.2e9

bool usesDevice(Mode mode) { return mode == Mode::gpu || mode == Mode::hybrid || mode == Mode::automatic; }

/// What a checkpoint says of an output that is written in windows.
struct OutputState {
  std::uint64_t bytes = 0;
  std::string hash{};  ///< of these; empty: the rows are checked instead
};

}  // namespace

class Enumeration::Impl final : public EngineLife {
 public:
  Impl(Request request, EngineOptions options)
      : EngineLife(std::move(options), "a checkpoint file or a streamed output"),
        request_(std::move(request)) {
    checkRequest(request_, options_);
    format_ = outputFormat(request_.output);
    claimFiles();
    request_.dynamicOnGpu ? awaitDevices() : expectDevices();
    {
      const PhaseScope counting(&clock(), Phase::tables);
      plan_ = makePlan(request_, options_);
    }
    elementBytes_ = elementBytesFor(request_);
    rowBytes_ = request_.generators.size() * elementBytes_;
    if (options_.threads < 0)
      throw ConfigError("threads", std::to_string(options_.threads), "0 (all cores) or more");
    threads_ = options_.threads != 0 ? options_.threads : availableCores();
    decideMode();
    if (plan_.wideRanks != nullptr) leaveDevices();
    sizeRows();
    sizeHistogram();
    identity_ = canonicalText(request_, plan_.algorithm, plan_.tabulatedDimension, plan_.total.has_value());
    options_.checkpointIdentity = identity_;
    options_.memoryLimit = plan_.memoryLimit;
    if (options_.onProgress) tellOfOutput();
  }

  [[nodiscard]] Progress progress() const override { return withOutput(slot_.progress()); }
  [[nodiscard]] Outcome outcome() { return handOver(outcome_); }
  [[nodiscard]] std::optional<std::string> exactTotal() const { return plan_.exactTotal; }

 private:
  void allowResume(const std::string& path) const override {
    if (plan_.readCount)
      throw CheckpointError("resume: a count read off the counting table has no checkpoints");
    refuseInPlace(path);
  }

  /// Either kind of checkpoint.
  void readCheckpoint(const std::string& path) override {
    if (isWindowCheckpoint(path)) {
      if (!rowSink() || !plan_.total.has_value() || format_ == OutputFormat::none) {
        throw CheckpointError("checkpoint " + path + " is of rows written in windows; this request is " +
                              identity_);
      }
      windowResume_ = readWindowCheckpoint(path, canonicalRowsText(request_));
      // Free memory may have decided otherwise the last time.
      if (format_ == OutputFormat::npy && request_.output.writing == Writing::automatic) chooseStream();
    } else {
      (void)readCheckpointHeaderOf(path, "factorizations", identity_);
      if (inWindows() || stream_.has_value()) {
        throw CheckpointError("checkpoint " + path + " is of one run over all rows, but here " +
                              std::to_string(rowsWanted_) + " rows go in windows of " +
                              std::to_string(windowRows_) +
                              ": resume it with the mode, the writing and the memory limit that it was "
                              "made with");
      }
      engineResume_ = path;
    }
  }

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

  // ---- files ----------------------------------------------------------------------------------------------

  void claimFiles() {
    const bool text = format_ == OutputFormat::csv;
    guard_.claim({{"output.path", request_.output.path, text ? OutputNeed::text : OutputNeed::file,
                   request_.output.shardRows != 0},
                  {"trace", options_.tracePath, OutputNeed::text},
                  {"checkpoint", options_.checkpointPath, OutputNeed::checkpoint}});
    refuseInPlace(options_.checkpointPath);
  }

  // ---- sizing ---------------------------------------------------------------------------------------------

  [[nodiscard]] unsigned dimension() const { return static_cast<unsigned>(request_.generators.size()); }
  [[nodiscard]] bool rowSink() const {
    return request_.sink.kind == SinkKind::rows || request_.sink.kind == SinkKind::first;
  }
  [[nodiscard]] bool inWindows() const {
    return rowSink() && plan_.total.has_value() &&
           (format_ == OutputFormat::csv || windowRows_ < rowsWanted_);
  }

  /// What needs memory of a GPU before it starts cannot be joined by one: here `auto` decides by the number
  /// of rows whether waiting for the driver pays.
  void decideMode() {
    if (options_.mode != Mode::automatic) return;
    if (!gpusAreLikely()) {
      options_.mode = Mode::cpu;
    } else if (plan_.algorithm == Algorithm::ranked || rowSink()) {
      const double rows =
          plan_.total ? static_cast<double>(*plan_.total) : std::numeric_limits<double>::infinity();
      const bool soonDone = rows < kRowsOfThreadPerSecond * threads_ * kDriverSeconds;
      options_.mode = soonDone || knownGpus().gpus.empty() ? Mode::cpu : Mode::hybrid;
    }
  }

  /// Whoever is told of progress hears of the output as well.
  void tellOfOutput() {
    options_.onProgress = [this, tell = std::move(options_.onProgress)](const Progress& progress) {
      tell(withOutput(progress));
    };
  }

  /// A run whose rows are written meanwhile ends when the last one is written: it is as far as that is, and
  /// ends with the slower of the two.
  [[nodiscard]] Progress withOutput(Progress progress) const {
    const std::uint64_t all = rowsToWrite_.load(std::memory_order_acquire);
    if (all == 0) return progress;
    const auto toWrite = static_cast<double>(all);
    const auto written = static_cast<double>(rowsWritten_.load(std::memory_order_relaxed));
    progress.rowsToWrite = all;
    progress.rowsWritten = static_cast<std::uint64_t>(written);
    progress.doneShare = written / toWrite;
    const std::lock_guard lock(writtenMutex_);
    const double rate = writtenRate_.at(progress.seconds, written);
    progress.secondsLeft = rate > 0 ? std::max(progress.secondsLeft, (toWrite - written) / rate) : -1;
    return progress;
  }

  /// Arithmetic beyond 64 bits is for CPU workers only.
  void leaveDevices() {
    if (!usesDevice(options_.mode)) return;
    if (options_.mode != Mode::automatic) warn("ranks beyond 64 bits run on CPU workers only, not on a GPU");
    options_.mode = Mode::cpu;
  }

  /// How many rows there will be, in windows of how many, and whether memory and disk hold them.
  void sizeRows() {
    if (!rowSink()) return;
    if (!plan_.total.has_value()) return sizeUnknownRows();
    rowsWanted_ = *plan_.total;
    if (request_.sink.kind == SinkKind::first) rowsWanted_ = std::min(rowsWanted_, request_.sink.firstCount);
    windowRows_ = std::max<std::uint64_t>(1, std::min(rowsWanted_, deviceRows()));
    if (format_ == OutputFormat::none) requireMemory();
    if (format_ == OutputFormat::none && inWindows() && !options_.checkpointPath.empty()) {
      throw ConfigError("checkpoint",
                        "\"" + options_.checkpointPath +
                            "\" with rows in memory that go through a "
                            "device in windows",
                        "a checkpoint of rows in a .npy file, or more memory of the device");
    }
    const auto allBytes = static_cast<unsigned __int128>(rowsWanted_) * rowBytes_;
    if (format_ == OutputFormat::npy) requireDisk(allBytes);
    if (format_ == OutputFormat::npyZstd) requireDisk(0);  // how small it gets is not known
    if (format_ == OutputFormat::csv) {
      // A digit and a separator for each coordinate is the least that a row takes.
      requireDisk(static_cast<unsigned __int128>(rowsWanted_) * 2 * dimension());
      const std::size_t most = usesDevice(options_.mode) ? kCsvDeviceWindowBytes : kCsvWindowBytes;
      const std::size_t bytes = std::min(most, plan_.memoryLimit / 4);
      windowRows_ = std::min(windowRows_, std::max<std::uint64_t>(1, bytes / rowBytes_));
    }
    const bool tooLarge = format_ == OutputFormat::npy && allBytes + plan_.tableBytes() > plan_.memoryLimit;
    if (mustStream() || (tooLarge && request_.output.writing == Writing::automatic)) chooseStream();
  }

  [[nodiscard]] bool mustStream() const {
    return needsStream(request_.output) || request_.output.writing == Writing::streamed;
  }

  /// The output goes through buffers, whatever was meant before.
  void chooseStream() {
    stream_ = streamShape(rowsWanted_);
    windowRows_ = stream_->windowRows;
    if (options_.checkpointPath.empty()) options_.checkpointPath = request_.output.path + ".checkpoint";
    guard_.add({"checkpoint", options_.checkpointPath, OutputNeed::checkpoint});
  }

  [[nodiscard]] StreamShape streamShape(std::uint64_t rows) const {
    return makeStreamShape(request_, {rows, std::max<std::uint64_t>(1, deviceRows()), elementBytes_,
                                      plan_.memoryLimit, plan_.tableBytes(), threads_});
  }

  void sizeUnknownRows() const {
    if (!request_.output.path.empty()) requireDisk(0);
    if (mustStream()) (void)streamShape(0);  // its errors now, not at the end of the run
    if (request_.sink.kind == SinkKind::first) {
      if (options_.checkpointPath.empty()) return;
      throw ConfigError(
          "checkpoint", options_.checkpointPath,
          "no checkpoint with first:K where no counting table fits: the rows are walked in order");
    }
    // Counts may overflow at residuals that no row passes, so that there are few rows all the same.
    const bool beyond64 = plan_.exactTotal.has_value() &&
                          parseRank(*plan_.exactTotal, "count") > std::numeric_limits<std::uint64_t>::max();
    if (!beyond64) return;
    throw LimitError("rows: " + *plan_.exactTotal + " rows of " + std::to_string(rowBytes_) +
                     " bytes each; no memory or disk holds that many");
  }

  void requireMemory() const {
    if (request_.output.memory != nullptr) return requireCallersMemory();
    const auto bytes = static_cast<unsigned __int128>(rowsWanted_) * rowBytes_;
    const std::size_t tables = plan_.tableBytes();
    const std::string numbers = "rows: " + std::to_string(rowsWanted_) + " rows of " +
                                std::to_string(rowBytes_) + " bytes need " +
                                (bytes > std::numeric_limits<std::uint64_t>::max()
                                     ? "more than 2^64"
                                     : std::to_string(static_cast<std::uint64_t>(bytes))) +
                                " bytes";
    const std::string available = "; the memory limit is " + std::to_string(plan_.memoryLimit) +
                                  " bytes, of which tables take " + std::to_string(tables);
    if (bytes + tables > plan_.memoryLimit) throw LimitError(numbers + available);
    if (!options_.checkpointPath.empty() && 2 * bytes + tables > plan_.memoryLimit) {
      throw LimitError(numbers + ", twice that while a checkpoint is written" + available +
                       ". Rows in a .npy file need no copy");
    }
  }

  void requireCallersMemory() const {
    if (rowsWanted_ <= request_.output.memoryBytes / rowBytes_) return;
    throw LimitError("rows: " + std::to_string(rowsWanted_) + " rows of " + std::to_string(rowBytes_) +
                     " bytes do not fit the " + std::to_string(request_.output.memoryBytes) +
                     " bytes of memory that were given");
  }

  void requireDisk(unsigned __int128 bytes) const {
    if (request_.output.path == "-" || guard_.inPlace("output.path")) return;
    // A part file that is there already is what a resume continues: it was sized when it was made.
    if (std::filesystem::exists(request_.output.path + ".part")) return;
    if (std::filesystem::exists(request_.output.path + ".checkpoint")) return;
    const auto most = static_cast<unsigned __int128>(std::numeric_limits<std::uint64_t>::max());
    requireDiskSpace(request_.output.path, static_cast<std::uint64_t>(std::min(bytes, most)));
  }

  /// Rows that fit a device beside its tables; no bound without one.
  [[nodiscard]] std::uint64_t deviceRows() const {
    if (!usesDevice(options_.mode)) return std::numeric_limits<std::uint64_t>::max();
    const PhaseScope waiting(&clock(), Phase::devices);
    const GpuList list = knownGpus();
    const bool found = std::any_of(list.gpus.begin(), list.gpus.end(), [&](const GpuDescription& gpu) {
      return gpu.index == options_.device.deviceIndex;
    });
    if (!found) return std::numeric_limits<std::uint64_t>::max();
    auto limit = static_cast<std::size_t>(kDeviceRowShare *
                                          static_cast<double>(freeGpuBytes(options_.device.deviceIndex)));
    if (options_.device.memoryLimit != 0) limit = std::min(limit, options_.device.memoryLimit);
    const std::size_t tables = plan_.tableBytes();
    return std::max<std::uint64_t>(1, (limit > tables ? limit - tables : 0) / rowBytes_);
  }

  void sizeHistogram() const {
    if (request_.sink.kind != SinkKind::lengths) return;
    const std::uint64_t longest =
        request_.element / *std::min_element(request_.generators.begin(), request_.generators.end());
    const auto copies =
        static_cast<unsigned __int128>(threads_) + 2;  // one per worker, one merged, one reported
    const auto bytes = copies * (static_cast<unsigned __int128>(longest) + 1) * sizeof(std::uint64_t);
    if (bytes <= plan_.memoryLimit) return;
    throw LimitError("lengths: a histogram of " + std::to_string(longest) + " lengths for each of " +
                     std::to_string(threads_) + " workers needs more than the memory limit of " +
                     std::to_string(plan_.memoryLimit) + " bytes");
  }

  // ---- running --------------------------------------------------------------------------------------------

  void readCount() {
    outcome_.count = *plan_.results;
    outcome_.countedByTable = true;
    report_.complete = true;
  }

  void enumerate() {
    spec_ = baseSpec();
    {
      const PhaseScope filling(&clock(), Phase::tables);
      fillTable();
    }
    if (rowSink() && plan_.total.has_value())
      runRowsAtPlaces();
    else if (request_.sink.kind == SinkKind::first)
      runSequentialFirst();
    else if (rowSink())
      runCollectedRows();
    else
      runReduction();
    clock().enter(Phase::merging);
    fillCount();
    fillFromWords();
  }

  [[nodiscard]] ProblemSpec baseSpec() const {
    ProblemSpec spec;
    spec.generators = request_.generators;
    spec.element = request_.element;
    spec.algorithm = plan_.algorithm == Algorithm::dynamic ? Algorithm::tabulated : plan_.algorithm;
    spec.moduloJump = request_.moduloJump;
    spec.rankCounts = plan_.rankCounts;
    spec.suffixCounts = plan_.suffixCounts;
    spec.stepCounts = plan_.stepCounts;
    spec.wideRanks = plan_.wideRanks;
    if (request_.ranks.has_value()) spec.ranks = RankRange{plan_.firstRank, plan_.firstRank + *plan_.total};
    const SinkKind kind = request_.sink.kind;
    spec.reductions.fingerprint = request_.sink.fingerprint || kind == SinkKind::fingerprint;
    spec.reductions.extremes = kind == SinkKind::extremes;
    spec.reductions.coordinateMaxima = kind == SinkKind::coordinateMaxima;
    spec.reductions.lengths = kind == SinkKind::lengths;
    if (kind == SinkKind::any || kind == SinkKind::all) {
      spec.reductions.predicate = request_.sink.predicate;
      spec.stop =
          kind == SinkKind::any ? ProblemSpec::Stop::firstSatisfying : ProblemSpec::Stop::firstViolating;
    }
    return spec;
  }

  /// For stored tails: a quarter of what counting tables and rows in memory leave.
  [[nodiscard]] std::size_t tailMemory() const {
    std::uint64_t rows = 0;
    if (stream_.has_value())
      rows = stream_->buffers * stream_->windowRows;
    else if (format_ == OutputFormat::csv)
      rows = windowRows_;
    else if (format_ == OutputFormat::none && request_.output.memory == nullptr)
      rows = rowsWanted_;
    const std::size_t taken = plan_.tableBytes() + rows * rowBytes_;
    return (plan_.memoryLimit - std::min(plan_.memoryLimit, taken)) / 4;
  }

  void requireTailMemory(const TailChoice& choice) const {
    const unsigned tail = plan_.tabulatedDimension;
    const std::size_t bytes = suffixRowsBytes(request_.generators, *plan_.rankCounts, tail, choice);
    if (bytes <= choice.memoryLimit) return;
    throw LimitError("tabulated_dimension: tables of the last " + std::to_string(tail) +
                     " coordinates take " +
                     (bytes == std::numeric_limits<std::size_t>::max() ? "more than 2^31 rows"
                                                                       : std::to_string(bytes) + " bytes") +
                     "; " + std::to_string(choice.memoryLimit) + " bytes allowed (of memory limit " +
                     std::to_string(plan_.memoryLimit) + ")");
  }

  /// The stored tails of `ranked`, for the kinds of workers that the mode has. Ranks beyond 64 bits go row by
  /// row.
  void makeTails() {
    const auto kind = tailValuesOf(spec_.reductions);
    const bool reduces = request_.sink.kind != SinkKind::count || request_.sink.fingerprint;
    if (plan_.rankCounts == nullptr || !kind.has_value() || (!rowSink() && !reduces)) return;
    TailChoice choice;
    choice.elementBytes = elementBytes_;
    choice.threads = threads_;
    choice.memoryLimit = tailMemory();
    choice.rows = rowSink() ? rowsWanted_ : *plan_.total;
    choice.values = *kind != TailValues::none;
    choice.rowless = choice.values && !rowSink();
    if (plan_.tabulatedDimension != 0) requireTailMemory(choice);
    const auto make = [&](bool device) -> std::shared_ptr<const SuffixRows> {
      choice.device = device;
      const unsigned tail = plan_.tabulatedDimension != 0
                                ? plan_.tabulatedDimension
                                : chooseTail(request_.generators, *plan_.rankCounts, choice);
      if (tail == 0) return nullptr;
      if (spec_.cpuTail != nullptr && spec_.cpuTail->tail == tail) return spec_.cpuTail;
      auto made = std::make_shared<const SuffixRows>(
          makeSuffixRows(request_.generators, *plan_.rankCounts, tail, elementBytes_,
                         tailWeights(spec_.reductions, *kind, dimension()),
                         {threads_, choice.rowless, usesDevice(options_.mode)}));
      outcome_.tabulatedDimension = tail;
      outcome_.tableRows = made->storedRows();
      outcome_.tableSeconds += made->seconds;
      report_.setupSeconds += made->seconds;
      return made;
    };
    if (options_.mode != Mode::gpu) spec_.cpuTail = make(false);
    if (!usesDevice(options_.mode) || knownGpus().gpus.empty()) return;
    spec_.deviceTail = make(true);
    if (spec_.deviceTail != nullptr) spec_.rootSlices = kRootsOfDevice;
    // Warps go through ranks fast and at a known pace: few launches, and copies that can be queued with them.
    if (spec_.deviceTail != nullptr && options_.gpuBudget == 0) options_.gpuBudget = kRowsOfDeviceTurn;
  }

  /// The table of `tabulated`; for `dynamic` all lists, of which Z(n) is one leaf.
  void fillTable() {
    if (plan_.algorithm == Algorithm::ranked) return makeTails();
    if (plan_.algorithm != Algorithm::tabulated && plan_.algorithm != Algorithm::dynamic) return;
    const unsigned m = plan_.algorithm == Algorithm::dynamic ? dimension() : plan_.tabulatedDimension;
    const std::size_t limit = plan_.leafMemory();
    auto table = std::make_shared<LeafTable>(
        request_.dynamicOnGpu
            ? makeLeafTableOnGpu(request_.generators, m, plan_.leafLimit, options_.device.deviceIndex, limit)
            : makeLeafTable(request_.generators, m, plan_.leafLimit, fillMethod(request_.dynamicParallelism),
                            threads_, limit));
    outcome_.tableSeconds = table->fillSeconds;
    outcome_.tableRows = table->offsets.back();
    if (plan_.algorithm == Algorithm::dynamic) outcome_.listRows = outcome_.tableRows;
    report_.setupSeconds += table->fillSeconds;
    spec_.leafTable = std::move(table);
  }

  /// Starting a thread takes longer than writing a few rows.
  [[nodiscard]] int usefulThreads(double rows) const {
    const double worth =
        rows * static_cast<double>(rowSink() ? rowBytes_ : sizeof(std::uint64_t)) / kThreadBytes;
    return worth < threads_ ? std::max(1, static_cast<int>(worth)) : threads_;
  }

  /// One engine over everything (`share` = 1) or over a window of rows.
  RunReport runEngine(const EngineOptions& options, ResultConsumer* consumer, double share = 1) {
    const auto problem = makeProblem(spec_);
    EngineOptions adjusted = options;
    if (options.mode == Mode::cpu && spec_.cpuTail != nullptr)
      adjusted.threads = usefulThreads(problem->totalSteps().value_or(0));
    traced_ = true;
    RunReport report = slot_.run(*problem, adjusted, consumer, share, engineResume_);
    mergeReport(report_, report, problem->words(), report.complete || share >= 1);
    return report;
  }

  void runReduction() { runEngine(options_, nullptr); }

  // ---- rows at known places -------------------------------------------------------------------------------

  void runRowsAtPlaces() {
    outcome_.outputPath = request_.output.path;
    if (windowResume_.has_value()) restoreWindows();
    if (stream_.has_value()) return runStreamed();
    if (format_ == OutputFormat::csv) return runCsv();
    if (format_ == OutputFormat::npy) return runNpy();
    std::byte* rows = request_.output.memory;
    if (rows == nullptr) {
      outcome_.rows = RowMatrix(rowsWanted_, dimension(), elementBytes_);
      rows = outcome_.rows.data();
    }
    SavedRows saved(rows, rowsWanted_ * rowBytes_);
    runWindows([&](RankRange window) { return rows + window.begin * rowBytes_; }, [](RankRange) {},
               [] { return OutputState{}; }, options_.checkpointPath.empty() ? nullptr : &saved);
  }

  void runNpy() {
    const bool begun = !windowResume_.has_value() || nextRank_ != 0;
    const Phase before = clock().enter(Phase::writing);  // reserves the disk
    NpyFile file(request_.output.path, rowsWanted_, dimension(), elementBytes_,
                 !resumePath_.empty() && begun);
    if (windowResume_.has_value()) requireRows(file, nextRank_);
    if (!options_.checkpointPath.empty()) file.keepPart();
    SyncedFile synced(file);
    clock().enter(before);
    runWindows([&](RankRange window) { return file.rows() + window.begin * rowBytes_; }, [](RankRange) {},
               [&] {
                 file.sync();
                 return OutputState{file.fileBytes(), {}};
               },
               options_.checkpointPath.empty() ? nullptr : &synced);
    outcome_.outputBytes = file.fileBytes();
    if (!report_.complete) return;
    const PhaseScope writing(&clock(), Phase::writing);
    // Which rows were there already, only the slices know that are no more: all of them are looked at.
    if (!engineResume_.empty()) requireRows(file, rowsWanted_);
    file.publish();
  }

  /// Mapped rows have no hash, but there is only one sequence of them.
  void requireRows(const NpyFile& file, std::uint64_t count) const {
    file.requireRows(RowCheck(request_.generators, request_.element, elementBytes_), count, firstRank(),
                     plan_.memoryLimit, threads_);
  }

  [[nodiscard]] Rank firstRank() const {
    return request_.ranks.has_value() ? parseRank(request_.ranks->begin, "rank_range") : Rank(0);
  }

  void runCsv() {
    const WindowCheckpoint from = windowResume_.value_or(WindowCheckpoint{});
    CsvFile file(request_.output.path, dimension(), request_.output.header, from.outputBytes,
                 from.outputHash);
    if (!options_.checkpointPath.empty()) file.keepPart();
    RowMatrix buffer(std::min(windowRows_, rowsWanted_), dimension(), elementBytes_);
    beginOutput();
    runWindows([&](RankRange) { return buffer.data(); },
               [&](RankRange window) {
                 file.write(buffer.data(), window.end - window.begin, elementBytes_, threads_);
                 rowsWritten_ = window.end;
               },
               [&] {
                 file.sync();
                 return OutputState{file.bytes(), file.hash()};
               },
               nullptr);
    outcome_.outputBytes = file.bytes();
    const PhaseScope writing(&clock(), Phase::writing);
    if (report_.complete) file.publish();
  }

  [[nodiscard]] StreamBooks streamBooks(std::uint64_t rows) const {
    StreamBooks books = makeStreamBooks(request_, rows, elementBytes_);
    if (stream_.has_value()) books.checkpointPath = options_.checkpointPath;
    books.checkpointInterval = options_.checkpointInterval;
    return books;
  }

  /// From here on rows are written while others are enumerated.
  void beginOutput() {
    rowsWritten_ = nextRank_;
    rowsToWrite_.store(rowsWanted_, std::memory_order_release);
  }

  /// In the words of `stream`, which counts what its writers have done and waits for them.
  void followStream(StreamBooks& books) {
    beginOutput();
    books.rowsWritten = &rowsWritten_;
    if (!options_.onProgress) return;
    books.waitInterval = options_.progressInterval;
    books.onWait = [this] { options_.onProgress(slot_.progress()); };
  }

  /// Writer threads write a window while the next one is enumerated.
  void runStreamed() {
    StreamBooks books = streamBooks(rowsWanted_);
    followStream(books);
    RowStream stream(*stream_, std::move(books), windowResume_);
    bool going = true;
    while (going && nextRank_ < rowsWanted_) {
      const RankRange window{nextRank_, stream_->windowEnd(nextRank_)};
      std::byte* const rows = acquire(stream);
      EngineOptions options = options_;
      options.checkpointPath.clear();
      const bool whole = runWindow(window, rows, std::move(options), nullptr);
      if (whole) {
        stream.submit(window, rows, report_.words, report_.steps);
        nextRank_ = window.end;
      }
      going = whole && !slot_.cancelled();
    }
    report_.complete = nextRank_ == rowsWanted_;
    const PhaseScope writing(&clock(), Phase::writing);
    if (report_.complete)
      finishStream(stream, *stream_);
    else
      stream.suspend();
    report_.checkpoints += stream.checkpoints();
    for (const auto& warning : stream.warnings()) warn(warning);
    outcome_.outputSecondsWaited = stream.secondsWaited();
  }

  /// The writers may be the slower ones.
  [[nodiscard]] std::byte* acquire(RowStream& stream) const {
    const PhaseScope writing(&clock(), Phase::writing);
    return stream.acquire();
  }

  void finishStream(RowStream& stream, const StreamShape& shape) {
    stream.finish();
    outcome_.outputBytes = stream.bytes();
    outcome_.outputStreamed = true;
    if (!shape.sharded()) return;
    outcome_.outputPath = shape.manifestPath();
    outcome_.outputShards = shape.shardCount();
  }

  void restoreWindows() {
    nextRank_ = windowResume_->nextRank;
    // A count and, if it is asked for, a fingerprint; no word before the first window.
    const auto& words = windowResume_->words;
    const std::size_t expected = spec_.reductions.fingerprint ? 3 : 1;
    const bool fresh = words.empty() && nextRank_ == 0;
    if (nextRank_ > rowsWanted_ || (!fresh && (words.size() != expected || words[0] != nextRank_))) {
      throw CheckpointError("checkpoint " + resumePath_ + ": its " + std::to_string(nextRank_) +
                            " rows and its results do not fit together; remove it to start anew");
    }
    report_.words = windowResume_->words;
    report_.steps = windowResume_->steps;
    report_.stepsBefore = windowResume_->steps;
    slot_.addDone(windowResume_->steps, nextRank_);
  }

  /// Runs all windows, which count from the first rank wanted. `place` is where the rows of a window go,
  /// `finish` is called when they are there, `settle` makes the output durable and describes it. One
  /// window that is everything leaves checkpoints to the engine.
  void runWindows(const std::function<std::byte*(RankRange)>& place,
                  const std::function<void(RankRange)>& finish, const std::function<OutputState()>& settle,
                  ResultConsumer* consumer) {
    const bool windowed = inWindows() || windowResume_.has_value();
    auto saved = std::chrono::steady_clock::now();
    report_.complete = nextRank_ == rowsWanted_;
    while (nextRank_ < rowsWanted_) {
      const RankRange window{nextRank_, std::min(rowsWanted_, nextRank_ + windowRows_)};
      EngineOptions options = options_;
      if (windowed) options.checkpointPath.clear();
      const bool whole = runWindow(window, place(window), std::move(options), windowed ? nullptr : consumer);
      if (whole) {
        const bool files = !request_.output.path.empty();
        const PhaseScope finishing(&clock(), files ? Phase::writing : Phase::merging);
        finish(window);
        nextRank_ = window.end;
      }
      report_.complete = nextRank_ == rowsWanted_;
      const bool stopping = !whole || (slot_.cancelled() && !report_.complete);
      const auto now = std::chrono::steady_clock::now();
      if (windowed && !report_.complete && (stopping || now - saved >= options_.checkpointInterval)) {
        saveWindows(settle, stopping);
        saved = now;
      }
      if (stopping) return;
    }
  }

  /// One engine run over a window, which counts from the first rank wanted; its rows go to `rows`. False when
  /// it was cancelled before the end.
  bool runWindow(RankRange window, std::byte* rows, EngineOptions options, ResultConsumer* consumer) {
    const RankRange ranks{plan_.firstRank + window.begin, plan_.firstRank + window.end};
    spec_.rows = ProblemSpec::Rows{rows, ranks, elementBytes_};
    if (traced_ && !options.tracePath.empty()) {
      options.tracePath.clear();
      warn("the trace shows the first window only");
    }
    traced_ = true;
    const double share = static_cast<double>(window.end - window.begin) / static_cast<double>(rowsWanted_);
    return runEngine(options, consumer, share).complete;
  }

  void saveWindows(const std::function<OutputState()>& settle, bool stopping) {
    if (options_.checkpointPath.empty()) return;
    const PhaseScope writing(&clock(), Phase::writing);
    const OutputState output = settle();
    const auto save = [&] {
      writeWindowCheckpoint(options_.checkpointPath, {canonicalRowsText(request_), nextRank_, output.bytes,
                                                      output.hash, report_.words, report_.steps});
      ++report_.checkpoints;
    };
    if (stopping) return save();
    (void)intervalSaves_.attempt(save, [this](const std::string& warning) { warn(warning); });
  }

  // ---- rows without places --------------------------------------------------------------------------------

  void runCollectedRows() {
    spec_.collectRows = true;
    CollectedRows rows(dimension(), elementBytes_, makeProblem(spec_)->resultBytes(), plan_.memoryLimit);
    outcome_.algorithmReason += "; rows were collected and sorted at the end";
    runEngine(options_, &rows);
    if (report_.complete) deliver(rows.rows(), [&](std::byte* output) { rows.writeSorted(output); });
  }

  /// The first K rows without a table: one slice, walked in order on the calling thread, is the stream
  /// itself.
  void runSequentialFirst() {
    spec_.collectRows = true;
    outcome_.algorithmReason += "; one slice was walked in order on one thread";
    if (options_.mode != Mode::cpu) warn("first:K without a counting table runs on one CPU thread only");
    const auto problem = makeProblem(spec_);
    CollectedRows rows(dimension(), elementBytes_, problem->resultBytes(), plan_.memoryLimit);
    const auto begin = std::chrono::steady_clock::now();
    clock().enter(Phase::search);
    report_.complete = walk(*problem, rows);
    clock().enter(Phase::merging);
    report_.seconds = secondsSince(begin);
    addSequentialWorker(rows.rows());
    if (report_.complete) deliver(rows.rows(), [&](std::byte* output) { rows.writeSorted(output); });
  }

  /// False when cancelled.
  bool walk(const Problem& problem, CollectedRows& rows) {
    std::vector<std::byte> slice = problem.roots();
    report_.words = problem.words().fresh();
    std::vector<std::byte> buffer(problem.resultBytes() * kSequentialRows);
    Turn turn = slice.empty() ? Turn::exhausted : Turn::budgetSpent;
    while (turn != Turn::exhausted && rows.rows() < request_.sink.firstCount) {
      if (slot_.cancelled() || stepLimitReached()) return false;
      std::uint32_t filled = 0;
      const auto capacity = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(kSequentialRows, request_.sink.firstCount - rows.rows()));
      const SinkMemory memory{report_.words.data(), buffer.data(), &filled, capacity, nullptr};
      Budget budget{kSequentialBudget};
      turn = problem.advance(slice.data(), budget, memory);
      report_.steps += kSequentialBudget - budget.left;
      rows.consume(buffer.data(), std::min(filled, capacity));
    }
    exhausted_ = turn == Turn::exhausted;
    return true;
  }

  [[nodiscard]] bool stepLimitReached() const {
    return options_.stepLimit != 0 && report_.steps >= options_.stepLimit;
  }

  void addSequentialWorker(std::uint64_t results) {
    WorkerReport worker;
    worker.name = "cpu0";
    worker.kind = "cpu";
    worker.steps = report_.steps;
    worker.results = results;
    worker.busySeconds = report_.seconds;
    worker.share = 1;
    report_.workers.push_back(worker);
  }

  /// Sorted rows to memory or to the output.
  void deliver(std::uint64_t count, const std::function<void(std::byte*)>& write) {
    outcome_.outputPath = request_.output.path;
    const bool files = !request_.output.path.empty();
    const PhaseScope delivering(&clock(), files ? Phase::writing : Phase::merging);
    if (format_ == OutputFormat::npy && !mustStream()) {
      NpyFile file(request_.output.path, count, dimension(), elementBytes_, false);
      if (count != 0) write(file.rows());
      outcome_.outputBytes = file.fileBytes();
      return file.publish();
    }
    if (request_.output.memory != nullptr) {
      rowsWanted_ = count;
      requireCallersMemory();
      return write(request_.output.memory);
    }
    RowMatrix matrix(count, dimension(), elementBytes_);
    if (count != 0) write(matrix.data());
    if (mustStream()) return deliverStreamed(matrix);
    if (format_ == OutputFormat::none) {
      outcome_.rows = std::move(matrix);
      return;
    }
    CsvFile file(request_.output.path, dimension(), request_.output.header, 0);
    file.write(matrix.data(), count, elementBytes_, threads_);
    outcome_.outputBytes = file.bytes();
    file.publish();
  }

  void deliverStreamed(const RowMatrix& rows) {
    const StreamShape shape = streamShape(rows.rows());
    RowStream stream(shape, streamBooks(rows.rows()), std::nullopt);
    if (rows.rows() != 0) stream.submit({0, rows.rows()}, rows.data(), {}, 0);
    finishStream(stream, shape);
  }

  // ---- reading the sink -----------------------------------------------------------------------------------

  void fillCount() {
    const auto& words = report_.words;
    const std::uint64_t found = words.empty() ? 0 : words[0];
    const bool whole = report_.complete && !report_.decided;
    const bool first = request_.sink.kind == SinkKind::first;
    if (whole && plan_.total.has_value()) {
      const std::uint64_t expected = first ? rowsWanted_ : *plan_.total;
      if (found != expected) {
        const std::string numbers =
            "enumerated " + std::to_string(found) + ", table says " + std::to_string(expected);
        if (resumePath_.empty()) throw Error("internal: " + numbers);
        throw CheckpointError("checkpoint " + resumePath_ + ": what it had counted does not fit: " + numbers +
                              "; remove it to start anew");
      }
    }
    // A stream that was not walked to its end is counted only by the table.
    const bool walked = report_.complete && !report_.decided && (!first || exhausted_);
    if (plan_.results.has_value() && (report_.complete || report_.decided))
      outcome_.count = *plan_.results;
    else if (walked)
      outcome_.count = std::to_string(found);
    if (!report_.complete && !report_.decided) outcome_.partialCount = std::to_string(found);
  }

  void fillFromWords() {
    const auto& words = report_.words;
    if (!report_.complete && !report_.decided) return;
    const ReductionWords index = reductionWords(spec_);
    const auto word = [&](int at) {
      return words.empty() ? std::uint64_t{0} : words.at(static_cast<std::size_t>(at));
    };
    const std::uint64_t found = words.empty() ? 0 : words[0];
    if (index.fingerprintSum >= 0)
      outcome_.fingerprint = Fingerprint{word(index.fingerprintSum), word(index.fingerprintXor)};
    if (index.satisfied >= 0) {
      const std::uint64_t satisfied = word(index.satisfied);
      outcome_.predicateHolds = request_.sink.kind == SinkKind::any ? satisfied != 0 : satisfied == found;
    }
    if (found == 0) return;
    if (index.minimumLength >= 0) setLengthRange(word(index.minimumLength), word(index.maximumLength));
    for (unsigned i = 0; index.coordinateMaxima >= 0 && i < dimension(); ++i)
      outcome_.coordinateMaxima.push_back(word(index.coordinateMaxima + static_cast<int>(i)));
    if (index.lengths >= 0) fillLengths(static_cast<std::size_t>(index.lengths));
  }

  void fillLengths(std::size_t first) {
    const auto& words = report_.words;
    for (std::size_t at = first; at < words.size(); ++at)
      if (words[at] != 0) outcome_.lengths.emplace_back(at - first, words[at]);
    setLengthRange(outcome_.lengths.front().first, outcome_.lengths.back().first);
    outcome_.deltaSet = deltaSet(outcome_.lengths);
  }

  void setLengthRange(std::uint64_t shortest, std::uint64_t longest) {
    outcome_.minimumLength = shortest;
    outcome_.maximumLength = longest;
    outcome_.elasticity = elasticity(shortest, longest);
  }

  Request request_;
  Plan plan_;
  OutputFormat format_ = OutputFormat::none;
  unsigned elementBytes_ = 1;
  std::size_t rowBytes_ = 1;
  int threads_ = 1;
  std::uint64_t rowsWanted_ = 0;  ///< known places: rows of the sink
  std::uint64_t windowRows_ = 0;  ///< rows of one engine run
  std::uint64_t nextRank_ = 0;
  bool traced_ = false;
  bool exhausted_ = false;  ///< the sequential walk came to the end of the stream
  std::string identity_;
  std::string engineResume_;
  std::optional<WindowCheckpoint> windowResume_;
  std::atomic<std::uint64_t> rowsWritten_{0}, rowsToWrite_{0};  ///< the latter 0: not written meanwhile
  mutable std::mutex writtenMutex_;
  mutable RecentRate writtenRate_;     ///< of rowsWritten_
  std::optional<StreamShape> stream_;  ///< rows at known places that go through buffers
  ProblemSpec spec_;
  IntervalSaves intervalSaves_;
  Outcome outcome_;
};

Enumeration::Enumeration(Request request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}
Outcome Enumeration::outcome() { return static_cast<Impl&>(life()).outcome(); }
std::optional<std::string> Enumeration::exactTotal() const {
  return static_cast<const Impl&>(life()).exactTotal();
}

}  // namespace slicepool::factorizations
