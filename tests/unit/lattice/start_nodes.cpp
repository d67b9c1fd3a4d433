// Start nodes of the lattice search, from every kind of slice, and what is below them, against the plain
// step.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/steps/start_nodes.hpp"
#include "support/lattice/instances.hpp"
#include "support/lattice/warps.hpp"

using namespace slicepool;
using namespace slicepool::lattice;
using namespace slicepool::test;

namespace {

/// The words of a search that begins with `before` plain steps of every root and a split, makes start nodes
/// of what is left, and goes on by plain steps.
struct StartedWords {
  std::vector<std::uint64_t> words;
  std::size_t slices = 0;

  StartedWords(const ProblemSpec& spec, std::uint64_t before, std::size_t wanted, std::size_t most) {
    switch (capacityOf(spec.dimension)) {
      case 16: run<16>(spec, before, wanted, most); break;
      case 32: run<32>(spec, before, wanted, most); break;
      default: run<64>(spec, before, wanted, most);
    }
  }

 private:
  template <int kCapacity>
  void run(const ProblemSpec& spec, std::uint64_t before, std::size_t wanted, std::size_t most) {
    using Slice = typename Search<kCapacity>::Slice;
    using Sink = Tally<kCapacity>;
    const auto problem = makeProblem(spec);
    const auto& typed = dynamic_cast<const TypedProblem<Search<kCapacity>, Sink>&>(*problem);
    words = problem->words().fresh();
    const SinkMemory memory{words.data(), nullptr, nullptr, 0, nullptr};
    typename Sink::Emitter emit(typed.sinkViewOver(nullptr), memory);
    std::vector<Slice> nodes(problem->roots().size() / sizeof(Slice));
    std::memcpy(nodes.data(), problem->roots().data(), problem->roots().size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Budget budget{before};
      (void)problem->advance(reinterpret_cast<std::byte*>(&nodes[i]), budget, memory);
    }
    Slice given{};
    if (problem->split(reinterpret_cast<std::byte*>(&nodes[0]), reinterpret_cast<std::byte*>(&given)))
      nodes.push_back(given);
    const auto counted = [&] {
      return std::accumulate(words.begin() + kNodesWord, words.begin() + kNodesWord + spec.dimension,
                             std::uint64_t{0});
    };
    const std::uint64_t taken = counted();
    StartNodes<kCapacity, typename Sink::Emitter> start(typed.viewOnHost(), emit);
    const std::uint64_t steps = start.expand(nodes, wanted, most);
    CHECK(steps == counted() - taken);
    slices = nodes.size();
    for (auto& node : nodes) {
      Budget budget{~std::uint64_t{0}};
      CHECK(problem->advance(reinterpret_cast<std::byte*>(&node), budget, memory) == Turn::exhausted);
    }
  }
};

}  // namespace

TEST_CASE("start nodes and what is below them are the whole search") {
  std::mt19937_64 random(20261122);
  for (const int dimension : {1, 2, 3, 9, 20, 40}) {
    ProblemSpec spec = randomLattice(random, dimension, 20000, dimension == 20);
    if (dimension == 20) spec.roots = rootsOfEveryKind();
    const auto expected = plainLatticeWords(spec);
    for (const std::uint64_t before : {0U, 1U, 30U, 500U}) {
      for (const std::size_t wanted : {std::size_t{1}, std::size_t{100}, std::size_t{3000}}) {
        for (const std::size_t most : {wanted, wanted + 70, 4 * wanted}) {
          INFO("seed 20261122, dimension " << dimension << ", steps before " << before << ", wanted "
                                           << wanted << ", at most " << most);
          const StartedWords started(spec, before, wanted, most);
          CHECK(started.slices <= std::max<std::size_t>(most, 7));
          if (dimension == 40 && wanted == 100 && before == 0) CHECK(started.slices >= 30);
          checkLatticeWords(spec, started.words, expected);
        }
      }
    }
  }
}
