// Enumeration: from a request to its outcome. Explores (explorer.hpp), saves at the ends of stages, answers,
// writes files. Called by the command line and library users.
#include "slicepool/semigroup/enumeration.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/automatic_choice.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/checkpoint_interval.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/semigroup/explorer.hpp"
#include "runtime/semigroup/files.hpp"
#include "runtime/semigroup/graph_answers.hpp"
#include "runtime/semigroup/request_check.hpp"
#include "runtime/semigroup/stage_saver.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

ExplorerOptions explorerOptions(const Request& request, const EngineOptions& options) {
  ExplorerOptions result;
  result.algorithm = request.algorithm;
  result.base = request.base;
  result.fixedBase = request.fixedBase;
  result.check = request.check;
  result.maxElements = request.maxElements;
  result.limitStage = request.maxStage.has_value();
  result.maxStage = request.maxStage.value_or(0);
  result.hashBits = request.hashBits;
  result.smallStage = request.smallStage;
  result.memoryLimit = options.memoryLimit;
  result.mode = options.mode;
  result.device = options.device;
  result.emulator = options.emulator;
  return result;
}

}  // namespace

class Enumeration::Impl final : public RunLife {
 public:
  Impl(Request request, EngineOptions options)
      : RunLife(std::move(options)),
        request_(std::move(request)),
        generators_(checkedGenerators()),
        identity_(canonicalText(request_, generators_)),
        run_(options_),
        explorer_(makeExplorer(generators_, explorerOptions(request_, options_), run_)),
        saver_(identity_, options_.threads),
        pace_(Seconds(options_.checkpointInterval).count()) {
    refuseRanks("a semigroup", "another workload: each round needs all elements of the rounds before it");
    explorer_->onStage(request_.onStage);
    run_.onStepLimit([this] { timeIsOver(); });
  }

  void run() override {
    clearCancel();
    runUntil(Clock::time_point::max());
  }
  void runFor(std::chrono::nanoseconds duration) {
    clearCancel();
    runUntil(Clock::now() + duration);
  }

  void cancel() noexcept override { run_.cancel(); }
  void timeIsOver() noexcept {
    timeIsOver_ = true;
    // One stage at least, or, where there is none left, the rest.
    if (!mustAdvance_) run_.cancel();
  }
  [[nodiscard]] bool stepping() const noexcept override { return started_ && !run_.replaying(); }
  [[nodiscard]] Progress progress() const override { return run_.progress(); }
  [[nodiscard]] Outcome outcome() const {
    requireRun();
    return outcome_;
  }

  [[nodiscard]] const Graph& graph() const { return explorer_->graph(); }
  [[nodiscard]] const Graph& wholeGraph() const { return explorer_->wholeGraph(); }
  /// The same, with an element: looked up before anything is copied, and again, since a device that fails may
  /// leave less than there was.
  [[nodiscard]] const Graph& graphWith(Element x) const {
    requireElement(x, graph().size());
    const Graph& whole = wholeGraph();
    requireElement(x, whole.size());
    return whole;
  }
  [[nodiscard]] const Generators& generators() const { return generators_; }
  [[nodiscard]] std::optional<Element> find(const Transformation& images) const {
    if (images.size() != generators_.points ||
        std::any_of(images.begin(), images.end(), [&](Image image) { return image >= generators_.points; }))
      return std::nullopt;
    const Element x = explorer_->find(images);
    return x == kNoElement ? std::nullopt : std::optional(x);
  }

 private:
  void readCheckpoint(const std::string& path) override {
    const auto saved = saver_.read(path);
    explorer_->load(saved);
    run_.addBefore(saved->last.seconds, saved->last.steps);
    run_.expectReplay();
    mustAdvance_ = true;
  }

  void clearCancel() noexcept {
    if (!started_ || finished_) return;
    timeIsOver_ = false;
    run_.resume();
  }

