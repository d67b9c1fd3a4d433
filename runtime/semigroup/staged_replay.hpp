// Part of staged_explorer.hpp, apart because nothing of it happens without a checkpoint: the bits that one is
// made of, and stages made again from them (slicepool/semigroup/steps/replay.hpp), which the host alone does.
#pragma once

#include <fmt/format.h>

#include "runtime/semigroup/staged_explorer.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {

template <class Store>
std::optional<TreeBits> StagedExplorer<Store>::treeBits(Element begin, Element end, int threads) {
  if (!away() || end <= home_.rows) return Explorer::treeBits(begin, end, threads);
  try {
    TreeBits bits((std::uint64_t{end - begin} * graph_.generators + 31) / 32);
    at_->treeBits(begin, end, bits.data());
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

/// Makes the saved stages again: from their bits on the host, and as the first time on another device.
template <class Store>
RoundEnd StagedExplorer<Store>::replay() {
  const StagedRun::Replaying replaying(run_);
  while (replays(options_)) {
    checked_ = static_cast<Element>(std::min<std::uint64_t>(saved_->last.checked, kMaximumElements));
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

/// Rows for the stage in work, elements before `next`, and a table for them: at once for all that was saved.
template <class Store>
RoundEnd StagedExplorer<Store>::roomForSaved(Element next) {
  const std::uint64_t elements = other_.expected() ? next : saved_->stages.back();
  std::uint64_t slots = std::max<std::uint64_t>(slotCount_, 1024);
  while (elements * 4 > slots * 3) slots *= 2;
  if (slots > kMaximumSlots)
    throw LimitError(
        fmt::format("{} elements are more than a table of {} slots takes", elements, kMaximumSlots));
  requireMemory(std::max<std::uint64_t>(elements, next), slots);
  host_.resizeRows(stageEnd());
  if (!tableValid_ || slots > slotCount_) {
    if (rebuildTable(slots) == RoundEnd::cancelled) return RoundEnd::cancelled;
  }
  host_.resizeElements(next);
  return RoundEnd::complete;
}

template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::replayStage() {
  const Element begin = stageBegin();
  const Element end = stageEnd();
  const std::uint32_t blocks = (end - begin + kBlock - 1) / kBlock;
  const struct Forget {
    HostStageDevice<Store>& host;
    ~Forget() { host.forgetBits(); }
  } forget{host_};
  const std::uint64_t number =
      host_.adoptBits(saved_->bits(graph_.stages.size() - 2, graph_.generators), blocks, end);
  if (number > kMaximumElements || number != saved_->stages[graph_.stages.size()])
    throw CheckpointError("checkpoint: the bits of a stage are not as many as its elements");
  const auto next = static_cast<Element>(number);
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
  if (tally_[kFailuresWord] != 0) throw CheckpointError("checkpoint: a rule of a stage leads to no element");
  if (cancelled({{Phase::derive, begin, end}})) return StageEnd::cancelled;
  graph_.complete = end;
  tableValid_ = true;
  graph_.stages.push_back(next);
  return StageEnd::complete;
}

}  // namespace slicepool::semigroup
