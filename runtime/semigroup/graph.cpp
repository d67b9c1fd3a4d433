// See graph.hpp.
#include "runtime/semigroup/graph.hpp"

#include <algorithm>

namespace slicepool::semigroup {

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
