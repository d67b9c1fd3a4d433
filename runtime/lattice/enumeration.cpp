// Enumeration: from a request to its outcome. Reads, checks and reduces the basis (prepared_search), builds
// the problem (problem_factory), runs it on an engine (run_life), reads the words of the sink and finishes
// the output. Called by the command line, the sweeps and library users.
#include "slicepool/lattice/enumeration.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/automatic_choice.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/joining_devices.hpp"
#include "runtime/core/kept_values.hpp"
#include "runtime/core/report_merge.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/lattice/kept_vectors.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "runtime/lattice/request_check.hpp"
#include "runtime/lattice/shrinking_estimate.hpp"
#include "runtime/lattice/solution_consumer.hpp"
#include "runtime/lattice/vector_file.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"

namespace slicepool::lattice {
namespace {

/// Threads that convert solutions. Eight keep up with a GPU that finds nothing but solutions.
constexpr int kMaximumConverters = 8;
/// Solutions that wait for them. Devices hand over many at a time, and stand still until they are taken.
constexpr std::size_t kQueueBytes = 8U << 20;
constexpr std::size_t kDeviceQueueBytes = 64U << 20;
/// Of a pruned tree, whose size in orders of magnitude is enough.
constexpr std::size_t kCells = 128;
/// Rows from which on an unpruned search within the Gaussian heuristic lasts longer than the start of a GPU's
/// driver, with 16 cores and behind BKZ-20.
constexpr int kLongSearch = 52;
/// Nodes a second of a core that has AVX2 for itself. What a slower one leaves is seen after 20 ms, and a
/// driver that was asked for too early costs a short search more than that.
constexpr double kFreeCoreNodesPerSecond = 1e8;

}  // namespace

class Enumeration::Impl final : public EngineLife {
 public:
  Impl(Request request, EngineOptions options, PreparedSearch* prepared = nullptr)
      : EngineLife(std::move(options)), request_(std::move(request)) {
    checkRequest(request_, options_);
    claimFiles();
    expectDevices();
    limitMemory();
    {
      const PhaseScope reducing(&clock(), Phase::tables);
      PreparedSearch search =
          prepared != nullptr
              ? std::move(*prepared)
              : prepareSearch(request_, [this](const IntegerBasis& basis) {
                  if (!isLongWhateverIsReduced(basis)) return;
                  startDevices(fmt::format("a search in {} rows is expected to be long", basis.dimension));
                });
      use(std::move(search));
      const int threads = options_.threads > 0 ? options_.threads : availableCores();
      const double seconds = expectedSteps(search_.spec, kCells) / (kFreeCoreNodesPerSecond * threads);
      if (gpusMayJoin(options_) && worthStartingGpus(options_.mode, seconds, seconds))
        startDevices(fmt::format("{:.3g} s of the CPU workers were expected", seconds));
    }
  }

  [[nodiscard]] Progress progress() const override { return adjusted(EngineLife::progress()); }
  [[nodiscard]] Outcome outcome() { return handOver(outcome_); }

 private:
  void allowResume(const std::string& path) const override {
    if (request_.outputPath == "-")
      throw CheckpointError("resume: what went to standard output cannot be continued");
    refuseInPlace(path);
  }
  void readCheckpoint(const std::string& path) override {
    if (search_.wider || !past_.empty()) {
      const std::string identity = readCheckpointHeader(path).identity;
      std::vector<PreparedSearch> searches{past_.empty() ? search_ : past_.front()};
      while (searches.back().identity != identity && searches.back().wider)
        searches.push_back(searches.back().wider());
      if (searches.back().identity == identity) {
        use(searches.back());
        searches.pop_back();
        past_ = std::move(searches);
      }
    }
    (void)readCheckpointHeaderOf(path, "lattice", options_.checkpointIdentity);
  }

  void execute() override {
    if (streams()) file_.emplace(request_.outputPath, search_.basis.columns, elementBytes_);
    if (search_.spec.shrinking) estimateInProgress();
    adjustProgress();
    if (leadsOthers())
      for (const PreparedSearch& past : past_) leaveOut(past, true);
    std::string from = resumePath_;
    while (!search(std::exchange(from, {}))) use(search_.wider());
    if (!finished_) file_.reset();
  }

