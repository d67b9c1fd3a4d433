// The explorer of `fingerprint` and `froidure-pin`: a stage is a few rounds of slices over index ranges
// (slicepool/semigroup/steps/exploration.hpp) with barriers between them; this says which rounds there are,
// makes room, and decides what comes next. Instantiated for each kind of key in explorer_instances.hpp.
//
// Rounds are executed by one StageDevice at a time: by the host, where every exploration begins, or by a
// device that takes large stages over and keeps them. The host then has what it had when they moved
// (`home_`), and fetches the rest when it is asked.
//
// This file declares the class; its functions are in four files by subject, all of them included below:
//   staged_rounds.hpp   a round on the device in use, and moves between the host and the other device
//   staged_stages.hpp   stages: room, table, the order of rounds, the end
//   staged_replay.hpp   stages made again from a checkpoint
//   staged_answers.hpp  a base that failed, and questions about what was found
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/semigroup/explorer.hpp"
#include "runtime/semigroup/host_stage_device.hpp"
#include "runtime/semigroup/key_store.hpp"
#include "runtime/semigroup/late_device.hpp"
#include "runtime/semigroup/stage_devices.hpp"
#include "slicepool/detail/stage_device.hpp"

namespace slicepool::semigroup {

template <class Store>
class StagedExplorer final : public Explorer {
 public:
  using Keys = typename Store::Keys;

  StagedExplorer(const Generators& generators, const ExplorerOptions& options, StagedRun& run,
                 std::vector<Image> base, std::uint32_t sources)
      : generators_(generators),
        options_(options),
        run_(run),
        store_(generators, options.hashBits),
        host_(graph_, store_, run, options_),
        other_(options_, run,
               [this] { return makeStageDevice<Store>(generators_, store_.keys(), run_, options_); }) {
    base_ = std::move(base);
    sources_ = sources;
    graph_.generators = static_cast<std::uint32_t>(generators.images.size());
    restart();
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
  [[nodiscard]] std::size_t stageOf(Element x) const {
    return static_cast<std::size_t>(std::upper_bound(graph_.stages.begin(), graph_.stages.end(), x) -
                                    graph_.stages.begin()) -
           1;
  }
  /// Whether the exploration is on the other device.
  [[nodiscard]] bool away() const { return at_ != &host_; }
  [[nodiscard]] View<Keys> hostView() { return host_.view(stageBegin(), stageEnd()); }

  // staged_rounds.hpp
  RoundEnd round(const char* name, std::initializer_list<Range> ranges);
  void moveTo(StageDevice<Keys>& device);
  void comeBack();
  void loseDevice(const char* why);
  [[nodiscard]] bool hostMayGoOn() const;
  const Graph& fetch();
  void findAgain(ExplorationEnd end, std::size_t stages);
  template <class Ask>
  decltype(auto) orOnHost(const Ask& ask);

  // staged_stages.hpp
  void restart();
  void requireMemory(std::uint64_t elements, std::uint64_t slots) const;
  RoundEnd rebuildTable(std::uint64_t slots);
  RoundEnd makeRoom();
  StageEnd stage();
  StageEnd stageSomewhere();
  RoundEnd completeLeft();
  StageEnd finish();
  StageEnd checkRules();
  ExplorationEnd exploreToEnd(const std::function<bool()>& pause);

  // staged_replay.hpp
  RoundEnd replay();
  RoundEnd roomForSaved(Element next);
  StageEnd replayStage();

  // staged_answers.hpp
  StageEnd failed(Phase phase, std::uint64_t begin, std::uint64_t end);
  void growBase(Phase phase, std::uint64_t begin, std::uint64_t end);

  const Generators& generators_;
  ExplorerOptions options_;
  StagedRun& run_;
  Store store_;
  HostStageDevice<Store> host_;
  LateDevice<StageDevice<Keys>> other_;          ///< beside the host
  StageDevice<Keys>* at_ = &host_;               ///< where the exploration is
  std::uint64_t slotCount_ = 0;                  ///< of the table there
  bool tableValid_ = false;                      ///< it has all elements and nothing else
  bool rulesChecked_ = false;                    ///< everything found so far is exact by its rules
  std::vector<std::uint64_t> tally_;             ///< Tally of the last round
  bool answering_ = false;                       ///< a round that a cancel does not end
  ExplorationEnd end_ = ExplorationEnd::paused;  ///< of the last exploration
  Element numbered_ = 0;     ///< elements with words, those that the stage in work has found included
  Extent home_;              ///< what the host has while the exploration is away
  Element homeChecked_ = 0;  ///< `checked_` when it moved
};

}  // namespace slicepool::semigroup

#include "runtime/semigroup/staged_answers.hpp"
#include "runtime/semigroup/staged_replay.hpp"
#include "runtime/semigroup/staged_rounds.hpp"
#include "runtime/semigroup/staged_stages.hpp"
