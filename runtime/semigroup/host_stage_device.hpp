// The host as a device of explorations (slicepool/detail/stage_device.hpp): columns and keys that the
// explorer owns, a table of its own, and rounds executed by CPU workers. The explorer starts on it; the
// stand-in for a GPU (emulated_stage_device.hpp) is another one, with columns of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/grow_array.hpp"
#include "runtime/core/rounds/staged_run.hpp"
#include "runtime/semigroup/explorer.hpp"
#include "runtime/semigroup/graph.hpp"
#include "runtime/semigroup/saved_stages.hpp"
#include "slicepool/detail/stage_device.hpp"
#include "slicepool/semigroup/steps/entries.hpp"
#include "slicepool/semigroup/steps/exploration.hpp"

namespace slicepool::semigroup {

template <class Store>
class HostStageDevice : public StageDevice<typename Store::Keys> {
 public:
  using Keys = typename Store::Keys;

  /// All of them must outlive the device.
  HostStageDevice(Graph& graph, Store& store, StagedRun& run, const ExplorerOptions& options)
      : graph_(graph),
        store_(store),
        run_(run),
        smallStage_(options.smallStage),
        limit_(options.memoryLimit) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& kind() const override { return name_; }
  [[nodiscard]] std::size_t bytes() const override {
    return (graph_.right.size() + graph_.left.size()) * sizeof(std::uint32_t) +
           graph_.parent.size() * (2 * sizeof(Element) + store_.keyBytes()) +
           graph_.first.size() * 2 * sizeof(Letter) + slotCount_ * sizeof(std::uint64_t);
  }
  [[nodiscard]] std::size_t memoryLimit() const override { return limit_; }

  void upload(const View<Keys>& from, const Extent& extent) override {
    graph_.generators = from.generators;
    store_.takeShape(from.keys);
    resizeElements(extent.elements);
    resizeRows(extent.elements);
    copy(from, view(0, 0), {}, extent);
    newTable(0);
  }
  void download(const View<Keys>& to, const Extent& begin, const Extent& end) override {
    copy(view(0, 0), to, begin, end);
  }
  void treeBits(Element begin, Element end, std::uint32_t* bits) override {
    packTreeBits(graph_.rightRow(begin), std::size_t{end - begin} * graph_.generators, bits);
  }

  void resizeRows(Element elements) override { graph_.resizeRows(elements); }
  void resizeElements(Element elements) override {
    graph_.resizeColumns(elements);
    store_.resize(elements);
  }
  void newTable(std::uint64_t slots) override {
    if (slots > slots_.size()) {
      slots_.clear();  // what follows is zero already
      slots_.resize(slots);
    } else {
      std::fill_n(slots_.data(), slots, kEmptySlot);
    }
    slotCount_ = slots;
  }

  StageWork run(const StageRound& round) override {
    makeBlocks(round);
    ProblemTraits traits;
    traits.workload = "semigroup";
    const TypedProblem<Exploration<Keys>, Tally> problem(view(round.stageBegin, round.stageEnd),
                                                         {round.ranges.begin(), round.ranges.end()},
                                                         std::move(traits));
    std::uint64_t work = 0;
    for (const Slice& range : round.ranges)
      work += (range.end - range.begin) * (overBlocks(range) ? kBlock : 1) * graph_.generators;
    std::vector<std::uint64_t> words = Tally::layout().fresh();
    std::copy_n(round.words, words.size(), words.data());
    const RoundEnd end = run_.round(problem, work <= smallStage_, words);
    std::copy_n(words.data(), words.size(), round.words);
    return {end == RoundEnd::complete, 0, 0, 0};
  }
  std::uint64_t numberBlocks(std::uint32_t blocks, Element next) override {
    std::uint64_t number = next;
    for (std::uint32_t block = 0; block < blocks; ++block)
      number += std::exchange(blocks_[block], static_cast<std::uint32_t>(number));
    return number;
  }
  [[nodiscard]] Element find(std::uint64_t hash, const Image* images) override {
    const View<Keys> v = view(0, 0);
    return findSettled(v.table, hash, [&](Element x) { return keyIs(v, x, images); });
  }