  // Ranks other than 0 know neither the checkpoint nor what was found. They begin with the first ball, and
  // with another one whenever there may be one.
  [[nodiscard]] bool leadsOthers() const { return options_.cluster != nullptr && leads(); }
  void leaveOut(const PreparedSearch& search, bool followed) {
    EngineOptions options = options_;
    options.checkpointIdentity = search.identity;
    slot_.mayBeFollowed(followed);
    for (const std::string& warning : slot_.leaveOut(*makeProblem(specOf(search)), options)) warn(warning);
  }

  /// False where a larger ball is to be searched.
  bool search(const std::string& resumePath) {
    // Enough are known: the engine stops as if it were cancelled.
    SolutionConsumer consumer(search_.basis, consumerSettings(), [this] { slot_.cancel(); });
    consumer_ = &consumer;
    estimate_.emplace(search_.spec, !resumePath.empty(), static_cast<double>(report_.steps));
    slot_.mayBeFollowed(static_cast<bool>(search_.wider));
    const RunReport report =
        slot_.run(*problem_, options_, search_.spec.collect ? &consumer : nullptr, 1, resumePath);
    clock().enter(streams() ? Phase::writing : Phase::merging);
    consumer.finish();
    mergeReport(report_, report, problem_->words(), true);
    if (asked_) tellOfEarlyStart(report_.automatic, *asked_);
    rejected_.add(consumer.rejected());
    const bool empty = report_.complete && consumer.best().best().empty();
    if (search_.wider && (leads() ? empty : slot_.followed())) return false;
    // Before the checkpoint goes.
    if (search_.wider && leadsOthers()) leaveOut(search_.wider(), false);
    clock().enter(Phase::merging);
    report_.decided = report_.decided || consumer.enough();
    describe(consumer);
    conclude([&] { writeOutput(consumer); });
    return true;
  }

  /// Whether there may be GPUs that join the search. The engine asks for them when it is seen to be long, and
  /// does not wait for them.
  /// Their driver takes as long to start as a basis to be reduced.
  [[nodiscard]] bool isLongWhateverIsReduced(const IntegerBasis& basis) const {
    return basis.dimension >= kLongSearch && !request_.squaredRadius.given() && gpusMayJoin(options_) &&
           (request_.ghFactor == 0 || request_.ghFactor >= 1) && request_.pruning.empty() &&
           request_.pruningPath.empty() && request_.first == 0 && request_.shards == 1;
  }
  void startDevices(std::string why) {
    const auto told = startGpusBeforeSearch(options_, std::move(why));
    if (told) asked_ = told;
  }

  void use(PreparedSearch search) {
    search_ = std::move(search);
    options_.checkpointIdentity = search_.identity;
    search_.spec = specOf(search_);
    collecting_ = search_.spec.collect;
    const KeepValues kept;  // both need the frontier
    problem_ = makeProblem(search_.spec);
    if (request_.shards > 1) frontier_ = frontierOf(search_.spec);
    if (!request_.outputPath.empty() && vectorFormat(request_.outputPath) == VectorFormat::npy)
      elementBytes_ = elementBytes(greatestSquare(search_));
  }

  void claimFiles() {
    const bool array = !request_.outputPath.empty() && vectorFormat(request_.outputPath) == VectorFormat::npy;
    guard_.claim({{"output.path", request_.outputPath, array ? OutputNeed::file : OutputNeed::text},
                  {"trace", options_.tracePath, OutputNeed::text},
                  {"checkpoint", options_.checkpointPath, OutputNeed::checkpoint}},
                 {{"basis", request_.basisPath},
                  {"gram", request_.gramPath},
                  {"target", request_.targetPath},
                  {"pruning", request_.pruningPath}});
    refuseInPlace(options_.checkpointPath);
  }

