// See graph.hpp.
#include "runtime/semigroup/graph.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "cpu_workers/parallel.hpp"
#include "slicepool/core/atomic.hpp"

namespace slicepool::semigroup {
namespace {

std::uint64_t rulesOf(const Graph& graph, Element begin, Element end) {
  constexpr Element kAhead = 8;
  std::uint64_t rules = 0;
  for (Element x = begin; x < end; ++x) {
    if (x + kAhead < end) {
      const std::uint32_t* row = graph.rightRow(graph.suffix[x + kAhead]);
      prefetch(row);
      prefetch(row + graph.generators - 1);
    }
    for (std::uint32_t g = 0; g < graph.generators; ++g) rules += graph.isRule(x, g) ? 1 : 0;
  }
  return rules;
}

}  // namespace

std::uint64_t countRules(const Graph& graph, int threads) {
  constexpr std::uint64_t kTogether = 1U << 16;  // elements
  if (graph.complete <= kTogether) return rulesOf(graph, 0, graph.complete);
  std::atomic<std::uint64_t> rules{0};
  inArena(threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()), [&] {
    parallelFor(0, graph.complete, kTogether, [&](std::uint64_t begin, std::uint64_t end) {
      rules += rulesOf(graph, static_cast<Element>(begin), static_cast<Element>(end));
    });
  });
  return rules;
}

void saveGraph(BlobWriter& blob, const Graph& graph) {
  const std::uint64_t size = graph.size();
  const std::uint64_t stages = graph.stages.size();
  const std::uint64_t rows = graph.stages[stages - 2];
  blob.put(&stages, 1);
  blob.put(graph.stages.data(), stages);
  blob.put(graph.parent.data(), size);
  blob.put(graph.suffix.data(), size);
  blob.put(graph.first.data(), size);
  blob.put(graph.last.data(), size);
  blob.put(graph.right.data(), rows * graph.generators);
}

void loadGraph(BlobReader& blob, Graph& graph) {
  std::uint64_t stages = 0;
  blob.take(&stages, 1);
  if (stages < 2 || stages > kMostElements) throw CheckpointError("checkpoint: no stages of an exploration");
  graph.stages.resize(stages);
  blob.take(graph.stages.data(), stages);
  if (!std::is_sorted(graph.stages.begin(), graph.stages.end()) || graph.size() > kMostElements)
    throw CheckpointError("checkpoint: stages that are not in order");
  const std::size_t size = graph.size();
  const std::size_t rows = graph.stages[stages - 2];
  graph.resizeColumns(size);
  graph.resizeRows(size);
  blob.take(graph.parent.data(), size);
  blob.take(graph.suffix.data(), size);
  blob.take(graph.first.data(), size);
  blob.take(graph.last.data(), size);
  blob.take(graph.right.data(), rows * graph.generators);
  graph.complete = static_cast<Element>(rows);
  graph.leftComplete = 0;
}

}  // namespace slicepool::semigroup
