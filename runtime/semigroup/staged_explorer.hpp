// The explorer of `fingerprint` and `froidure-pin`: a stage is a few rounds of slices over index ranges
// (slicepool/semigroup/steps/exploration.hpp) with barriers between them; this is the host's side of it,
// which makes room, scans, and decides what comes next. Instantiated for each kind of key in
// staged_explorer_*.cpp.
//
// A device of its own (stage_device.hpp) takes large stages over and keeps them; the host then has what it
// had when they moved (`home_`), and fetches the rest when it is asked.
//
// Rounds of stage k, whose elements are T_k:
//   [measure T_k]                    how many products there will be, where the table might be too small
//   expand T_k  +  left T_(k-1)      independent of each other
//   count T_k   +  check T_(k-2)     the check needs no barrier of its own
//   number T_k                       after a prefix sum over the blocks
//   derive T_k
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/semigroup/base_growth.hpp"
#include "runtime/semigroup/explorer.hpp"
#include "runtime/semigroup/key_store.hpp"
#include "runtime/semigroup/sources.hpp"
#include "runtime/semigroup/stage_devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/semigroup/steps/exploration.hpp"

namespace slicepool::semigroup {

template <class Store>
class StagedExplorer final : public Explorer {
 public:
  using Keys = typename Store::Keys;
  using Workload = Exploration<Keys>;

  StagedExplorer(const Generators& generators, const ExplorerOptions& options, StagedRun& run,
                 std::vector<Image> base, std::uint32_t sources)
      : generators_(generators), options_(options), run_(run), store_(generators, options.hashBits) {
    base_ = std::move(base);
    sources_ = sources;
    graph_.generators = static_cast<std::uint32_t>(generators.images.size());
    restart();
    device_ = makeStageDevice<Keys>(store_.keys(), options_);
  }

  ExplorationEnd explore(const std::function<bool()>& pause) override;
  [[nodiscard]] Element find(std::span<const Image> images) override;
  [[nodiscard]] std::uint64_t countIdempotents() override;
  [[nodiscard]] std::uint64_t countRules(int threads) override;
  [[nodiscard]] const Graph& wholeGraph() override;
  [[nodiscard]] std::optional<TreeBits> treeBits(Element begin, Element end, int threads) override;
  void load(std::shared_ptr<const SavedStages> saved) override;

 private:
  enum class StageEnd : std::uint8_t { complete, cancelled, failed };
  struct Range {
    Phase phase;
    std::uint64_t begin;
    std::uint64_t end;
  };

  [[nodiscard]] Element stageBegin() const { return graph_.stages[graph_.stages.size() - 2]; }
  [[nodiscard]] Element stageEnd() const { return graph_.stages.back(); }
  /// Elements that the check may look at: their neighbours' rows are complete.
  [[nodiscard]] Element checkable() const {
    const auto& stages = graph_.stages;
    return stages.size() < 4 ? 0 : stages[stages.size() - 3];
  }
  [[nodiscard]] bool limited() const { return options_.reached(graph_); }
  [[nodiscard]] bool checks() const { return sources_ != 0; }

  void restart();
  StageEnd stage();
  StageEnd stageSomewhere();
  RoundEnd replay();
  StageEnd replayStage();
  Element numberSaved(std::uint32_t blocks);
  RoundEnd roomForSaved(Element next);
  StageEnd finish();
  StageEnd checkRules();
  StageEnd failed(Phase phase, std::uint64_t begin, std::uint64_t end);
  void growBase(Phase phase, std::uint64_t begin, std::uint64_t end);
  [[nodiscard]] std::vector<FalseRule> falseRules(Phase phase, std::uint64_t begin, std::uint64_t end);

