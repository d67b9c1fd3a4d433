// Part of staged_explorer.hpp: the course of an exploration, whichever device it is on.
//
// Rounds of stage k, whose elements are T_k:
//   [measure T_k]                    how many products there will be, where the table might be too small
//   expand T_k  +  left T_(k-1)      independent of each other
//   count T_k   +  check T_(k-2)     the check needs no barrier of its own
//   number T_k                       after a prefix sum over the blocks
//   derive T_k
#pragma once

#include <bit>

#include <fmt/format.h>

#include "runtime/semigroup/staged_explorer.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {

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
  if (away()) slotCount_ = 0;
  at_ = &host_;
}

// ------------------------------------------------------------------------------------------ room

template <class Store>
void StagedExplorer<Store>::requireMemory(std::uint64_t elements, std::uint64_t slots) const {
  const std::uint64_t bytes =
      elements * (graph_.bytesPerElement() + store_.keyBytes()) + slots * sizeof(std::uint64_t);
  const std::uint64_t limit = at_->memoryLimit();
  if (limit == 0 || bytes <= limit) return;
  throw LimitError(
      fmt::format("memory{}: {} elements of {} bytes each and a table need {} bytes, the limit is {}; raise "
                  "{}, or stop earlier with --max-elements or --max-stage",
                  away() ? " of " + at_->name() : "", elements, graph_.bytesPerElement() + store_.keyBytes(),
                  bytes, limit, away() ? "--device-memory-limit" : "--memory-limit"));
}

/// An empty table of `slots` slots, then with all elements.
template <class Store>
RoundEnd StagedExplorer<Store>::rebuildTable(std::uint64_t slots) {
  tableValid_ = false;
  at_->newTable(slots);
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
  at_->resizeRows(stageEnd());
  const auto fits = [&] { return (stageEnd() + products) * 4 <= slotCount_ * 3; };
  if (tableValid_ && !fits()) {
    if (round("measure", {{Phase::measure, stageBegin(), stageEnd()}}) == RoundEnd::cancelled)
      return RoundEnd::cancelled;
    products = tally_[kFoundWord];
  }
  if (tableValid_ && fits()) return RoundEnd::complete;
  std::uint64_t slots = std::max<std::uint64_t>(slotCount_, 1024);
  while ((stageEnd() + products) * 4 > slots * 3) slots *= 2;
  if (slots > kMaximumSlots) {
    throw LimitError(fmt::format("{} elements and {} products are more than a table of {} slots takes",
                                 stageEnd(), products, kMaximumSlots));
  }
  requireMemory(stageEnd(), slots);
  return rebuildTable(slots);
}

// ------------------------------------------------------------------------------------------ stages

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
  const Element from = checked_;
  const Element to = checks() && options_.check == Check::certificate ? checkable() : 0;
  if (round("count", {{Phase::count, 0, blocks}, {Phase::check, from, to}}) == RoundEnd::cancelled)
    return StageEnd::cancelled;
  if (tally_[kFailuresWord] != 0) return failed(Phase::check, from, to);
  checked_ = std::max(checked_, to);

  const std::uint64_t number = at_->numberBlocks(blocks, end);
  if (number > kMaximumElements)
    throw LimitError(
        fmt::format("more than {} elements: use --max-elements or --max-stage", kMaximumElements));
  const auto next = static_cast<Element>(number);
  requireMemory(next, slotCount_);
  at_->resizeElements(next);
  if (round("number", {{Phase::number, 0, blocks}}) == RoundEnd::cancelled) return StageEnd::cancelled;
  numbered_ = next;
  if (round("derive", {{Phase::derive, begin, end}}) == RoundEnd::cancelled) return StageEnd::cancelled;
  graph_.complete = end;
  tableValid_ = true;
  if (tally_[kFailuresWord] != 0) return failed(Phase::derive, begin, end);
  graph_.stages.push_back(next);
  rulesChecked_ = false;
  return StageEnd::complete;
}

/// A stage on the other device, if it is there and the stage is large; on the host if that fails and may.
template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::stageSomewhere() {
  constexpr std::uint64_t kSmallForDevice = 8192;  // five launches take as long as these on one core
  const std::uint64_t products = std::uint64_t{stageEnd() - stageBegin()} * graph_.generators;
  const bool small = products <= std::min(options_.smallStage, kSmallForDevice);
  StageDevice<Keys>* const other = away() ? at_ : small ? nullptr : other_.ask();
  if (other == nullptr) return replays(options_) ? replayStage() : stage();
  try {
    if (!away()) moveTo(*other);
    return stage();  // a saved one, too: a device explores it in less time than the host makes it again
  } catch (const LimitError& error) {
    if (!away() || !hostMayGoOn()) throw;
    run_.warn(fmt::format("{}; the CPU goes on from stage {}", error.what(), graph_.stages.size() - 2));
    numbered_ = 0;
    (void)fetch();
    comeBack();
  } catch (const DeviceError& error) {
    loseDevice(error.what());
  }
  return StageEnd::complete;
}

template <class Store>
ExplorationEnd StagedExplorer<Store>::explore(const std::function<bool()>& pause) {
  end_ = ExplorationEnd::paused;  // until it is known better, also after an exception
  end_ = exploreToEnd(pause);
  return end_;
}

template <class Store>
ExplorationEnd StagedExplorer<Store>::exploreToEnd(const std::function<bool()>& pause) {
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

// ------------------------------------------------------------------------------------------ the end

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
  if (tally_[kFailuresWord] != 0) return failed(Phase::check, from, size);
  checked_ = size;
  return StageEnd::complete;
}

template <class Store>
typename StagedExplorer<Store>::StageEnd StagedExplorer<Store>::checkRules() {
  if (rulesChecked_) return StageEnd::complete;
  if (round("check", {{Phase::checkRules, 0, graph_.complete}}) == RoundEnd::cancelled)
    return StageEnd::cancelled;
  if (tally_[kFailuresWord] != 0) return failed(Phase::checkRules, 0, graph_.complete);
  rulesChecked_ = true;
  return StageEnd::complete;
}

}  // namespace slicepool::semigroup
