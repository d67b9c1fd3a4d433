// Implementation of frontierOf() of problem_factory.hpp: the top of the tree as slices for the shards of a
// plan.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "slicepool/core/error.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"

namespace slicepool::numerical_semigroups {
namespace {

/// A semigroup with k generators above F has C(k, i) descendants i levels below, and more where generators
/// are freed. Integers, so that every machine orders slices alike.
std::uint64_t descendants(int k, int levels) {
  constexpr auto kMost = ~std::uint64_t{0};
  unsigned __int128 sum = 0;
  unsigned __int128 term = 1;
  for (int i = 0; i <= std::min(k, levels); ++i) {
    sum += term;
    if (sum > kMost) return kMost;
    term = term * static_cast<unsigned>(k - i) / static_cast<unsigned>(i + 1);
  }
  return static_cast<std::uint64_t>(sum);
}

template <int kWords>
std::uint64_t weightOf(const std::vector<std::byte>& bytes, int bound) {
  SearchSlice<kWords> slice;
  std::memcpy(&slice, bytes.data(), sizeof slice);
  std::uint64_t weight = 0;
  for (int i = 0; i <= slice.top; ++i) {
    const std::uint64_t here = descendants(slice.open[i].population(), bound - slice.base - i);
    weight = weight + here < weight ? ~std::uint64_t{0} : weight + here;
  }
  return weight;
}

/// Slices by their weight. Of equal ones the first that came is the first.
class Waiting {
 public:
  Waiting(int words, int bound, std::size_t memoryLimit)
      : words_(words), bound_(bound), memoryLimit_(memoryLimit) {}

  void add(std::vector<std::byte> slice) {
    if ((slices_.size() + 1) * 2 * slice.size() > memoryLimit_ / 2) {
      throw LimitError("shards: cutting the search takes more than half of the memory limit of " +
                       std::to_string(memoryLimit_ >> 20U) +
                       " MiB for its slices; use fewer shards or raise --memory-limit");
    }
    const std::uint64_t weight = words_ == 1 ? weightOf<1>(slice, bound_) : weightOf<2>(slice, bound_);
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
  int words_;
  int bound_;
  std::size_t memoryLimit_;
  std::multimap<std::uint64_t, std::vector<std::byte>, std::greater<>> slices_;
};

/// Visits the first semigroup of a slice and cuts it into those of its children.
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

Frontier frontierOf(const ProblemSpec& spec, std::size_t atLeast, std::size_t memoryLimit) {
  ProblemSpec whole = spec;
  whole.slices.reset();
  const auto problem = makeProblem(whole);
  Frontier frontier;
  frontier.words = problem->words().fresh();
  Waiting waiting(wordsOf(spec), boundOf(spec), memoryLimit);
  const std::size_t bytes = problem->sliceBytes();
  for (auto from = problem->roots().begin(); from != problem->roots().end();
       from += static_cast<std::ptrdiff_t>(bytes))
    waiting.add({from, from + static_cast<std::ptrdiff_t>(bytes)});
  while (waiting.size() != 0 && waiting.size() < atLeast)
    expand(*problem, waiting.takeHeaviest(), waiting, frontier);
  while (waiting.size() != 0) frontier.slices.push_back(waiting.takeHeaviest());
  return frontier;
}

}  // namespace slicepool::numerical_semigroups
