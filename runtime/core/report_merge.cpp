// See report_merge.hpp.
#include "runtime/core/report_merge.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "runtime/core/automatic_choice.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool {
namespace {

void takeLeast(std::optional<double>& least, const std::optional<double>& moment) {
  if (moment) least = std::min(least.value_or(*moment), *moment);
}

void takeMost(std::optional<double>& most, const std::optional<double>& moment) {
  if (moment) most = std::max(most.value_or(*moment), *moment);
}

void addTo(std::optional<double>& sum, const std::optional<double>& seconds) {
  if (seconds) sum = sum.value_or(0) + *seconds;
}

/// `before`: enumeration of the earlier parts, after which this one began. `place`: where it would be if both
/// lists had the same workers, as parts of one run mostly have.
void addWorker(RunReport& into, WorkerReport worker, double before, std::size_t place) {
  for (auto* moment : {&worker.readySeconds, &worker.firstSeconds, &worker.lastSeconds})
    if (*moment) **moment += before;
  auto same = into.workers.end();
  if (place < into.workers.size() && into.workers[place].name == worker.name)
    same = into.workers.begin() + static_cast<std::ptrdiff_t>(place);
  else
    same = std::find_if(into.workers.begin(), into.workers.end(),
                        [&](const WorkerReport& other) { return other.name == worker.name; });
  if (same == into.workers.end()) {
    into.workers.push_back(std::move(worker));
    return;
  }
  same->steps += worker.steps;
  same->results += worker.results;
  same->turns += worker.turns;
  same->splits += worker.splits;
  same->busySeconds += worker.busySeconds;
  addTo(same->exchangeSeconds, worker.exchangeSeconds);
  addTo(same->waitingSeconds, worker.waitingSeconds);
  takeLeast(same->readySeconds, worker.readySeconds);
  takeLeast(same->firstSeconds, worker.firstSeconds);
  takeMost(same->lastSeconds, worker.lastSeconds);
}

void joinTimeline(Timeline& into, const Timeline& from) {
  if (into.utilisation.empty() && into.poolDepth.empty()) {
    into = from;
    return;
  }
  if (from.utilisation.size() != into.utilisation.size()) return;
  into.poolDepth.insert(into.poolDepth.end(), from.poolDepth.begin(), from.poolDepth.end());
  for (std::size_t i = 0; i < from.utilisation.size(); ++i) {
    into.utilisation[i].insert(into.utilisation[i].end(), from.utilisation[i].begin(),
                               from.utilisation[i].end());
  }
}

}  // namespace

void computeShares(RunReport& report) {
  std::uint64_t steps = 0;
  for (const auto& worker : report.workers) steps += worker.steps;
  for (auto& worker : report.workers)
    worker.share = steps == 0 ? 0 : static_cast<double>(worker.steps) / static_cast<double>(steps);
}

void addWarning(RunReport& report, const std::string& warning) {
  auto& known = report.warnings;
  if (std::find(known.begin(), known.end(), warning) == known.end()) known.push_back(warning);
}

void addReport(RunReport& into, const RunReport& from) {
  const double before = into.seconds;
  into.complete = from.complete;
  into.decided = from.decided;
  into.seconds += from.seconds;
  into.setupSeconds += from.setupSeconds;
  into.secondsBefore += from.secondsBefore;
  into.steps += from.steps;
  into.stepsBefore += from.stepsBefore;
  into.splits += from.splits;
  into.checkpoints += from.checkpoints;
  if (from.checkpointBytes != 0) into.checkpointBytes = from.checkpointBytes;
  into.checkpointStallSeconds += from.checkpointStallSeconds;
  into.checkpointWriteSeconds += from.checkpointWriteSeconds;
  into.peakHostBytes = std::max(into.peakHostBytes, from.peakHostBytes);
  into.peakDeviceBytes = std::max(into.peakDeviceBytes, from.peakDeviceBytes);
  if (from.blockSize != 0) into.blockSize = from.blockSize;
  if (from.gpuBudget != 0) into.gpuBudget = from.gpuBudget;
  if (from.cpuBudget != 0) into.cpuBudget = from.cpuBudget;
  for (std::size_t i = 0; i < from.workers.size(); ++i) addWorker(into, from.workers[i], before, i);
  for (const auto& warning : from.warnings) addWarning(into, warning);
  addChoice(into.automatic, from.automatic, before);
  joinTimeline(into.timeline, from.timeline);
}

void addReportAt(RunReport& into, const RunReport& from, double begin) {
  const double seconds = into.seconds;
  into.seconds = begin;
  addReport(into, from);
  into.seconds = seconds;
}

void noteTurn(WorkerReport& worker, double begin, double end) {
  takeLeast(worker.firstSeconds, begin);
  takeMost(worker.lastSeconds, end);
}

void computeWaiting(RunReport& report, double seconds) {
  for (auto& worker : report.workers) {
    if (worker.kind != "cpu" && worker.waitingSeconds) continue;
    const double others = worker.busySeconds + worker.exchangeSeconds.value_or(0);
    worker.waitingSeconds = std::max(0.0, seconds - worker.readySeconds.value_or(0) - others);
  }
}

void ReportsInTurn::add(const RunReport& report) {
  addReportAt(report_, report, secondsSince(begun_) - report.seconds);
  report_.seconds += report.seconds;
}

RunReport ReportsInTurn::report(double seconds) const {
  RunReport whole = report_;
  for (auto& worker : whole.workers) {
    const double between = seconds - worker.readySeconds.value_or(0) - whole.seconds;
    worker.waitingSeconds = worker.waitingSeconds.value_or(0) + std::max(0.0, between);
  }
  return whole;
}

void mergeReport(RunReport& into, const RunReport& from, const WordLayout& layout, bool withWords) {
  addReport(into, from);
  if (into.words.empty()) into.words = layout.fresh();
  if (withWords) mergeWords(layout, into.words.data(), from.words.data());
  computeShares(into);
}

}  // namespace slicepool
