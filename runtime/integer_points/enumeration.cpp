// Enumeration: from a request to its outcome. Prepares the search (problem_factory), makes the table of
// completions where it pays, runs the problem on an engine (run_life), reads the words of the sink, sorts and
// writes what was collected. Called by the command line, the sweeps and library users.
#include "slicepool/integer_points/enumeration.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>

#include "runtime/core/checkpoint.hpp"
#include "runtime/core/collected_results.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/core/trace.hpp"
#include "runtime/integer_points/exact_rows.hpp"
#include "runtime/integer_points/point_files.hpp"
#include "runtime/integer_points/problem_factory.hpp"
#include "runtime/integer_points/request_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::integer_points {
namespace {

/// The same on every machine: a checkpoint goes on with the same slices.
constexpr TableLimits kTableLimits{.entries = 1 << 22, .work = 0x1p31};
/// Tables above this are made when the search itself has not ended after so many steps.
constexpr double kSmallTables = 1 << 16;
constexpr std::uint64_t kTrialSteps = 1 << 18;

/// A line as it arrives and as it is sorted.
constexpr std::size_t kCopies = 2;

std::string exactCount(const std::vector<std::uint64_t>& words) {
  return BigInteger(BigInteger(words.at(1)) + (BigInteger(words.at(2)) << 32)).str();
}

}  // namespace

class Enumeration::Impl final : public EngineLife {
 public:
  Impl(const Request& request, EngineOptions options) : EngineLife(std::move(options)), request_(request) {
    checkRequest(request_, options_);
    const bool isArray = pointFormat(request_.outputPath) == PointFormat::npy;
    prepare(canonicalText(request_),
            {{"output.path", request_.outputPath, isArray ? OutputNeed::file : OutputNeed::text}});
    search_ = prepareSearch(request_);
    outcome_.emptyBecause = search_.emptyBecause;
    if (isEmpty()) return;
    outcome_.shape.order = search_.system.order;
    outcome_.shape.visited = search_.system.leaf;
    problem_ = makeProblem(search_, nullptr);
  }

  [[nodiscard]] Outcome outcome() { return handOver(outcome_); }

 private:
  [[nodiscard]] bool isEmpty() const { return !search_.emptyBecause.empty(); }

  void readCheckpoint(const std::string& path) override {
    if (isEmpty()) throw CheckpointError("resume: the set is empty, and its search has no checkpoints");
    (void)readCheckpointHeaderOf(path, problem_->workload(), options_.checkpointIdentity);
  }

  void execute() override {
    if (isEmpty()) {
      finishWithoutSearch({0, 0, 0});
      conclude([this] { writeNothing(); });
      return;
    }
    if (!collects(request_.sink)) {
      count();
      conclude();
      return;
    }
    shape_ = lineShapeOf(search_);
    switch (shape_.recordBytes) {
      case 32: collect<LineRecord<32>>(); break;
      case 72: collect<LineRecord<72>>(); break;
      case 264: collect<LineRecord<264>>(); break;
      default: collect<LineRecord<520>>(); break;
    }
  }

  // ---- counts -------------------------------------------------------------------------------------------

  void count() {
    if (!useTable()) {
      if (problem_->roots().empty())
        finishWithoutSearch(problem_->words().fresh());
      else
        report_ = slot_.run(*problem_, options_, nullptr, 1, resumePath_);
    }
    readWords();
  }

  /// Returns whether the count is known.
  bool useTable() {
    const bool mayUse = request_.sink == SinkKind::count && !request_.fingerprint &&
                        search_.conditions.empty() && request_.algorithm == Algorithm::automatic &&
                        !problem_->roots().empty();
    if (!mayUse) return false;
    const PhaseScope tables(&clock(), Phase::tables);
    if (tableEntries(search_.system) > kSmallTables && triedSearch()) return true;
    const CompletionTable table =
        completionTable(search_.system, kTableLimits, [this] { return slot_.cancelled(); });
    if (table.level == 0) {
      outcome_.shape.byTable = true;
      outcome_.shape.visited = 0;
      const std::uint64_t all = table.counts.front();
      finishWithoutSearch({all, all & 0xffffffffU, all >> 32});
      return true;
    }
    if (table.level > search_.system.leaf) return false;
    outcome_.shape.visited = table.level - 1;
    outcome_.shape.tableEntries = table.counts.size();
    problem_ = makeProblem(search_, &table);
    return false;
  }

  /// A search that is over soon needs no table.
  bool triedSearch() {
    std::vector<std::byte> slice = problem_->roots();
    std::vector<std::uint64_t> words = problem_->words().fresh();
    const SinkMemory memory{words.data(), nullptr, nullptr, 0, nullptr};
    Budget budget{kTrialSteps};
    if (problem_->advance(slice.data(), budget, memory) != Turn::exhausted) return false;
    finishWithoutSearch(std::move(words));
    report_.steps = kTrialSteps - budget.left;
    return true;
  }