  /// Where norms in floating point do not decide what is within the radius, vectors are needed to count them.
  [[nodiscard]] bool collects(const PreparedSearch& search) const {
    return request_.solutions != 0 || request_.first != 0 || request_.theta || !search.radius.decides ||
           request_.minimumSquaredNorm.given() || search.embedding.given() || request_.accept;
  }
  [[nodiscard]] ProblemSpec specOf(const PreparedSearch& search) const {
    ProblemSpec spec = search.spec;
    spec.collect = collects(search);
    spec.devices = options_.mode != Mode::cpu;
    return spec;
  }
  [[nodiscard]] std::uint64_t perResult() const { return request_.bothSigns ? 2 : 1; }
  [[nodiscard]] Integer maximumSquaredNorm() const { return Integer(search_.squaredRadius.integerPart()); }
  [[nodiscard]] bool streams() const { return request_.solutions == kAllSolutions && leads(); }

  [[nodiscard]] ConsumerSettings consumerSettings() {
    ConsumerSettings settings;
    settings.resultBytes = problem_->resultBytes();
    settings.maximumSquaredNorm = maximumSquaredNorm();
    settings.squaredRadius = search_.spec.squaredRadius;
    if (!search_.radius.decides) settings.certain = search_.radius.certain;
    settings.keep = streams() ? 1 : std::max({request_.solutions, request_.first, std::uint64_t{1}});
    settings.first = request_.first / perResult();
    settings.minimumSquaredNorm = search_.minimumSquaredNorm;
    settings.normError = search_.radius.error;
    settings.greatestSquare = greatestSquare(search_);
    settings.bothSigns = request_.bothSigns;
    settings.countsNorms = request_.theta;
    settings.memoryLimit = options_.memoryLimit;
    settings.queueBytes = options_.mode == Mode::cpu ? kQueueBytes : kDeviceQueueBytes;
    settings.threads =
        std::min(kMaximumConverters, options_.threads > 0 ? options_.threads : availableCores());
    settings.file = file_ ? &*file_ : nullptr;
    settings.taken = &taken_;
    if (request_.accept)
      settings.accept = [this](VectorMaker& maker, const BestVector& vector) {
        return request_.accept(solutionFor(maker, vector));
      };
    return settings;
  }

  [[nodiscard]] Solution solutionFor(VectorMaker& maker, const BestVector& vector) const {
    Solution solution = solutionOf(maker, vector);
    if (search_.embedding.given()) {
      solution.squaredNorm = search_.embedding.distance(vector.squaredNorm);
      solution.coefficients.clear();
    }
    return solution;
  }

  /// The ETA becomes better while the radius shrinks.
  void estimateInProgress() {
    estimateSteps([this](const Progress& progress) {
      estimate_->update(progress.steps, consumer_->least());
      return estimate_->totalSteps();
    });
  }

  /// What was rejected, or still waits for a test of vectors, is no solution. A solution may be two vectors.
  [[nodiscard]] Progress adjusted(Progress progress) const {
    if (collecting_.load(std::memory_order_relaxed))
      progress.results = taken_.load(std::memory_order_relaxed);
    progress.results *= perResult();
    return progress;
  }
  void adjustProgress() {
    if (!options_.onProgress) return;
    options_.onProgress = [this, report = std::move(options_.onProgress)](const Progress& progress) {
      report(adjusted(progress));
    };
  }

