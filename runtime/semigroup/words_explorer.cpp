// The explorer of algorithm `words`: the published baseline (combinatorics using GPUs, part V, algorithm 1).
// All products of a stage with all generators are composed from their words, hashed, freed of duplicates
// within a batch, and inserted into a hash set of (hash, word) on the host, whose keys are compared by
// computing their words coefficient by coefficient. Made by makeExplorer.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <unordered_set>

#include <fmt/format.h>

#include "runtime/semigroup/emulated_words_device.hpp"
#include "runtime/semigroup/explorer_factory.hpp"
#include "runtime/semigroup/host_words_device.hpp"
#include "runtime/semigroup/key_store.hpp"
#include "runtime/semigroup/late_device.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/detail/words_device.hpp"
#include "slicepool/semigroup/steps/words.hpp"

namespace slicepool::semigroup {
namespace {

using Clock = std::chrono::steady_clock;

/// [generator][point]
std::vector<Image> flattened(const Generators& generators) {
  std::vector<Image> flat;
  for (const auto& images : generators.images) flat.insert(flat.end(), images.begin(), images.end());
  return flat;
}

class WordsExplorer final : public Explorer {
 public:
  WordsExplorer(const Generators& generators, const ExplorerOptions& options, StagedRun& run)
      : generators_(generators),
        options_(options),
        run_(run),
        flat_(flattened(generators)),
        problem_{flat_, generators.points, static_cast<std::uint32_t>(generators.images.size()),
                 hashMaskOf(options.hashBits)},
        host_(problem_, run, options.smallStage),
        other_(options_, run, [this] { return makeDevice(); }),
        known_(1024, HashOf{}, SameElement{this}) {
    graph_.generators = problem_.generatorCount;
    graph_.resizeColumns(1);
    graph_.stages = {0, 1};
    words_.resize(1);
    known_.insert({hashOfWord({}), 0});
  }

  ExplorationEnd explore(const std::function<bool()>& pause) override {
    if (saved_ != nullptr && !replay()) return ExplorationEnd::cancelled;
    while (stageBegin() < graph_.size() && !options_.reached(graph_)) {
      const double before = run_.seconds();
      if (!stage()) {
        forgetStage();
        return ExplorationEnd::cancelled;
      }
      run_.setResults(graph_.size());
      tellStage(run_.seconds() - before);
      if (pause && pause()) return ExplorationEnd::paused;
    }
    return graph_.complete < graph_.size() ? ExplorationEnd::limited : ExplorationEnd::complete;
  }

  [[nodiscard]] Element find(std::span<const Image> images) override {
    for (Element x = 0; x < graph_.size(); ++x)
      if (std::equal(images.begin(), images.end(), ImageIterator{this, x, 0})) return x;
    return kNoElement;
  }

  [[nodiscard]] std::uint64_t countIdempotents() override {
    std::uint64_t count = 0;
    for (Element x = 0; x < graph_.size(); ++x) {
      Image point = 0;
      while (point < generators_.points && imageOf(x, imageOf(x, point)) == imageOf(x, point)) ++point;
      count += point == generators_.points ? 1 : 0;
    }
    return count;
  }

  void load(std::shared_ptr<const SavedStages> saved) override {
    if (saved->sources != 0) throw CheckpointError("checkpoint: its base does not belong to algorithm words");
    run_.setResults(saved->stages.back());
    Explorer::load(std::move(saved));
  }

 private:
  struct Key {
    std::uint64_t hash;
    Element element;
  };
  struct HashOf {
    std::size_t operator()(const Key& key) const { return key.hash; }
  };
  /// Keys are equal when their words are the same transformation: computed coefficient by coefficient.
  struct SameElement {
    const WordsExplorer* explorer;
    bool operator()(const Key& key, const Key& other) const {
      return key.hash == other.hash && explorer->sameElement(key.element, other.element);
    }
  };
  struct ImageIterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = Image;
    using difference_type = std::ptrdiff_t;
    using pointer = const Image*;
    using reference = Image;
    const WordsExplorer* explorer;
    Element x;
    Image point;
    Image operator*() const { return explorer->imageOf(x, point); }
    ImageIterator& operator++() {
      ++point;
      return *this;
    }
  };