  RoundEnd round(const char* name, std::initializer_list<Range> ranges);
  RoundEnd roundOnDevice(const std::vector<Slice>& slices);
  template <class Ask>
  decltype(auto) orOnHost(const Ask& ask);
  const Graph& fetch();
  void loseDevice(const char* why);
  void moveToDevice();
  void leaveDevice();
  [[nodiscard]] bool mayLeave() const;
  [[nodiscard]] std::size_t stageOf(Element x) const {
    return static_cast<std::size_t>(std::upper_bound(graph_.stages.begin(), graph_.stages.end(), x) -
                                    graph_.stages.begin()) -
           1;
  }
  [[nodiscard]] Element findHere(std::span<const Image> images) {
    const Table table{slots_.data(), slotCount_ - 1};
    return findSettled(table, store_.hashOf(images), [&](Element y) { return store_.matches(y, images); });
  }
  RoundEnd makeRoom();
  RoundEnd completeLeft();
  RoundEnd rebuildTable(std::uint64_t slots);
  std::uint32_t scanBlocks(std::uint32_t blocks);
  void requireMemory(std::uint64_t elements, std::uint64_t slots) const;
  [[nodiscard]] View<Keys> view();

  const Generators& generators_;
  ExplorerOptions options_;
  StagedRun& run_;
  Store store_;
  GrowArray<std::uint64_t> slots_;
  std::uint64_t slotCount_ = 0;
  bool tableValid_ = false;
  std::vector<std::uint32_t> blockWinners_;
  TreeBits treeBits_;          ///< of the saved stage in work; empty: none is
  bool rulesChecked_ = false;  ///< everything found so far is exact by its rules
  std::vector<std::uint64_t> words_;
  std::unique_ptr<StageDevice<Keys>> device_;  ///< null: none, or none any more
  bool onDevice_ = false;
  bool answering_ = false;   ///< a round on the device that a cancel does not end
  Element numbered_ = 0;     ///< elements with words, those that the stage in work has found included
  Extent home_;              ///< what the host has while the device works
  Element homeChecked_ = 0;  ///< `checked_` when it moved
};

// ------------------------------------------------------------------------------------------ rounds

template <class Store>
View<typename Store::Keys> StagedExplorer<Store>::view() {
  Keys keys = store_.keys();
  if (!treeBits_.empty()) keys.sources = 0;  // they agreed when the stage was made first
  return {keys,
          {slots_.data(), slotCount_ - 1},
          graph_.right.data(),
          graph_.left.data(),
          graph_.parent.data(),
          graph_.suffix.data(),
          graph_.first.data(),
          graph_.last.data(),
          blockWinners_.data(),
          graph_.generators,
          graph_.stages.size() < 2 ? 0 : stageBegin(),
          stageEnd(),
          treeBits_.data()};
}

/// One round; its words are in words_ afterwards.
template <class Store>
RoundEnd StagedExplorer<Store>::round(const char* name, std::initializer_list<Range> ranges) {
  std::vector<Slice> slices;
  std::uint64_t work = 0;
  for (const auto& range : ranges) {
    if (range.begin >= range.end) continue;
    slices.push_back({static_cast<std::uint32_t>(range.phase), 0, range.begin, range.end});
    const bool blocks =
        range.phase == Phase::count || range.phase == Phase::number || range.phase == Phase::adopt;
    work += (range.end - range.begin) * (blocks ? kBlock : 1);
  }
  words_ = Tally::layout().fresh();
  if (slices.empty()) return run_.cancelled() ? RoundEnd::cancelled : RoundEnd::complete;
  const double before = run_.seconds();
  if (onDevice_) {
    const RoundEnd end = roundOnDevice(slices);
    addTime(name, run_.seconds() - before);
    return end;
  }
  ProblemTraits traits;
  traits.workload = "semigroup";
  const TypedProblem<Workload, Tally> problem(view(), std::move(slices), std::move(traits));
  const RoundEnd end = run_.round(problem, work * graph_.generators <= options_.smallStage, words_);
  addTime(name, run_.seconds() - before);
  return end;
}

// ------------------------------------------------------------------------------------------ the device

template <class Store>
RoundEnd StagedExplorer<Store>::roundOnDevice(const std::vector<Slice>& slices) {
  constexpr std::uint64_t kPiece = 1U << 22;  // indices between looks at a cancel
  const auto start = std::chrono::steady_clock::now();
  WorkerReport worker;
  worker.name = device_->name();
  worker.kind = device_->kind();
  for (const auto& slice : slices) {
    for (Slice piece = slice; piece.begin < slice.end; piece.begin = piece.end) {
      if (!answering_ && run_.cancelled()) break;
      piece.end = std::min(slice.end, piece.begin + kPiece);
      device_->run(piece, stageBegin(), stageEnd(), words_.data());
      worker.steps += piece.end - piece.begin;
      ++worker.turns;
    }
  }
  worker.busySeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run_.addRound(worker, worker.busySeconds, device_->bytes());
  return !answering_ && run_.cancelled() ? RoundEnd::cancelled : RoundEnd::complete;
}

/// Whether the host goes on when the device is too small.
template <class Store>
bool StagedExplorer<Store>::mayLeave() const {
  return options_.mode == Mode::hybrid ||
         (options_.mode == Mode::emulated && options_.emulator.withCpuWorkers);
}

template <class Store>
void StagedExplorer<Store>::moveToDevice() {
  const auto start = std::chrono::steady_clock::now();
  home_ = {graph_.size(), graph_.complete, graph_.leftComplete};
  homeChecked_ = checked_;
  device_->upload(view(), home_);
  onDevice_ = true;
  tableValid_ = false;
  slotCount_ = 0;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run_.addSeconds(seconds);
  addTime("to the device", seconds);
}

/// Back to where the host's columns end, at the beginning of a stage.
template <class Store>
void StagedExplorer<Store>::leaveDevice() {
  onDevice_ = false;
  device_.reset();
  numbered_ = 0;
  while (graph_.size() > home_.elements) graph_.stages.pop_back();
  graph_.complete = home_.rows;
  graph_.leftComplete = home_.leftRows;
  checked_ = std::min(checked_, homeChecked_);
  rulesChecked_ = false;
  tableValid_ = false;
  slotCount_ = 0;
}

template <class Store>
const Graph& StagedExplorer<Store>::wholeGraph() {
  return orOnHost([&]() -> const Graph& { return fetch(); });
}

/// `ask()` about what was found; if the device fails, the host finds it again and is asked.
template <class Store>
template <class Ask>
decltype(auto) StagedExplorer<Store>::orOnHost(const Ask& ask) {
  try {
    return ask();
  } catch (const DeviceError& error) {
    loseDevice(error.what());
  }
  (void)explore({});
  return ask();
}

template <class Store>
void StagedExplorer<Store>::loseDevice(const char* why) {
  run_.warn(fmt::format("{} failed ({}); the CPU goes on from stage {}", device_->name(), why,
                        home_.elements == 0 ? 0 : stageOf(home_.elements - 1)));
  leaveDevice();
}

/// Copies what the host does not have.
template <class Store>
const Graph& StagedExplorer<Store>::fetch() {
  if (!onDevice_) return graph_;
  const Extent here{std::max(graph_.size(), numbered_), graph_.complete, graph_.leftComplete};
  const std::uint64_t bytes = here.elements * (graph_.bytesPerElement() + store_.keyBytes());
  if (options_.memoryLimit != 0 && bytes > options_.memoryLimit) {
    throw LimitError(fmt::format(
        "memory: {} elements of {} bytes each for the host need {} bytes, the limit is {}; "
        "raise --memory-limit",
        here.elements, graph_.bytesPerElement() + store_.keyBytes(), bytes, options_.memoryLimit));
  }
  graph_.resizeColumns(here.elements);
  graph_.resizeRows(here.rows);
  store_.resize(here.elements);
  if (here.elements != home_.elements || here.rows != home_.rows || here.leftRows != home_.leftRows)
    device_->download(view(), home_, here);
  home_ = here;
  homeChecked_ = checked_;
  return graph_;
}

// ------------------------------------------------------------------------------------------ the table

template <class Store>
void StagedExplorer<Store>::requireMemory(std::uint64_t elements, std::uint64_t slots) const {
  const std::uint64_t bytes =
      elements * (graph_.bytesPerElement() + store_.keyBytes()) + slots * sizeof(std::uint64_t);
  const std::uint64_t limit = onDevice_ ? device_->memoryLimit() : options_.memoryLimit;
  if (limit == 0 || bytes <= limit) return;
  throw LimitError(fmt::format(
      "memory{}: {} elements of {} bytes each and a table need {} bytes, the limit is {}; raise "
      "{}, or stop earlier with --max-elements or --max-stage",
      onDevice_ ? " of " + device_->name() : "", elements, graph_.bytesPerElement() + store_.keyBytes(),
      bytes, limit, onDevice_ ? "--device-memory-limit" : "--memory-limit"));
}

/// An empty table of `slots` slots with all elements.
template <class Store>
RoundEnd StagedExplorer<Store>::rebuildTable(std::uint64_t slots) {
  tableValid_ = false;
  if (onDevice_) {
    device_->newTable(slots);
  } else if (slots > slots_.size()) {
    slots_.clear();  // what follows is zero already
    slots_.resize(slots);
  } else {
    std::fill_n(slots_.data(), slots, kEmptySlot);
  }
  slotCount_ = slots;
  const RoundEnd end = round("table", {{Phase::rehash, 0, stageEnd()}});
  tableValid_ = end == RoundEnd::complete;
  return end;
}

/// Rows for the stage, and a table that holds all its products at a load of three quarters at most.
template <class Store>
RoundEnd StagedExplorer<Store>::makeRoom() {
  const std::uint64_t width = stageEnd() - stageBegin();
  std::uint64_t products = width * graph_.generators;
  if (products > 0xffffffffULL) {
    throw LimitError(fmt::format("stage {}: {} elements with {} generators are more than 2^32 products",
                                 graph_.stages.size() - 2, width, graph_.generators));
  }
  requireMemory(stageEnd(), slotCount_);
  if (onDevice_)
    device_->resizeRows(stageEnd());
  else
    graph_.resizeRows(stageEnd());
  const auto fits = [&] { return (stageEnd() + products) * 4 <= slotCount_ * 3; };
  if (tableValid_ && !fits()) {
    if (round("measure", {{Phase::measure, stageBegin(), stageEnd()}}) == RoundEnd::cancelled)
      return RoundEnd::cancelled;
    products = words_[kFoundWord];
  }
  if (tableValid_ && fits()) return RoundEnd::complete;
  std::uint64_t slots = std::max<std::uint64_t>(slotCount_, 1024);
  while ((stageEnd() + products) * 4 > slots * 3) slots *= 2;
  if (slots > kMostSlots) {
    throw LimitError(fmt::format("{} elements and {} products are more than a table of {} slots takes",
                                 stageEnd(), products, kMostSlots));
  }
  requireMemory(stageEnd(), slots);
  return rebuildTable(slots);
}

/// Numbers of winners to numbers of first elements; returns the number of elements after the stage.
template <class Store>
std::uint32_t StagedExplorer<Store>::scanBlocks(std::uint32_t blocks) {
  std::uint64_t next = stageEnd();
  if (onDevice_) next = device_->numberBlocks(blocks, stageEnd());
  for (std::uint32_t block = 0; !onDevice_ && block < blocks; ++block)
    next += std::exchange(blockWinners_[block], static_cast<std::uint32_t>(next));
  if (next > kMostElements)
    throw LimitError(fmt::format("more than {} elements: use --max-elements or --max-stage", kMostElements));
  return static_cast<std::uint32_t>(next);
}

// ------------------------------------------------------------------------------------------ stages

template <class Store>
void StagedExplorer<Store>::restart() {
  store_.reset(base_, sources_);
  graph_.resizeColumns(1);
  graph_.parent[0] = graph_.suffix[0] = 0;
  graph_.first[0] = graph_.last[0] = 0;
  graph_.stages = {0, 1};
  graph_.complete = graph_.leftComplete = 0;
  checked_ = 0;
  numbered_ = 0;
  rulesChecked_ = false;
  tableValid_ = false;
  if (onDevice_) slotCount_ = 0;
  onDevice_ = false;
}

template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::stage() {
  const Element begin = stageBegin();
  const Element end = stageEnd();
  if (graph_.stages.size() > 3 && graph_.leftComplete < graph_.stages[graph_.stages.size() - 3]) {
    if (completeLeft() == RoundEnd::cancelled) return StageEnd::cancelled;
  }
  if (makeRoom() == RoundEnd::cancelled) return StageEnd::cancelled;
  tableValid_ = false;  // candidates of a stage that is not finished would stay
  if (round("expand", {{Phase::expand, begin, end}, {Phase::left, graph_.leftComplete, begin}}) ==
      RoundEnd::cancelled)
    return StageEnd::cancelled;
  graph_.leftComplete = begin;

  const std::uint32_t blocks = (end - begin + kBlock - 1) / kBlock;
  if (!onDevice_) blockWinners_.assign(blocks, 0);
  const Element from = checked_;
  const Element to = checks() && options_.check == Check::certificate ? checkable() : 0;
  if (round("count", {{Phase::count, 0, blocks}, {Phase::check, from, to}}) == RoundEnd::cancelled)
    return StageEnd::cancelled;
  if (words_[kFailuresWord] != 0) return failed(Phase::check, from, to);
  checked_ = std::max(checked_, to);

  const std::uint32_t next = scanBlocks(blocks);
  requireMemory(next, slotCount_);
  if (onDevice_) {
    device_->resizeElements(next);
  } else {
    graph_.resizeColumns(next);
    store_.resize(next);
  }
  if (round("number", {{Phase::number, 0, blocks}}) == RoundEnd::cancelled) return StageEnd::cancelled;
  numbered_ = next;
  if (round("derive", {{Phase::derive, begin, end}}) == RoundEnd::cancelled) return StageEnd::cancelled;
  graph_.complete = end;
  tableValid_ = true;
  if (words_[kFailuresWord] != 0) return failed(Phase::derive, begin, end);
  graph_.stages.push_back(next);
  rulesChecked_ = false;
  return StageEnd::complete;
}

/// A stage on the device, if there is one and the stage is large; on the host if it fails and may.
template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::stageSomewhere() {
  constexpr std::uint64_t kSmallForDevice = 8192;  // five launches take as long as these on one core
  const std::uint64_t products = std::uint64_t{stageEnd() - stageBegin()} * graph_.generators;
  const bool small = products <= std::min(options_.smallStage, kSmallForDevice);
  if (device_ == nullptr || (!onDevice_ && small)) return replays(options_) ? replayStage() : stage();
  try {
    if (!onDevice_) moveToDevice();
    return stage();  // a saved one, too: a device explores it in less time than the host makes it again
  } catch (const LimitError& error) {
    if (!onDevice_ || !mayLeave()) throw;
    run_.warn(fmt::format("{}; the CPU goes on from stage {}", error.what(), graph_.stages.size() - 2));
    numbered_ = 0;
    (void)fetch();
    leaveDevice();
  } catch (const DeviceError& error) {
    loseDevice(error.what());
  }
  return StageEnd::complete;
}

/// What is left when no stage brings anything new.
template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::finish() {
  const Element size = graph_.size();
  if (completeLeft() == RoundEnd::cancelled) return StageEnd::cancelled;
  if (!tableValid_) {  // what was loaded; `find` needs it
    const std::uint64_t slots =
        std::max<std::uint64_t>({slotCount_, 1024, std::bit_ceil(std::uint64_t{size} * 2)});
    if (rebuildTable(slots) == RoundEnd::cancelled) return StageEnd::cancelled;
  }
  if (!checks()) return StageEnd::complete;
  if (graph_.complete < size || options_.check == Check::rules) return checkRules();
  const Element from = checked_;
  if (round("check", {{Phase::check, from, size}}) == RoundEnd::cancelled) return StageEnd::cancelled;
  if (words_[kFailuresWord] != 0) return failed(Phase::check, from, size);
  checked_ = size;
  return StageEnd::complete;
}

template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::checkRules() {
  if (rulesChecked_) return StageEnd::complete;
  if (round("check", {{Phase::checkRules, 0, graph_.complete}}) == RoundEnd::cancelled)
    return StageEnd::cancelled;
  if (words_[kFailuresWord] != 0) return failed(Phase::checkRules, 0, graph_.complete);
  rulesChecked_ = true;
  return StageEnd::complete;
}

template <class Store>
ExplorationEnd StagedExplorer<Store>::explore(const std::function<bool()>& pause) {
  if (saved_ != nullptr && replay() == RoundEnd::cancelled) return ExplorationEnd::cancelled;
  for (;;) {
    StageEnd end = StageEnd::complete;
    while (stageBegin() < stageEnd() && !limited() && end == StageEnd::complete) {
      const double before = run_.seconds();
      const std::size_t stages = graph_.stages.size();
      end = stageSomewhere();
      if (end != StageEnd::complete) break;
      run_.setResults(graph_.size());
      if (graph_.stages.size() <= stages) continue;  // the device has failed
      tellStage(run_.seconds() - before);
      if (pause && pause()) return ExplorationEnd::paused;
    }
    if (end == StageEnd::complete) {
      try {
        end = finish();
      } catch (const DeviceError& error) {
        loseDevice(error.what());
        continue;
      }
    }
    if (end == StageEnd::cancelled) return ExplorationEnd::cancelled;
    if (end == StageEnd::failed) continue;
    return graph_.complete < graph_.size() ? ExplorationEnd::limited : ExplorationEnd::complete;
  }
}

// ------------------------------------------------------------------------------------------ the base

/// A check has failed in [begin, end): the base does not separate the elements.
template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::failed(Phase phase, std::uint64_t begin,
                                                                       std::uint64_t end) {
  growBase(phase, begin, end);
  restart();
  ++restarts_;
  return StageEnd::failed;
}

/// Some of the false rules behind the failures in a range of elements, from the first failure on.
template <class Store>
std::vector<FalseRule> StagedExplorer<Store>::falseRules(Phase phase, std::uint64_t begin,
                                                         std::uint64_t end) {
  constexpr double kMostCost = 1U << 24;     // images that may be looked at
  constexpr Element kMostLooked = 1U << 13;  // elements from the first failure on
  const BaseGrowth growth(graph_, generators_);
  const auto most = static_cast<std::size_t>(std::clamp(kMostCost / growth.costOfRule(), 4.0, 1024.0));
  const View<Keys> v = view();
  std::vector<FalseRule> rules;
  std::size_t failures = 0;
  const auto add = [&](const FalseRule& rule) {
    if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
  };
  const auto first = static_cast<Element>(words_[kFirstFailureWord] >> 32);
  const Element from = std::max(first, static_cast<Element>(begin));
  for (Element x = from; x < end && x - from < kMostLooked && failures < most; ++x) {
    bool failedHere = false;
    if (phase == Phase::check) {
      checkElement(
          v, x,
          [&](Element, std::uint32_t g, std::uint32_t f) {
            if (!failedHere) add(growth.behindContradiction(x, g, f));
            failedHere = true;
          });
    } else {
      for (std::uint32_t g = 0; g < graph_.generators && !failedHere; ++g) {
        const bool holds =
            phase == Phase::derive
                ? isTree(graph_.rightRow(x)[g]) || v.keys.sourcesAgree(x, g, graph_.rightOf(x, g))
                : !graph_.isRule(x, g) || firstDifference(v, x, g, graph_.rightOf(x, g)) == v.keys.points;
        if (holds) continue;
        add(growth.behindEdge(x, g));
        failedHere = true;
      }
    }
    failures += failedHere ? 1 : 0;
  }
  return rules;
}

template <class Store>
void StagedExplorer<Store>::growBase(Phase phase, std::uint64_t begin, std::uint64_t end) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t failures = words_[kFailuresWord];
  (void)fetch();
  const BaseGrowth growth(graph_, generators_);
  const auto rules = falseRules(phase, begin, end);
  if (options_.fixedBase) {
    throw ConfigError("base", fmt::format("{}", fmt::join(base_, ",")),
                      fmt::format("points that separate the elements (of these {} checks failed by stage {}; "
                                  "false, for example: {}), or no fixed_base, so that points are added",
                                  failures, graph_.stages.size() - 2, growth.describe(rules.front())));
  }
  for (const Image point : growth.separatingPoints(rules)) base_.push_back(point);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run_.addSeconds(seconds);
  addTime("grow base", seconds);
}