  // Only here: stages made again from a checkpoint (slicepool/semigroup/steps/replay.hpp).

  /// From here on the stage in work is a saved one with these bits; numbers of the first new element of each
  /// of its blocks follow from them. Returns the number after the last one.
  [[nodiscard]] std::uint64_t adoptBits(TreeBits bits, std::uint32_t blocks, Element next) {
    static_assert(kBlock == 32, "a block of rows has as many words of bits as there are generators");
    savedBits_ = std::move(bits);
    blocks_.resize(blocks);
    std::uint64_t number = next;
    std::size_t word = 0;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      blocks_[block] = static_cast<std::uint32_t>(number);
      for (const std::size_t end = std::min(savedBits_.size(), word + graph_.generators); word < end; ++word)
        number += static_cast<std::uint64_t>(std::popcount(savedBits_[word]));
    }
    return number;
  }
  void forgetBits() { savedBits_.clear(); }

  /// Where everything is, while stage [stageBegin, stageEnd) is in work.
  [[nodiscard]] View<Keys> view(Element stageBegin, Element stageEnd) {
    Keys keys = store_.keys();
    if (!savedBits_.empty()) keys.sources = 0;  // they agreed when the stage was made first
    return {keys,
            {slots_.data(), slotCount_ - 1},
            graph_.right.data(),
            graph_.left.data(),
            graph_.parent.data(),
            graph_.suffix.data(),
            graph_.first.data(),
            graph_.last.data(),
            blocks_.data(),
            graph_.generators,
            stageBegin,
            stageEnd,
            savedBits_.data()};
  }

 protected:
  [[nodiscard]] static bool overBlocks(const Slice& range) {
    const auto phase = static_cast<Phase>(range.phase);
    return phase == Phase::count || phase == Phase::number || phase == Phase::adopt;
  }
  /// Room for the winners of a stage that is about to be counted.
  void makeBlocks(const StageRound& round) {
    const auto counts = [](const Slice& range) { return static_cast<Phase>(range.phase) == Phase::count; };
    if (std::any_of(round.ranges.begin(), round.ranges.end(), counts))
      blocks_.resize((round.stageEnd - round.stageBegin + kBlock - 1) / kBlock);
  }

 private:
  static void copy(const View<Keys>& from, const View<Keys>& to, const Extent& begin, const Extent& end) {
    const auto column = [](auto* into, const auto* of, std::size_t first, std::size_t last) {
      if (last > first) std::memcpy(into + first, of + first, (last - first) * sizeof(*of));
    };
    const std::size_t g = from.generators;
    column(to.parent, from.parent, begin.elements, end.elements);
    column(to.suffix, from.suffix, begin.elements, end.elements);
    column(to.first, from.first, begin.elements, end.elements);
    column(to.last, from.last, begin.elements, end.elements);
    column(to.right, from.right, begin.rows * g, end.rows * g);
    column(to.left, from.left, begin.leftRows * g, end.leftRows * g);
    const std::size_t bytes = from.keys.rowBytes();
    column(reinterpret_cast<std::byte*>(to.keys.rows), reinterpret_cast<const std::byte*>(from.keys.rows),
           begin.elements * bytes, end.elements * bytes);
  }

  const std::string name_ = "cpu";
  Graph& graph_;
  Store& store_;
  StagedRun& run_;
  std::uint64_t smallStage_;
  std::size_t limit_;
  GrowArray<std::uint64_t> slots_;
  std::uint64_t slotCount_ = 0;
  std::vector<std::uint32_t> blocks_;  ///< of the stage in work: winners, then the first number
  TreeBits savedBits_;                 ///< of the saved stage in work; empty: none is
};

}  // namespace slicepool::semigroup