  [[nodiscard]] Element stageBegin() const { return graph_.stages[graph_.stages.size() - 2]; }
  [[nodiscard]] std::size_t lengthOf(Element x) const {
    // New elements of the stage in work are beyond the last boundary.
    const auto above = std::upper_bound(graph_.stages.begin(), graph_.stages.end(), x);
    return static_cast<std::size_t>(above - graph_.stages.begin()) - 1;
  }
  [[nodiscard]] const Letter* wordOf(Element x) const {
    const std::size_t length = lengthOf(x);
    return words_[length].data() + (x - graph_.stages[length]) * length;
  }
  [[nodiscard]] Image imageOf(Element x, Image point) const {
    return imageUnder(flat_.data(), generators_.points, wordOf(x), static_cast<std::uint32_t>(lengthOf(x)),
                      point);
  }
  [[nodiscard]] bool sameElement(Element x, Element y) const {
    const auto begin = Clock::now();
    Image point = 0;
    while (point < generators_.points && imageOf(x, point) == imageOf(y, point)) ++point;
    equalitySeconds_ += secondsSince(begin);
    return point == generators_.points;
  }
  /// What WordProducts::hash makes of the product.
  [[nodiscard]] std::uint64_t hashOfWord(std::span<const Letter> word) const {
    std::uint64_t value = 0;
    for (Image i = 0; i < generators_.points; ++i) {
      const Image image = imageUnder(flat_.data(), generators_.points, word.data(),
                                     static_cast<std::uint32_t>(word.size()), i);
      value = value * kHornerBase + image + 1;
    }
    return mix64(value) & problem_.hashMask;
  }

  [[nodiscard]] std::unique_ptr<WordsDevice> makeDevice() const;
  bool replay();
  bool replayStage();
  [[nodiscard]] Element savedProduct(Element x, std::uint32_t g);
  void addElement(Element x, std::uint32_t g);
  bool stage();
  bool compute(std::uint64_t candidates);
  void insert(std::uint64_t first, std::uint32_t count);
  void appendLetters(Element x);
  void fillLeftRow(Element x);
  void forgetStage();