  void runUntil(Clock::time_point deadline) {
    started_ = true;
    if (finished_) return;
    guard_.retake();
    const ReleaseAtEnd release(guard_);
    const struct SaverAtEnd {
      Impl& impl;
      ~SaverAtEnd() { impl.dropSaver(); }
    } saver{*this};
    clock().enter(slicepool::Phase::search);
    auto saved = Clock::now();
    const auto saveDue = [&] {
      return !options_.checkpointPath.empty() && Clock::now() - saved >= Seconds(pace_.interval()) &&
             !saver_.busy();
    };
    for (;;) {
      end_ = explore([&] {
        mustAdvance_ = false;
        return timeIsOver_ || Clock::now() >= deadline || saveDue();
      });
      if (end_ != ExplorationEnd::paused || timeIsOver_ || Clock::now() >= deadline) break;
      saveBeside();
      saved = Clock::now();
    }
    clock().enter(slicepool::Phase::merging);
    conclude();
    clock().stop();
  }

  /// Of a request that is right and whose files are ours from now on.
  Generators checkedGenerators() {
    Generators generators = checkRequest(request_, options_);
    const auto text = [](const std::string& path) {
      return path.ends_with(".npy") ? OutputNeed::file : OutputNeed::text;
    };
    guard_.claim({{"output.elements", request_.elementsPath, OutputNeed::file},
                  {"output.words", request_.wordsPath, OutputNeed::text},
                  {"output.right_cayley_graph", request_.rightGraphPath, text(request_.rightGraphPath)},
                  {"output.left_cayley_graph", request_.leftGraphPath, text(request_.leftGraphPath)},
                  {"output.rules", request_.rulesPath, OutputNeed::text},
                  {"checkpoint", options_.checkpointPath, OutputNeed::checkpoint}},
                 {{"generators", request_.generatorsPath}});
    startDevices();
    limitMemory();
    return generators;
  }

  /// Mode gpu waits for the driver; in hybrid and auto it starts when the exploration is seen to be long, see
  /// LateDevice.
  void startDevices() {
    if (options_.mode == Mode::automatic && !gpusAreLikely()) {
      options_.mode = Mode::cpu;
      choice_ = withoutGpus();
    }
    if (options_.mode == Mode::gpu) awaitDevices();
    if (options_.mode == Mode::hybrid) expectDevices();
  }

  /// What was found before memory ran out is saved as well.
  ExplorationEnd explore(const std::function<bool()>& pause) {
    try {
      return explorer_->explore(pause);
    } catch (const LimitError&) {
      if (stepping()) {
        try {
          save();
        } catch (const Error&) {  // the first one says more
        }
      }
      throw;
    }
  }

  void conclude() {
    const bool explored = end_ == ExplorationEnd::complete || end_ == ExplorationEnd::limited;
    if (!explored) save();  // before anything that takes time
    try {
      describe();
      if (explored) {
        finished_ = true;
        answer();
        writeFiles();
      }
    } catch (const ExplorationStopped&) {
      end_ = ExplorationEnd::cancelled;
      finished_ = false;
      describe();  // what the host has
    } catch (...) {
      finished_ = false;
      throw;
    }
    if (explored && (!finished_ || end_ == ExplorationEnd::limited)) save();
    if (finished_) run_.resume();  // a stop that came too late is none of what is asked later
    if (finished_ && end_ == ExplorationEnd::complete) {
      dropSaver();
      dropCheckpoints();
    } else {
      outcome_.checkpointPath = options_.checkpointPath;
    }
    outcome_.run = run_.report();
    if (choice_) outcome_.run.automatic = choice_;
    for (const auto& warning : guard_.warnings()) outcome_.run.warnings.push_back(warning);
    outcome_.run.complete = finished_;
    outcome_.run.checkpoints = checkpoints_;
    outcome_.run.checkpointBytes = saver_.bytes();
    outcome_.run.checkpointStallSeconds = stallSeconds_;
    outcome_.run.checkpointWriteSeconds = saver_.writtenInAll().count();
  }

