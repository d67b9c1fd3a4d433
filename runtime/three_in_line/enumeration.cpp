// Enumeration: from a request to its outcome. Builds the problem (problem_factory), runs it on an engine
// (run_life), reads the words of the sink, checks the solutions and writes them. Called by the command
// line, the sweeps and library users.
#include "slicepool/three_in_line/enumeration.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/automatic_choice.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/collected_results.hpp"
#include "runtime/core/joining_devices.hpp"
#include "runtime/core/kept_values.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/core/trace.hpp"
#include "runtime/core/tree_estimate.hpp"
#include "runtime/three_in_line/known_nodes.hpp"
#include "runtime/three_in_line/points.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "runtime/three_in_line/shard_record.hpp"
#include "runtime/three_in_line/solution_check.hpp"
#include "runtime/three_in_line/solution_files.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "slicepool/three_in_line/sinks.hpp"

namespace slicepool::three_in_line {
namespace {

/// A search that lasts starts from so many boards, in every mode the same ones: a GPU would take a while to
/// make them from one, and CPU workers beside it would have nothing to do until it gives some away.
constexpr std::size_t kStartBoards = 2048;
constexpr int kMinimumCut = 11;  ///< size of grids whose search lasts

/// By a free core with AVX-512. Faster than most, so that no GPU is asked for in vain.
constexpr double kFreeCoreBoardsPerSecond = 8e6;

/// Probes for the ETA go on until the estimate is this good, and take this part of one core's time.
constexpr double kGoodError = 0.01;
constexpr double kUsableError = 0.3;
constexpr double kProbeShare = 0.03;

/// The configuration itself, its points while it is sorted, and about as much for the text of an output.
constexpr std::size_t kBytesPerSolution = 16 * sizeof(Configuration);

Findings findingsOf(const std::vector<std::uint64_t>& words) {
  Findings findings;
  findings.count = words.at(kCountWord);
  findings.nodes = words.at(kNodesWord);
  for (std::size_t i = 0; i < findings.classes.size(); ++i)
    findings.classes.at(i) = words.at(kClassesWord + i);
  findings.total = totalOf(findings.classes);
  findings.fingerprint = {words.at(kFingerprintWord), words.at(kFingerprintWord + 1)};
  return findings;
}

}  // namespace

class Enumeration::Impl final : public EngineLife {
 public:
  Impl(Request request, EngineOptions options)
      : EngineLife(std::move(options)), request_(std::move(request)) {
    checkRequest(request_, options_);
    prepare(canonicalText(request_), {{"output.path", request_.outputPath, OutputNeed::text},
                                      {"record", request_.recordPath, OutputNeed::text}});
    spec_.n = request_.size;
    spec_.group = request_.group;
    spec_.algorithm = request_.algorithm;
    spec_.collect = collects(request_);
    askForGpus();
    if (request_.shards > 1 || request_.size >= kMinimumCut) cutSearch();
    expectSteps();
    if (!nothingLeft_) {
      const PhaseScope cutting(&clock(), Phase::cutting);  // a slice for each board to start from
      problem_ = makeProblem(spec_);
    }
    if (!nothingLeft_) estimateInProgress();
  }

  [[nodiscard]] Outcome outcome() { return handOver(outcome_); }

 private:
  void readCheckpoint(const std::string& path) override {
    secondsBefore_ = readCheckpointHeaderOf(path, "three_in_line", options_.checkpointIdentity).seconds;
  }

  void execute() override {
    // Enough are known: the engine stops as if it were cancelled.
    CollectedResults<Configuration> collected(
        {"solutions", options_.memoryLimit, kBytesPerSolution, request_.first}, [this] { slot_.cancel(); });
    std::vector<std::uint64_t> words = Tally::layout().fresh();
    if (nothingLeft_) {
      report_.complete = true;
      if (!options_.tracePath.empty()) writeTrace(options_.tracePath, {}, {});
    } else {
      report_ = slot_.run(*problem_, options_, &collected, 1, resumePath_);
      words = report_.words;
      if (asked_) tellOfEarlyStart(report_.automatic, *asked_);
    }
    clock().enter(Phase::merging);
    report_.decided = collected.enough();
    outcome_.solutions = std::move(collected.results());
    addTop(words);
    report_.words = words;
    outcome_.findings = findingsOf(words);
    outcome_.boards = spec_.roots.size();
    finishSolutions();
    conclude([this] { writeFiles(); });
  }

  /// A whole search that was made before is known to last: the driver starts while the search is cut.
  void askForGpus() {
    const auto nodes = knownNodes(request_.size, request_.group);
    if (!nodes || request_.shards > 1 || request_.first != 0 || !gpusMayJoin(options_)) return;
    const int threads = options_.threads > 0 ? options_.threads : availableCores();
    const double seconds = static_cast<double>(*nodes) / (kFreeCoreBoardsPerSecond * threads);
    if (!worthStartingGpus(options_.mode, seconds, seconds)) return;
    asked_ =
        startGpusBeforeSearch(options_, fmt::format("{:.3g} s of the CPU workers were expected", seconds));
  }

