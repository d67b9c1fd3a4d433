// See ordered_walk.hpp.
#include "runtime/factorizations/ordered_walk.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "slicepool/detail/seconds.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::uint32_t kBufferedRows = 4096;
constexpr std::uint64_t kBudget = 1U << 20;  // steps between two looks at `stop`

WorkerReport onlyWorker(const RunReport& report, std::uint64_t results) {
  WorkerReport worker;
  worker.name = "cpu0";
  worker.kind = "cpu";
  worker.steps = report.steps;
  worker.results = results;
  worker.busySeconds = report.seconds;
  worker.share = 1;
  return worker;
}

}  // namespace

bool walkInOrder(const Problem& problem, std::uint64_t wanted, CollectedRows& rows, RunReport& report,
                 const std::function<bool()>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::byte> slice = problem.roots();
  report.words = problem.words().fresh();
  std::vector<std::byte> buffer(problem.resultBytes() * kBufferedRows);
  Turn turn = slice.empty() ? Turn::exhausted : Turn::budgetSpent;
  report.complete = true;
  while (turn != Turn::exhausted && rows.rows() < wanted) {
    if (stop()) {
      report.complete = false;
      break;
    }
    std::uint32_t filled = 0;
    const auto capacity =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kBufferedRows, wanted - rows.rows()));
    const SinkMemory memory{report.words.data(), buffer.data(), &filled, capacity, nullptr};
    Budget budget{kBudget};
    turn = problem.advance(slice.data(), budget, memory);
    report.steps += kBudget - budget.left;
    rows.consume(buffer.data(), std::min(filled, capacity));
  }
  report.seconds = secondsSince(begin);
  report.workers.push_back(onlyWorker(report, rows.rows()));
  return report.complete && turn == Turn::exhausted;
}

}  // namespace slicepool::factorizations
