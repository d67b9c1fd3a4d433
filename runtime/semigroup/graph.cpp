// See graph.hpp.
#include "runtime/semigroup/graph.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "cpu_workers/core/parallel.hpp"
#include "slicepool/detail/atomic.hpp"

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

std::vector<std::uint32_t> treeBits(const Graph& graph, Element begin, Element end, int threads) {
  constexpr std::uint64_t kTogether = 1U << 16;  // words
  const std::uint64_t entries = std::uint64_t{end - begin} * graph.generators;
  const std::uint32_t* row = graph.rightRow(begin);
  std::vector<std::uint32_t> bits((entries + 31) / 32);
  const auto some = [&](std::uint64_t first, std::uint64_t last) {
    packTreeBits(row + first * 32, std::min(entries, last * 32) - first * 32, bits.data() + first);
  };
  if (bits.size() <= kTogether) {
    if (!bits.empty()) some(0, bits.size());
    return bits;
  }
  inArena(threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()),
          [&] { parallelFor(0, bits.size(), kTogether, some); });
  return bits;
}

}  // namespace slicepool::semigroup
