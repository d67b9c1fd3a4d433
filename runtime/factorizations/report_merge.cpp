// See report_merge.hpp.
#include "runtime/factorizations/report_merge.hpp"

#include <algorithm>

namespace slicepool::factorizations {
namespace {

void addWorker(RunReport& into, const WorkerReport& worker) {
  const auto same = std::find_if(into.workers.begin(), into.workers.end(),
                                 [&](const WorkerReport& other) { return other.name == worker.name; });
  if (same == into.workers.end()) {
    into.workers.push_back(worker);
    return;
  }
  same->steps += worker.steps;
  same->results += worker.results;
  same->turns += worker.turns;
  same->splits += worker.splits;
  same->busySeconds += worker.busySeconds;
}

void computeShares(RunReport& report) {
  std::uint64_t steps = 0;
  for (const auto& worker : report.workers) steps += worker.steps;
  for (auto& worker : report.workers)
    worker.share = steps == 0 ? 0 : static_cast<double>(worker.steps) / static_cast<double>(steps);
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

void mergeReport(RunReport& into, const RunReport& from, const WordLayout& layout, bool withWords) {
  into.complete = from.complete;
  into.decided = from.decided;
  if (into.words.empty()) into.words = layout.fresh();
  if (withWords) mergeWords(layout, into.words.data(), from.words.data());
  into.seconds += from.seconds;
  into.setupSeconds += from.setupSeconds;
  into.secondsBefore += from.secondsBefore;
  into.steps += from.steps;
  into.stepsBefore += from.stepsBefore;
  into.splits += from.splits;
  into.checkpoints += from.checkpoints;
  into.peakHostBytes = std::max(into.peakHostBytes, from.peakHostBytes);
  into.peakDeviceBytes = std::max(into.peakDeviceBytes, from.peakDeviceBytes);
  if (from.blockSize != 0) into.blockSize = from.blockSize;
  if (from.gpuBudget != 0) into.gpuBudget = from.gpuBudget;
  if (from.cpuBudget != 0) into.cpuBudget = from.cpuBudget;
  for (const auto& worker : from.workers) addWorker(into, worker);
  for (const auto& warning : from.warnings)
    if (std::find(into.warnings.begin(), into.warnings.end(), warning) == into.warnings.end())
      into.warnings.push_back(warning);
  computeShares(into);
  joinTimeline(into.timeline, from.timeline);
}

}  // namespace slicepool::factorizations
