// Part of staged_explorer.hpp, apart from the order of stages: which device an exploration is on. A round
// there, the move away from the host and back, and what the host does when the device fails or is too small.
#pragma once

#include <chrono>

#include <fmt/format.h>

#include "runtime/semigroup/staged_explorer.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::semigroup {

/// One round; its words are in tally_ afterwards.
template <class Store>
RoundEnd StagedExplorer<Store>::round(const char* name, std::initializer_list<Range> ranges) {
  std::vector<Slice> slices;
  for (const auto& range : ranges)
    if (range.begin < range.end)
      slices.push_back({static_cast<std::uint32_t>(range.phase), 0, range.begin, range.end});
  tally_ = Tally::layout().fresh();
  const auto stopped = [this] { return !answering_ && run_.cancelled(); };
  if (slices.empty()) return stopped() ? RoundEnd::cancelled : RoundEnd::complete;
  const double before = run_.seconds();
  StageWork work = at_->run({slices, stageBegin(), stageEnd(), tally_.data(), stopped});
  if (work.steps != 0) {  // the host accounts for its threads one by one
    WorkerReport worker;
    worker.name = at_->name();
    worker.kind = at_->kind();
    worker.steps = work.steps;
    worker.turns = work.turns;
    worker.busySeconds = work.seconds;
    run_.addRound(worker, work.seconds, at_->bytes());
    if (stopped()) work.whole = false;  // these steps may have been the last ones allowed
  }
  addTime(name, run_.seconds() - before);
  return work.whole ? RoundEnd::complete : RoundEnd::cancelled;
}

/// Whether the host goes on when the device is too small.
template <class Store>
bool StagedExplorer<Store>::hostMayGoOn() const {
  return options_.mode == Mode::hybrid || options_.mode == Mode::automatic ||
         (options_.mode == Mode::emulated && options_.emulator.withCpuWorkers);
}

template <class Store>
void StagedExplorer<Store>::moveTo(StageDevice<Keys>& device) {
  const auto start = std::chrono::steady_clock::now();
  home_ = {graph_.size(), graph_.complete, graph_.leftComplete};
  homeChecked_ = checked_;
  device.upload(hostView(), home_);
  at_ = &device;
  tableValid_ = false;
  slotCount_ = 0;
  const double seconds = secondsSince(start);
  run_.addExchange(device.name(), seconds);
  addTime("to the device", seconds);
}

/// To where the host's columns end, at the beginning of a stage; the other device is given up.
template <class Store>
void StagedExplorer<Store>::comeBack() {
  at_ = &host_;
  other_.giveUp();
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
void StagedExplorer<Store>::loseDevice(const char* why) {
  run_.warn(fmt::format("{} failed ({}); the CPU goes on from stage {}", other_.get()->name(), why,
                        home_.elements == 0 ? 0 : stageOf(home_.elements - 1)));
  comeBack();
}

/// Copies what the host does not have.
template <class Store>
const Graph& StagedExplorer<Store>::fetch() {
  if (!away()) return graph_;
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
    at_->download(hostView(), home_, here);
  home_ = here;
  homeChecked_ = checked_;
  return graph_;
}

template <class Store>
const Graph& StagedExplorer<Store>::wholeGraph() {
  return orOnHost([&]() -> const Graph& { return fetch(); });
}

/// What an exploration that ended like this had found, `stages` of them.
template <class Store>
void StagedExplorer<Store>::findAgain(ExplorationEnd end, std::size_t stages) {
  const bool toEnd = end == ExplorationEnd::complete || end == ExplorationEnd::limited;
  const auto asFar = [&] { return !toEnd && graph_.stages.size() >= stages; };
  if (!asFar() && explore(asFar) != end && toEnd) throw ExplorationStopped();
}

/// `ask()` about what was found; if the device fails, the host finds it again and is asked.
template <class Store>
template <class Ask>
decltype(auto) StagedExplorer<Store>::orOnHost(const Ask& ask) {
  const std::size_t stages = graph_.stages.size();
  try {
    return ask();
  } catch (const DeviceError& error) {
    loseDevice(error.what());
  }
  findAgain(end_, stages);
  return ask();
}

}  // namespace slicepool::semigroup