  /// What is known of an unfinished run as well.
  void describe() {
    outcome_ = {};
    outcome_.rules =
        explorer_->countRules(options_.threads);  // first: a device that fails takes elements with it
    outcome_.points = generators_.points;
    outcome_.generators = graph().generators;
    outcome_.size = graph().size();
    outcome_.complete = end_ == ExplorationEnd::complete;
    outcome_.limited = end_ == ExplorationEnd::limited;
    const auto& stages = graph().stages;
    for (std::size_t k = 0; k + 1 < stages.size(); ++k)
      if (stages[k + 1] > stages[k]) outcome_.stages.push_back(stages[k + 1] - stages[k]);
    outcome_.base = explorer_->base();
    if (outcome_.base.size() == generators_.points) outcome_.base.clear();
    outcome_.restarts = explorer_->restarts();
  }

  void answer() {
    if (request_.idempotents) {
      const PhaseScope searching(&clock(), slicepool::Phase::search);
      outcome_.idempotents = explorer_->countIdempotents();
      if (run_.cancelled()) {
        outcome_.idempotents.reset();
        finished_ = false;
      }
    }
    for (const auto& phase : explorer_->phaseTimes())
      outcome_.phaseSeconds.emplace_back(phase.name, phase.seconds);
    if (request_.contains) outcome_.containedAs = find(*request_.contains);
    if (request_.wordOf) outcome_.wordOfNumber = find(*request_.wordOf);
    if (request_.wordOfNumber) {
      if (*request_.wordOfNumber >= graph().size()) {
        throw ConfigError("word_of", std::to_string(*request_.wordOfNumber),
                          fmt::format("a number from 0 to {}", graph().size() - 1));
      }
      outcome_.wordOfNumber = request_.wordOfNumber;
    }
    if (outcome_.wordOfNumber)
      outcome_.word = wordOf(wholeGraph(), static_cast<Element>(*outcome_.wordOfNumber));
  }

  void writeFiles() {
    if (!finished_) return;
    const PhaseScope writing(&clock(), slicepool::Phase::writing);
    const auto add = [&](const char* what, const std::string& path, auto&& write) {
      if (!path.empty()) outcome_.files.push_back({what, path, write(path)});
    };
    const bool wanted = !request_.elementsPath.empty() || !request_.wordsPath.empty() ||
                        !request_.rightGraphPath.empty() || !request_.leftGraphPath.empty() ||
                        !request_.rulesPath.empty();
    const Graph& g = wanted ? wholeGraph() : graph();
    add(
        "elements", request_.elementsPath, [&](auto& path) { return writeElements(path, g, generators_); });
    add(
        "words", request_.wordsPath, [&](auto& path) { return writeWords(path, g); });
    add(
        "right Cayley graph", request_.rightGraphPath,
        [&](auto& path) { return writeGraph(path, g, false); });
    add(
        "left Cayley graph", request_.leftGraphPath, [&](auto& path) { return writeGraph(path, g, true); });
    add("rules", request_.rulesPath, [&](auto& path) { return writeRules(path, g); });
  }

  /// New stages to the checkpoint, by a thread.
  void saveBeside() {
    const double writing = saver_.written().count();  // of the one before
    const auto begin = Clock::now();
    (void)intervalSaves_.attempt([this] { startSaving(); },
                                 [this](const std::string& warning) { run_.warn(warning); });
    const double stall = Seconds(Clock::now() - begin).count();
    stallSeconds_ += stall;
    const std::string lengthened = pace_.learn({stall, writing});
    if (!lengthened.empty()) run_.warn(lengthened);
  }

  void startSaving() {
    StageMark mark;
    mark.seconds = run_.seconds();
    mark.steps = run_.steps();
    saver_.save(options_.checkpointPath, *explorer_, mark);
    ++checkpoints_;
  }