// ------------------------------------------------------------------------------------------ answers

template <class Store>
Element StagedExplorer<Store>::find(std::span<const Image> images) {
  if (!tableValid_) return kNoElement;
  Element x = kNoElement;
  if (onDevice_) {
    std::vector<Image> ofBase;
    for (const Image point : base_) ofBase.push_back(images[point]);
    x = orOnHost([&] {
      if (!onDevice_) return findHere(images);
      (void)fetch();
      return device_->find(store_.hashOf(images), ofBase.data());
    });
  } else {
    x = findHere(images);
  }
  if (x == kNoElement) return kNoElement;
  // The key says which element it would be; all points say whether it is.
  for (Image point = 0; point < generators_.points; ++point) {
    Image image = point;
    for (Element y = x; y != 0; y = graph_.suffix[y]) image = generators_.images[graph_.first[y]][image];
    if (image != images[point]) return kNoElement;
  }
  return x;
}

template <class Store>
std::uint64_t StagedExplorer<Store>::countIdempotents() {
  // Base points distinguish the elements; x.x is one where the exploration is complete.
  const Phase phase = graph_.complete < graph_.size() ? Phase::idempotentsEverywhere : Phase::idempotents;
  const auto count = [&] { return round("idempotents", {{phase, 0, graph_.size()}}); };
  return orOnHost(count) == RoundEnd::cancelled ? 0 : words_[kFoundWord];
}