  const Generators& generators_;
  ExplorerOptions options_;
  StagedRun& run_;
  std::vector<Image> flat_;  ///< generators, [generator][point]
  WordsProblem problem_;
  HostWordsDevice host_;
  LateDevice<WordsDevice> other_;           ///< beside the host
  WordsDevice* at_ = &host_;                ///< what computes batches
  std::vector<std::vector<Letter>> words_;  ///< [length]: words of that stage one after another
  std::unordered_set<Key, HashOf, SameElement> known_;
  Element next_ = 1;                   ///< elements, those of the stage in work included
  std::vector<std::uint64_t> hashes_;  ///< of the batch in hand
  std::vector<std::uint32_t> equalTo_;
  mutable double equalitySeconds_ = 0;
};

/// Not for mode `cpu`. Throws DeviceError when there is no usable device.
std::unique_ptr<WordsDevice> WordsExplorer::makeDevice() const {
  if (options_.mode == Mode::emulated)
    return std::make_unique<EmulatedWordsDevice>(problem_, run_, options_.emulator);
  const auto make = wordsDeviceFactory();
  if (!make) throw DeviceError("no GPU: this build has no kernels for transformation semigroups");
  return make(problem_, options_.device);
}

/// Makes the saved stages again. False after a cancel.
bool WordsExplorer::replay() {
  const StagedRun::Replaying replaying(run_);
  while (replays(options_)) {
    if (!replayStage()) {
      forgetStage();
      return false;
    }
    requireSaved();
  }
  saved_.reset();
  return true;
}

/// New elements are known from their bits. Of the other products only rules are composed and looked up; what
/// is left follows as in rows.hpp. False after a cancel.
bool WordsExplorer::replayStage() {
  constexpr Element kTogether = 256;  // elements between looks at a cancel
  const Element begin = stageBegin();
  const Element end = graph_.size();
  const TreeBits bits = saved_->bits(graph_.stages.size() - 2, graph_.generators);
  graph_.resizeRows(end);
  next_ = end;
  words_.emplace_back();
  std::uint64_t bit = 0;
  for (Element x = begin; x < end; ++x) {
    if (x % kTogether == 0 && run_.cancelled()) return false;
    for (std::uint32_t g = 0; g < graph_.generators; ++g, ++bit) {
      if ((bits[bit / 32] >> (bit % 32) & 1U) == 0) continue;
      if (next_ >= kMaximumElements) throw CheckpointError("checkpoint: more elements than there can be");
      addElement(x, g);
      known_.insert({hashOfWord({wordOf(next_), words_.size() - 1}), next_});
      graph_.right[std::size_t{x} * graph_.generators + g] = kTree | next_++;
    }
  }
  bit = 0;
  for (Element x = begin; x < end; ++x) {
    if (x % kTogether == 0 && run_.cancelled()) return false;
    for (std::uint32_t g = 0; g < graph_.generators; ++g, ++bit)
      if ((bits[bit / 32] >> (bit % 32) & 1U) == 0)
        graph_.right[std::size_t{x} * graph_.generators + g] = savedProduct(x, g);
  }
  graph_.complete = end;
  for (Element x = begin; x < end; ++x) fillLeftRow(x);
  graph_.leftComplete = end;
  graph_.stages.push_back(next_);
  return true;
}

/// x.g, which is no new element; entries that come before it are known.
Element WordsExplorer::savedProduct(Element x, std::uint32_t g) {
  if (x != 0 && !isTree(graph_.rightRow(graph_.suffix[x])[g])) {
    const std::uint32_t f = graph_.first[x];
    const Element t = graph_.rightOf(graph_.suffix[x], g);
    if (t < stageBegin()) return graph_.leftOf(t, f);
    return graph_.rightOf(graph_.leftOf(graph_.parent[t], f), graph_.last[t]);
  }
  addElement(x, g);  // for the comparison
  const auto place = known_.find({hashOfWord({wordOf(next_), words_.size() - 1}), next_});
  words_.back().resize(words_.back().size() - (words_.size() - 1));
  if (place == known_.end()) throw CheckpointError("checkpoint: a rule of a stage leads to no element");
  return place->element;
}

/// Element `next_`: its columns and its word.
void WordsExplorer::addElement(Element x, std::uint32_t g) {
  graph_.resizeColumns(std::size_t{next_} + 1);
  graph_.parent[next_] = x;
  graph_.last[next_] = static_cast<Letter>(g);
  graph_.first[next_] = x == 0 ? static_cast<Letter>(g) : graph_.first[x];
  graph_.suffix[next_] = x == 0 ? 0 : graph_.rightOf(graph_.suffix[x], g);
  appendLetters(next_);
}

/// False after a cancel.
bool WordsExplorer::stage() {
  const Element begin = stageBegin();
  const Element end = graph_.size();
  const std::uint64_t candidates = std::uint64_t{end - begin} * graph_.generators;
  graph_.resizeRows(end);
  next_ = end;
  words_.emplace_back();
  if (WordsDevice* const other = other_.ask()) at_ = other;
  bool whole = false;
  try {
    whole = compute(candidates);
  } catch (const DeviceError& error) {
    run_.warn(fmt::format("{} failed ({}); the CPU goes on from stage {}", at_->name(), error.what(),
                          graph_.stages.size() - 2));
    at_ = &host_;
    other_.giveUp();
    forgetStage();
    return stage();
  }
  if (!whole) return false;
  graph_.complete = end;
  for (Element x = begin; x < end; ++x) fillLeftRow(x);
  graph_.leftComplete = end;
  graph_.stages.push_back(next_);
  return true;
}

/// All products of the stage, a batch at a time: a device other than the host computes the next one while the
/// host inserts the one before. False after a cancel.
bool WordsExplorer::compute(std::uint64_t candidates) {
  const auto begin = Clock::now();
  const std::uint64_t together = at_->capacity();
  const auto countAt = [&](std::uint64_t first) {
    return static_cast<std::uint32_t>(std::min(together, candidates - first));
  };
  WorkerReport worker;
  worker.name = at_->name();
  worker.kind = at_->kind();
  double inserting = 0;
  int slot = 0;
  at_->stage(words_[words_.size() - 2], static_cast<std::uint32_t>(words_.size() - 2));
  at_->begin(slot, 0, countAt(0));
  for (std::uint64_t first = 0; first < candidates; first += together, slot = 1 - slot) {
    if (first + together < candidates) at_->begin(1 - slot, first + together, countAt(first + together));
    const std::uint32_t count = countAt(first);
    hashes_.resize(count);
    equalTo_.resize(count);
    const WordsTimes times = at_->finish(slot, hashes_.data(), equalTo_.data());
    addTime("composition", times.composition);
    addTime("hash", times.hash);
    addTime("duplicates", times.duplicates);
    worker.steps += count;
    ++worker.turns;
    worker.busySeconds += times.composition + times.hash + times.duplicates;
    if (run_.cancelled()) break;
    const double before = run_.seconds();
    insert(first, count);
    inserting += run_.seconds() - before;
    if (run_.cancelled()) break;
  }
  worker.firstSeconds = -inserting;  // which the run has counted already
  if (at_ != &host_)                 // which accounts for its threads one by one
    run_.addRound(worker, secondsSince(begin) - inserting, at_->bytes());
  return !run_.cancelled();
}

/// Candidates in order, so that the first word of an element is its shortlex word.
void WordsExplorer::insert(std::uint64_t first, std::uint32_t count) {
  const auto begin = Clock::now();
  equalitySeconds_ = 0;
  constexpr std::uint32_t kTogether = 64;  // candidates between looks at a cancel
  for (std::uint32_t c = 0; c < count; ++c) {
    if (c % kTogether == 0 && run_.cancelled()) break;
    const std::uint64_t number = std::uint64_t{stageBegin()} * graph_.generators + first + c;
    const auto x = static_cast<Element>(number / graph_.generators);
    const auto g = static_cast<std::uint32_t>(number % graph_.generators);
    if (equalTo_[c] != c) {
      graph_.right[number] = elementOf(graph_.right[number - c + equalTo_[c]]);
      continue;
    }
    if (next_ >= kMaximumElements) throw LimitError(fmt::format("more than {} elements", kMaximumElements));
    addElement(x, g);
    const auto [place, isNew] = known_.insert({hashes_[c], next_});
    graph_.right[number] = isNew ? kTree | next_ : place->element;
    if (isNew)
      ++next_;
    else
      words_.back().resize(words_.back().size() - (words_.size() - 1));
  }
  const double seconds = secondsSince(begin);
  addTime("equality", equalitySeconds_);
  addTime("insertion", seconds - equalitySeconds_);
  run_.addThreadSeconds(seconds);
}

/// The word of x at the end of the words of its length: that of its parent and its last letter.
void WordsExplorer::appendLetters(Element x) {
  auto& words = words_.back();
  const std::size_t length = words_.size() - 1;
  if (length == 0) return;
  const Letter* shorter = wordOf(graph_.parent[x]);
  words.insert(words.end(), shorter, shorter + (length - 1));
  words.push_back(graph_.last[x]);
}

void WordsExplorer::fillLeftRow(Element x) {
  for (std::uint32_t f = 0; f < graph_.generators; ++f) {
    graph_.left[std::size_t{x} * graph_.generators + f] =
        x == 0 ? graph_.rightOf(0, f) : graph_.rightOf(graph_.leftOf(graph_.parent[x], f), graph_.last[x]);
  }
}

/// After a cancel: what the stage has added goes, so that it can be repeated.
void WordsExplorer::forgetStage() {
  while (words_.size() + 1 > graph_.stages.size()) words_.pop_back();
  for (auto key = known_.begin(); key != known_.end();)
    key = key->element >= graph_.size() ? known_.erase(key) : std::next(key);
}

}  // namespace

std::unique_ptr<Explorer> makeWordsExplorer(const Generators& generators, const ExplorerOptions& options,
                                            StagedRun& run) {
  return std::make_unique<WordsExplorer>(generators, options, run);
}

}  // namespace slicepool::semigroup