  void describe(const SolutionConsumer& consumer) {
    const auto& words = report_.words;
    const int d = search_.spec.dimension;
    const TargetEmbedding& embedding = search_.embedding;
    outcome_.dimension = embedding.given() ? d - 1 : d;
    outcome_.squaredRadius = search_.askedRadius;
    outcome_.nearestPlaneSquaredDistance = search_.nearestPlaneDistance;
    outcome_.ghFactor = std::sqrt(squaredReach() / search_.gaussianSquaredRadius);
    outcome_.fixedRadius = !search_.spec.shrinking;
    outcome_.reduction = search_.reduction;
    outcome_.count = consumer.enough() ? consumer.taken() : words.at(kCountWord) - rejected_.count;
    outcome_.count *= perResult();
    const auto levels = words.begin() + kNodesWord;
    outcome_.nodesPerLevel.assign(levels, levels + outcome_.dimension);
    outcome_.frontierSlices = frontier_.slicesOfShard;
    // What is above the frontier belongs to shard 0.
    for (std::size_t k = 0; request_.shard == 0 && k < frontier_.nodesPerLevel.size(); ++k) {
      outcome_.nodesPerLevel[k] += frontier_.nodesPerLevel[k];
      report_.steps += frontier_.nodesPerLevel[k];
    }
    outcome_.nodes =
        std::accumulate(outcome_.nodesPerLevel.begin(), outcome_.nodesPerLevel.end(), std::uint64_t{0});
    outcome_.fingerprint = {words.at(fingerprintWord(d)) - rejected_.fingerprint.sum,
                            words.at(fingerprintWord(d) + 1) ^ rejected_.fingerprint.exclusiveOr};
    VectorMaker maker(search_.basis);
    for (const auto& best : consumer.best().best()) outcome_.solutions.push_back(solutionFor(maker, best));
    if (!outcome_.solutions.empty())
      outcome_.shortestSquaredNorm = outcome_.solutions.front().squaredNorm;
    else if (outcome_.count != 0 && !embedding.given())
      outcome_.shortestSquaredNorm = std::to_string(std::llround(valueOf(words.at(minimumWord(d)))));
    if (request_.solutions == 0) outcome_.solutions.clear();
    if (!request_.theta) return;
    if (!request_.minimumSquaredNorm.given() && !embedding.given()) outcome_.thetaSeries.emplace_back("0", 1);
    for (const auto& [norm, found] : consumer.norms().sorted())
      outcome_.thetaSeries.emplace_back(embedding.given() ? embedding.distance(norm) : norm.str(),
                                        embedding.given() ? found : 2 * found);
  }

  /// R^2 of the lattice itself, rounded.
  [[nodiscard]] double squaredReach() const {
    if (search_.askedRadius.given()) return search_.askedRadius.rounded();
    const std::string& text = search_.nearestPlaneDistance;
    const std::size_t slash = text.find('/');
    const double numerator = Integer(text.substr(0, slash)).convert_to<double>();
    return slash == std::string::npos ? numerator
                                      : numerator / Integer(text.substr(slash + 1)).convert_to<double>();
  }

  /// Last, and as a whole: what is there is complete and was checked.
  void writeOutput(const SolutionConsumer& consumer) {
    if (request_.outputPath.empty()) return;
    if (!file_) {
      file_.emplace(request_.outputPath, search_.basis.columns, elementBytes_);
      writeBest(search_.basis, consumer.best(), *file_);
    }
    outcome_.outputPath = request_.outputPath;
    outcome_.outputRows = file_->rows();
    outcome_.outputBytes = file_->publish();
  }

  Request request_;
  PreparedSearch search_;
  std::vector<PreparedSearch> past_;        ///< balls that the checkpoint is past
  std::atomic<bool> collecting_{false};     ///< what the search of the moment finds; for other threads
  std::optional<AutomaticChoice> asked_{};  ///< the driver of the GPUs, before the search
  Frontier frontier_;                       ///< with shards
  unsigned elementBytes_ = 8;
  std::unique_ptr<Problem> problem_;
  std::atomic<std::uint64_t> taken_{0};  ///< solutions among the results, where these are collected
  std::optional<VectorFile> file_;
  Rejected rejected_;                           ///< of all searches
  const SolutionConsumer* consumer_ = nullptr;  ///< of the search of the moment
  std::optional<ShrinkingEstimate> estimate_;   ///< likewise
  Outcome outcome_;
};

Enumeration::Enumeration(Request request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}
Enumeration::Enumeration(Request request, EngineOptions options, PreparedSearch search)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options), &search)) {}
Outcome Enumeration::outcome() { return static_cast<Impl&>(life()).outcome(); }

}  // namespace slicepool::lattice