template <class Store>
std::uint64_t StagedExplorer<Store>::countRules(int threads) {
  if (onDevice_) {
    // Of a run that was stopped as well: copying both graphs to count them on the host takes far longer.
    const auto count = [&] {
      answering_ = true;
      const RoundEnd end = round("rules", {{Phase::rules, 0, graph_.complete}});
      answering_ = false;
      return end;
    };
    if (orOnHost(count) == RoundEnd::complete && onDevice_) return words_[kFoundWord];
  }
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t rules = Explorer::countRules(threads);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run_.addSeconds(seconds);
  addTime("rules", seconds);
  return rules;
}

// ------------------------------------------------------------------------------------------ checkpoints

template <class Store>
std::optional<TreeBits> StagedExplorer<Store>::treeBits(Element begin, Element end, int threads) {
  if (!onDevice_ || end <= home_.rows) return Explorer::treeBits(begin, end, threads);
  try {
    TreeBits bits((std::uint64_t{end - begin} * graph_.generators + 31) / 32);
    device_->treeBits(begin, end, bits.data());
    return bits;
  } catch (const DeviceError& error) {
    loseDevice(error.what());
    return {};
  }
}

template <class Store>
void StagedExplorer<Store>::load(std::shared_ptr<const SavedStages> saved) {
  const auto isPoint = [&](Image point) { return point < generators_.points; };
  if (saved->sources != sources_ || saved->base.size() < sources_ ||
      saved->base.size() > generators_.points ||
      !std::all_of(saved->base.begin(), saved->base.end(), isPoint))
    throw CheckpointError("checkpoint: its base does not belong to these generators");
  if (sources_ != 0) base_ = saved->base;
  restart();
  restarts_ = saved->restarts;
  run_.setResults(saved->stages.back());
  Explorer::load(std::move(saved));
}