  /// The boards to start from: every `shards`-th of the frontier, because neighbours are alike. What was
  /// visited above the frontier belongs to shard 0, or to the only one.
  void cutSearch() {
    const PhaseScope cutting(&clock(), Phase::cutting);
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t boards = request_.shards > 1 ? kBoardsPerShard * request_.shards : kStartBoards;
    // The same for all shards.
    const auto top = keptOrMade(fmt::format("{} {} {}", spec_.n, groupName(spec_.group), boards),
                                [&] { return frontier(spec_, boards, options_.memoryLimit); });
    for (std::size_t i = request_.shard; i < top->roots.size(); i += request_.shards)
      spec_.roots.push_back(top->roots[i]);
    // No roots would mean the whole search to the factory.
    nothingLeft_ = spec_.roots.empty();
    if (request_.shard == 0) top_ = {{}, top->words, top->found};
    cutSeconds_ = secondsSince(begin);
  }

  /// Of a search that was made before. Where one for the first solutions ends is unknown.
  void expectSteps() {
    if (request_.shards > 1 || request_.first != 0) return;
    const auto nodes = knownNodes(request_.size, request_.group);
    if (!nodes) return;
    const std::uint64_t above = top_.words.empty() ? 0 : top_.words[kNodesWord];
    spec_.expectedSteps = static_cast<double>(*nodes - above);
  }

  /// The ETA of a search of unknown length becomes better while it runs: the thread of run() has nothing else
  /// to do. A search for the first solutions has none.
  void estimateInProgress() {
    if (spec_.expectedSteps) return;
    estimate_.emplace(*problem_);
    estimateSteps([this, usable = 0.0](const Progress& progress) mutable {
      if (request_.first != 0) return usable;
      refineEstimate(kProbeShare * progress.seconds - probeSeconds_);
      if (estimate_->relativeError() < kUsableError) usable = estimate_->steps();
      return usable;
    });
  }

  void refineEstimate(double seconds) {
    const auto begin = std::chrono::steady_clock::now();
    double spent = 0;
    while (spent < seconds && estimate_->relativeError() > kGoodError) {
      estimate_->probe();
      spent = secondsSince(begin);
    }
    probeSeconds_ += spent;
  }

  void addTop(std::vector<std::uint64_t>& words) {
    if (top_.words.empty()) return;
    mergeWords(Tally::layout(), words.data(), top_.words.data());
    report_.steps += top_.words[kNodesWord];
    // Its boards are among the nodes, so that its time is a part of the search.
    report_.seconds += cutSeconds_;
  }

  /// Sorted and, with `first`, not more than asked for: workers find some at the same time.
  void finishSolutions() {
    if (!spec_.collect) return;
    auto& solutions = outcome_.solutions;
    solutions.insert(solutions.end(), top_.found.begin(), top_.found.end());
    sortSolutions(solutions, request_.size);
    if (request_.first == 0) return;
    if (solutions.size() > request_.first) solutions.resize(request_.first);
    outcome_.findings.classes = classCountsOf(solutions, request_.size);
    outcome_.findings.count = countOf(outcome_.findings.classes);
    outcome_.findings.total = totalOf(outcome_.findings.classes);
    outcome_.findings.fingerprint = fingerprintOf(solutions);
  }

  /// Last, and each as a whole: what is there is complete and was checked.
  void writeFiles() {
    const auto& solutions = outcome_.solutions;
    if (const std::string wrong = problemOf(solutions, request_.size); !wrong.empty())
      throw Error("internal: the search found a configuration that is no solution: " + wrong);
    if (!request_.outputPath.empty()) {
      outcome_.outputPath = request_.outputPath;
      outcome_.outputBytes = writeSolutions({request_.size, solutions, scope()}, request_.outputPath);
    }
    if (!request_.recordPath.empty()) {
      outcome_.recordPath = request_.recordPath;
      writeShardRecord(request_.recordPath, record());
    }
  }

  [[nodiscard]] std::string scope() const {
    std::string text = groupDescription(request_.group);
    if (request_.first != 0 && report_.decided)
      text += (text.empty() ? "" : ", ") + ("the first " + std::to_string(request_.first) + " found");
    return text;
  }

  [[nodiscard]] ShardRecord record() const {
    ShardRecord record;
    record.rules = kSearchRules;
    record.size = request_.size;
    record.group = request_.group;
    record.algorithm = request_.algorithm;
    record.shards = request_.shards;
    record.shard = request_.shard;
    record.boards = outcome_.boards;
    record.findings = outcome_.findings;
    record.seconds = secondsBefore_ + report_.seconds;
    record.hasSolutions = spec_.collect;
    record.solutions = outcome_.solutions;
    return record;
  }

  Request request_;
  ProblemSpec spec_;
  Frontier top_;              ///< what shard 0 adds: words and solutions above the frontier
  bool nothingLeft_ = false;  ///< the shard has no boards
  std::unique_ptr<Problem> problem_;
  std::optional<TreeEstimate> estimate_;
  std::optional<AutomaticChoice> asked_{};  ///< the driver of the GPUs, before the search
  double cutSeconds_ = 0;
  double probeSeconds_ = 0;
  double secondsBefore_ = 0;  ///< of the runs that the checkpoint is from
  Outcome outcome_;
};

Enumeration::Enumeration(Request request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}
Outcome Enumeration::outcome() { return static_cast<Impl&>(life()).outcome(); }

}  // namespace slicepool::three_in_line
