// Enumeration: from a request to its outcome. Prepares the search (problem_factory), makes the table of
// completions where it pays, runs the problem on an engine (run_life), reads the words of the sink, sorts and
// writes what was collected. Called by the command line, the sweeps and library users.
#include "slicepool/integer_points/enumeration.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/core/checkpoint.hpp"
#include "runtime/core/collected_results.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/core/trace.hpp"
#include "runtime/integer_points/endings.hpp"
#include "runtime/integer_points/exact_rows.hpp"
#include "runtime/integer_points/point_files.hpp"
#include "runtime/integer_points/problem_factory.hpp"
#include "runtime/integer_points/request_check.hpp"
#include "runtime/integer_points/search_frontier.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::integer_points {
namespace {

/// A line as it arrives and as it is sorted.
constexpr std::size_t kCopies = 2;

std::string exactCount(const std::vector<std::uint64_t>& words) {
  const unsigned __int128 number = Tally::numberOf(words);
  const auto high = static_cast<std::uint64_t>(number >> 64);
  return BigInteger((BigInteger(high) << 64) + static_cast<std::uint64_t>(number)).str();
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
    const Counting how = [this] {
      const PhaseScope tables(&clock(), Phase::tables);
      return countingOf(request_, search_, *problem_, [this] { return slot_.cancelled(); });
    }();
    outcome_.shape.byTable = how.byTable;
    if (how.words) {
      if (how.byTable) outcome_.shape.visited = 0;
      finishWithoutSearch(request_.shard == 0 ? *how.words : problem_->words().fresh());
      report_.steps = request_.shard == 0 ? how.steps : 0;
    } else {
      if (how.table) {
        outcome_.shape.visited = how.table->level - 1;
        outcome_.shape.tableEntries = how.table->counts.size();
      }
      search(how.table ? &*how.table : nullptr, nullptr);
    }
    readWords();
  }

  /// Runs the problem, or the part of it that is this shard's, on the engine.
  void search(const CompletionTable* table, ResultConsumer* consumer) {
    Frontier top;
    if (request_.shards > 1) {
      const PhaseScope cutting(&clock(), Phase::cutting);
      top = frontierOf(search_, table, kSlicesPerShard * request_.shards, options_.memoryLimit);
      search_.slices = slicesOfShard(top, request_.shards, request_.shard, outcome_.slices);
    }
    if (table != nullptr || request_.shards > 1) problem_ = makeProblem(search_, table);
    if (problem_->roots().empty())
      finishWithoutSearch(problem_->words().fresh());
    else
      report_ = slot_.run(*problem_, options_, consumer, 1, resumePath_);
    // What was done above the frontier belongs to shard 0.
    if (request_.shard != 0 || top.words.empty() || !report_.complete) return;
    mergeWords(problem_->words(), report_.words.data(), top.words.data());
    report_.steps += top.steps;
    if (consumer != nullptr && !top.results.empty())
      consumer->consume(top.results.data(), top.results.size() / problem_->resultBytes());
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
    const auto how = countingOf(request_, search_, *problem_);
    if (how.table) {
      outcome_.shape.visited = how.table->level;
      outcome_.shape.tableEntries = how.table->counts.size();
      shape_.coordinates = how.table->level;
    }
    search(how.table ? &*how.table : nullptr, &collected);
    report_.decided = collected.enough();
    outcome_.count = exactCount(report_.words);
    std::vector<Record>& records = collected.results();
    std::optional<Endings> endings;
    Lines lines;
    if (leads() && (report_.complete || report_.decided)) {
      clock().enter(Phase::merging);
      sortLines(shape_, records, threads());
      lines = {shape_, std::as_bytes(std::span(records))};
      if (how.table) lines.endings = &endings.emplace(search_, *how.table, lines);
      finishPoints(lines);
    }
    conclude([&] { writeFiles(lines); });
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
    if (sinkOf(request_).asks() && (report_.complete || found))
      outcome_.holds = found == (request_.sink == SinkKind::any);
  }

  void keepPoints(const Lines& lines) {
    requireRoomFor(outcome_.listed, shape_.order.size(), options_.memoryLimit);
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
    if (sinkOf(request_).asks()) outcome_.holds = request_.sink == SinkKind::all;
    if (request_.fingerprint || request_.sink == SinkKind::sums || request_.sink == SinkKind::list)
      outcome_.fingerprint = Fingerprint{};
    if (request_.outputPath.empty()) return;
    shape_ = emptyShape(request_.system.matrix.front().size());
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