/// Makes the saved stages again: from their bits on the host, and as the first time on a device.
template <class Store>
RoundEnd StagedExplorer<Store>::replay() {
  const StagedRun::Replaying replaying(run_);
  while (replays(options_)) {
    checked_ = static_cast<Element>(std::min<std::uint64_t>(saved_->last.checked, kMostElements));
    const std::size_t stages = graph_.stages.size();
    const std::uint32_t restarts = restarts_;
    const StageEnd end = stageSomewhere();
    if (end == StageEnd::cancelled) {
      checked_ = std::min(checked_, graph_.size());
      return RoundEnd::cancelled;
    }
    if (end == StageEnd::failed || restarts_ != restarts)
      throw CheckpointError("checkpoint: its base does not separate the elements of its stages");
    if (graph_.stages.size() > stages) requireSaved();  // otherwise the device has failed
  }
  checked_ = std::min(checked_, graph_.size());
  saved_.reset();
  return RoundEnd::complete;
}

/// Numbers of the first new element of each block, from the bits; returns the number after the last one.
template <class Store>
Element StagedExplorer<Store>::numberSaved(std::uint32_t blocks) {
  static_assert(kBlock == 32, "a block of rows has as many words of bits as there are generators");
  blockWinners_.resize(blocks);
  std::uint64_t next = stageEnd();
  std::size_t word = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    blockWinners_[block] = static_cast<std::uint32_t>(next);
    for (const std::size_t end = std::min(treeBits_.size(), word + graph_.generators); word < end; ++word)
      next += static_cast<std::uint64_t>(std::popcount(treeBits_[word]));
  }
  if (next > kMostElements || next != saved_->stages[graph_.stages.size()])
    throw CheckpointError("checkpoint: the bits of a stage are not as many as its elements");
  return static_cast<Element>(next);
}