  /// Everything, until it is on the disk.
  void save() {
    if (options_.checkpointPath.empty()) return;
    const PhaseScope writing(&clock(), slicepool::Phase::writing);
    dropSaver();  // what failed on the way is written once more
    startSaving();
    try {
      saver_.wait();
    } catch (const CheckpointError&) {  // the file has been removed or replaced: a new one, with all stages
      startSaving();
      saver_.wait();
    }
  }

  /// Until nothing is being written, whether that failed or not.
  void dropSaver() {
    try {
      saver_.wait();
    } catch (const Error&) {}
  }

  Request request_;
  Generators generators_;
  std::string identity_;
  StagedRun run_;
  std::unique_ptr<Explorer> explorer_;
  StageSaver saver_;
  CheckpointPace pace_;
  std::uint64_t checkpoints_ = 0;
  double stallSeconds_ = 0;
  IntervalSaves intervalSaves_;
  ExplorationEnd end_ = ExplorationEnd::paused;
  Outcome outcome_;
  std::atomic<bool> timeIsOver_{false};
  std::atomic<bool> mustAdvance_{false};  ///< resumed, and no new stage has been finished
};

Enumeration::Enumeration(Request request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}
Enumeration::Impl& Enumeration::impl() const { return static_cast<Impl&>(life()); }

void Enumeration::runFor(std::chrono::nanoseconds duration) { impl().runFor(duration); }
void Enumeration::timeIsOver() noexcept { impl().timeIsOver(); }
Outcome Enumeration::outcome() const { return impl().outcome(); }

std::uint64_t Enumeration::size() const { return impl().graph().size(); }
std::uint32_t Enumeration::points() const { return impl().generators().points; }
std::uint32_t Enumeration::generatorCount() const { return impl().graph().generators; }

Word Enumeration::word(Element x) const { return wordOf(impl().graphWith(x), x); }

Transformation Enumeration::element(Element x) const {
  const Graph& graph = impl().graphWith(x);
  Transformation images(points());
  writeImages(graph, impl().generators(), x, std::uint64_t{x} + 1, images.data());
  return images;
}

std::optional<Element> Enumeration::find(const Transformation& images) const { return impl().find(images); }

Element Enumeration::right(Element x, std::uint32_t g) const {
  requireEdge(impl().graph(), x, g, impl().graph().complete);
  const Graph& graph = impl().wholeGraph();
  requireEdge(graph, x, g, graph.complete);
  return graph.rightOf(x, g);
}

Element Enumeration::left(Element x, std::uint32_t g) const {
  requireEdge(impl().graph(), x, g, impl().graph().leftComplete);
  const Graph& graph = impl().wholeGraph();
  requireEdge(graph, x, g, graph.leftComplete);
  return graph.leftOf(x, g);
}

std::vector<Rule> Enumeration::rules() const { return rulesInWords(impl().wholeGraph()); }

std::uint64_t Enumeration::rightRows() const { return impl().wholeGraph().complete; }

std::span<const Element> Enumeration::leftGraph() const {
  const Graph& graph = impl().wholeGraph();
  return {graph.left.data(), std::size_t{graph.leftComplete} * graph.generators};
}

void Enumeration::copyRightGraph(Element* numbers) const {
  const Graph& graph = impl().wholeGraph();
  const std::size_t entries = std::size_t{graph.complete} * graph.generators;
  // Not elementOf itself: it is always inlined, which no pointer to it can be.
  std::transform(graph.right.data(), graph.right.data() + entries, numbers,
                 [](std::uint32_t entry) { return elementOf(entry); });
}

void Enumeration::copyElements(std::uint64_t begin, std::uint64_t end, Image* images) const {
  const Graph& graph = impl().wholeGraph();
  if (begin > end || end > graph.size())
    throw std::out_of_range(fmt::format("elements {} to {} of {}", begin, end, graph.size()));
  writeImages(graph, impl().generators(), begin, end, images);
}

std::vector<Element> Enumeration::idempotents() const {
  return idempotentsOf(impl().wholeGraph(), impl().generators());
}

}  // namespace slicepool::semigroup