  void finishWithoutSearch(std::vector<std::uint64_t> words) {
    report_.complete = true;
    report_.words = std::move(words);
    if (!options_.tracePath.empty()) writeTrace(options_.tracePath, {}, {});
  }

  void readWords() {
    const std::vector<std::uint64_t>& words = report_.words;
    outcome_.count = exactCount(words);
    const bool digests = request_.fingerprint || request_.sink == SinkKind::sums;
    if (!digests) return;
    outcome_.fingerprint = {words.at(Digest::kFingerprintWord), words.at(Digest::kFingerprintWord + 1)};
    for (std::size_t bin = 0; bin < static_cast<std::size_t>(search_.bins); ++bin)
      if (words.at(Digest::kFirstBin + bin) != 0)
        outcome_.sums[search_.leastSum + static_cast<std::int64_t>(bin)] = words.at(Digest::kFirstBin + bin);
  }

  // ---- points -------------------------------------------------------------------------------------------

  /// Points to stop at; 0: none.
  [[nodiscard]] std::uint64_t wanted() const { return sinkOf(request_).wanted(); }

  template <class Record>
  void collect() {
    CollectedResults<Record> collected(
        {"lines of points", options_.memoryLimit, kCopies * sizeof(Record), wanted()},
        [this] { slot_.cancel(); });
    if (problem_->roots().empty())
      finishWithoutSearch(problem_->words().fresh());
    else
      report_ = slot_.run(*problem_, options_, &collected, 1, resumePath_);
    report_.decided = collected.enough();
    outcome_.count = exactCount(report_.words);
    std::vector<Record>& records = collected.results();
    if (leads() && (report_.complete || report_.decided)) {
      clock().enter(Phase::merging);
      sortLines(shape_, records, threads());
      finishPoints({shape_, std::as_bytes(std::span(records))});
    }
    conclude([&] { writeFiles({shape_, std::as_bytes(std::span(records))}); });
  }

  void finishPoints(const Lines& lines) {
    outcome_.listed = pointsOf(lines);
    if (request_.sink == SinkKind::list) {
      outcome_.fingerprint = fingerprintOf(lines, threads());
      if (request_.outputPath.empty()) keepPoints(lines);
      return;
    }
    keepPoints(lines);
    std::sort(outcome_.points.begin(), outcome_.points.end());
    // Workers find some at the same time.
    if (outcome_.points.size() > wanted()) outcome_.points.resize(wanted());
    outcome_.listed = outcome_.points.size();
    const bool found = !outcome_.points.empty();
    if (asks(request_.sink) && (report_.complete || found))
      outcome_.holds = found == (request_.sink == SinkKind::any);
  }

  void keepPoints(const Lines& lines) {
    const std::uint64_t bytes =
        sizeof(Point) + 2 * sizeof(void*) + shape_.order.size() * sizeof(std::int64_t);
    if (outcome_.listed > options_.memoryLimit / bytes)
      throw LimitError("points: " + std::to_string(outcome_.listed) + " of them, which take " +
                       std::to_string(bytes) + " bytes each; " + std::to_string(options_.memoryLimit) +
                       " bytes may be used (memory limit). An output takes less");
    outcome_.points = pointsIn(lines);
  }

  [[nodiscard]] int threads() const {
    const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
    return options_.threads == 0 ? static_cast<int>(cores) : options_.threads;
  }

  void writeFiles(const Lines& lines) {
    if (request_.outputPath.empty()) return;
    outcome_.outputPath = request_.outputPath;
    outcome_.outputBytes = request_.sink == SinkKind::list
                               ? writePoints(lines, request_.outputPath, threads())
                               : writePoints(outcome_.points, shape_, request_.outputPath);
  }

  /// An output of no points is there all the same.
  void writeNothing() {
    outcome_.count = "0";
    if (asks(request_.sink)) outcome_.holds = request_.sink == SinkKind::all;
    if (request_.fingerprint || request_.sink == SinkKind::sums || request_.sink == SinkKind::list)
      outcome_.fingerprint = Fingerprint{};
    if (request_.outputPath.empty()) return;
    const std::size_t columns = request_.system.matrix.front().size();
    for (std::size_t level = 0; level < columns; ++level) shape_.order.push_back(level);
    shape_.lower.assign(columns, 0);
    shape_.upper.assign(columns, 0);
    outcome_.outputPath = request_.outputPath;
    outcome_.outputBytes = writePoints(std::vector<Point>{}, shape_, request_.outputPath);
  }

  Request request_;
  PreparedSearch search_;
  std::unique_ptr<Problem> problem_;
  LineShape shape_;
  Outcome outcome_;
};

Enumeration::Enumeration(const Request& request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(request, std::move(options))) {}
Outcome Enumeration::outcome() { return static_cast<Impl&>(life()).outcome(); }

}  // namespace slicepool::integer_points