/// Rows for the stage in work, elements before `next`, and a table for them: at once for all that was saved.
template <class Store>
RoundEnd StagedExplorer<Store>::roomForSaved(Element next) {
  const std::uint64_t elements = device_ != nullptr ? next : saved_->stages.back();
  std::uint64_t slots = std::max<std::uint64_t>(slotCount_, 1024);
  while (elements * 4 > slots * 3) slots *= 2;
  if (slots > kMostSlots)
    throw LimitError(
        fmt::format("{} elements are more than a table of {} slots takes", elements, kMostSlots));
  requireMemory(std::max<std::uint64_t>(elements, next), slots);
  graph_.resizeRows(stageEnd());
  if (!tableValid_ || slots > slotCount_) {
    if (rebuildTable(slots) == RoundEnd::cancelled) return RoundEnd::cancelled;
  }
  graph_.resizeColumns(next);
  store_.resize(next);
  return RoundEnd::complete;
}

template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::replayStage() {
  const Element begin = stageBegin();
  const Element end = stageEnd();
  const std::uint32_t blocks = (end - begin + kBlock - 1) / kBlock;
  treeBits_ = saved_->bits(graph_.stages.size() - 2, graph_.generators);
  const struct Forget {
    TreeBits& bits;
    ~Forget() { bits.clear(); }
  } forget{treeBits_};
  const Element next = numberSaved(blocks);
  const auto cancelled = [&](std::initializer_list<Range> ranges) {
    return round("replay", ranges) == RoundEnd::cancelled;
  };
  if (roomForSaved(next) == RoundEnd::cancelled) return StageEnd::cancelled;
  tableValid_ = false;
  if (cancelled({{Phase::adopt, 0, blocks}, {Phase::left, graph_.leftComplete, begin}}))
    return StageEnd::cancelled;
  graph_.leftComplete = begin;
  if (cancelled({{Phase::rehash, end, next}}) || cancelled({{Phase::resolve, begin, end}}))
    return StageEnd::cancelled;
  if (words_[kFailuresWord] != 0) throw CheckpointError("checkpoint: a rule of a stage leads to no element");
  if (cancelled({{Phase::derive, begin, end}})) return StageEnd::cancelled;
  graph_.complete = end;
  tableValid_ = true;
  graph_.stages.push_back(next);
  return StageEnd::complete;
}

/// The left graph of what was loaded, stage by stage.
template <class Store>
RoundEnd StagedExplorer<Store>::completeLeft() {
  for (std::size_t k = 0; k + 1 < graph_.stages.size(); ++k) {
    const Element from = std::max(graph_.leftComplete, graph_.stages[k]);
    const Element to = std::min(graph_.stages[k + 1], stageBegin());
    if (from >= to) continue;
    if (round("left", {{Phase::left, from, to}}) == RoundEnd::cancelled) return RoundEnd::cancelled;
    graph_.leftComplete = to;
  }
  return RoundEnd::complete;
}

}  // namespace slicepool::semigroup
