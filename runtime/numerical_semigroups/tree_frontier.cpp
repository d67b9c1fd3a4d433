// See tree_frontier.hpp.
#include "runtime/numerical_semigroups/tree_frontier.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "slicepool/numerical_semigroups/problem_factory.hpp"
#include "slicepool/numerical_semigroups/steps/search.hpp"

namespace slicepool::numerical_semigroups {
namespace {

/// A semigroup with k generators above F has C(k, i) descendants i levels below, and more where generators
/// are freed. Integers, so that every machine orders slices alike.
std::uint64_t descendants(int k, int levels) {
  constexpr auto kMaximum = ~std::uint64_t{0};
  unsigned __int128 sum = 0;
  unsigned __int128 term = 1;
  for (int i = 0; i <= std::min(k, levels); ++i) {
    sum += term;
    if (sum > kMaximum) return kMaximum;
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

}  // namespace

Frontier frontierOf(const ProblemSpec& spec, std::size_t atLeast, std::size_t memoryLimit) {
  ProblemSpec whole = spec;
  whole.slices.reset();
  const int words = wordsOf(spec);
  const int bound = boundOf(spec);
  return slicepool::frontierOf(
      *makeProblem(whole),
      [words, bound](const std::vector<std::byte>& slice) {
        return words == 1 ? weightOf<1>(slice, bound) : weightOf<2>(slice, bound);
      },
      atLeast, memoryLimit);
}

void addWideClasses(const ProblemSpec& spec, Frontier& top) {
  ProblemSpec others = spec;
  others.slices.reset();
  others.classes = ClassChoice::wide;
  const auto problem = makeProblem(others);
  if (top.words.empty()) top.words = problem->words().fresh();
  SinkMemory memory;
  memory.words = top.words.data();
  std::vector<std::byte> roots = problem->roots();
  for (std::size_t at = 0; at < roots.size(); at += problem->sliceBytes()) {
    Budget budget{~std::uint64_t{0}};
    (void)problem->advanceFast(roots.data() + at, budget, memory);
    top.steps += ~budget.left;
  }
}

}  // namespace slicepool::numerical_semigroups
