// See problem_frontier.hpp.
#include "runtime/core/problem_frontier.hpp"

#include <map>
#include <string>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

/// Slices by their weight. Of equal ones the first that came is the first.
class Waiting {
 public:
  Waiting(const SliceWeight& weight, std::size_t memoryLimit) : weight_(weight), memoryLimit_(memoryLimit) {}

  void add(std::vector<std::byte> slice) {
    if ((slices_.size() + 1) * 2 * slice.size() > memoryLimit_ / 2) {
      throw LimitError("shards: cutting the search takes more than half of the memory limit of " +
                       std::to_string(memoryLimit_ >> 20U) +
                       " MiB for its slices; use fewer shards or raise --memory-limit");
    }
    const std::uint64_t weight = weight_(slice);
    slices_.emplace(weight, std::move(slice));
  }
  [[nodiscard]] std::vector<std::byte> takeHeaviest() {
    const auto first = slices_.begin();
    std::vector<std::byte> slice = std::move(first->second);
    slices_.erase(first);
    return slice;
  }
  [[nodiscard]] std::size_t size() const { return slices_.size(); }

 private:
  const SliceWeight& weight_;
  std::size_t memoryLimit_;
  std::multimap<std::uint64_t, std::vector<std::byte>, std::greater<>> slices_;
};

void expand(const Problem& problem, std::vector<std::byte> slice, Waiting& waiting, Frontier& frontier) {
  std::vector<std::uint64_t> result((problem.resultBytes() + 7) / 8);
  std::uint32_t used = 0;
  SinkMemory memory;
  memory.words = frontier.words.data();
  memory.results = reinterpret_cast<std::byte*>(result.data());
  memory.resultCount = &used;
  memory.resultCapacity = 1;
  Budget budget{1};
  const Turn turn = problem.advance(slice.data(), budget, memory);
  frontier.steps += 1 - budget.left;
  if (used != 0)
    frontier.results.insert(frontier.results.end(), memory.results, memory.results + problem.resultBytes());
  if (turn == Turn::exhausted) return;
  std::vector<std::byte> given(slice.size());
  while (problem.split(slice.data(), given.data())) waiting.add(given);
  waiting.add(std::move(slice));
}

}  // namespace

Frontier frontierOf(const Problem& problem, const SliceWeight& weight, std::size_t atLeast,
                    std::size_t memoryLimit) {
  Frontier frontier;
  frontier.words = problem.words().fresh();
  Waiting waiting(weight, memoryLimit);
  const auto bytes = static_cast<std::ptrdiff_t>(problem.sliceBytes());
  const auto& roots = problem.roots();
  for (auto from = roots.begin(); from != roots.end(); from += bytes) waiting.add({from, from + bytes});
  while (waiting.size() != 0 && waiting.size() < atLeast)
    expand(problem, waiting.takeHeaviest(), waiting, frontier);
  while (waiting.size() != 0) frontier.slices.push_back(waiting.takeHeaviest());
  return frontier;
}

std::vector<std::byte> slicesOfShard(const Frontier& frontier, std::uint32_t shards, std::uint32_t shard,
                                     std::uint64_t& number) {
  std::vector<std::byte> slices;
  number = 0;
  for (std::size_t i = shard; i < frontier.slices.size(); i += shards, ++number)
    slices.insert(slices.end(), frontier.slices[i].begin(), frontier.slices[i].end());
  return slices;
}

}  // namespace slicepool
