// Instantiates the problem of `ranked` for ranks of any width, and views of counts for code that turns
// single ranks into rows. Called by makeProblem where the specification has wide ranks. One family serves
// all: such sets have many generators, and what a row costs is memory.
#include <algorithm>

#include "runtime/factorizations/problem_build.hpp"
#include "slicepool/factorizations/steps/wide_ranked.hpp"

namespace slicepool::factorizations {
namespace {

WideRankedView viewOf(const std::vector<std::uint64_t>& generators, std::uint64_t element,
                      const std::uint64_t* planes, unsigned limbs) {
  WideRankedView view{};
  std::copy(generators.begin(), generators.end(), view.generators);
  view.element = element;
  view.dimension = static_cast<std::int32_t>(generators.size());
  view.limbs = limbs;
  view.planes = planes;
  return view;
}

}  // namespace

WideRankedView wideRankedView(const std::vector<std::uint64_t>& generators, const WideSuffixCounts& counts,
                              const std::uint64_t* begin) {
  WideRankedView view = viewOf(generators, counts.element, counts.planes.data(), counts.limbs);
  view.begin = begin;
  return view;
}

std::vector<std::uint64_t> rowOfRank(const ProblemSpec& spec, std::uint64_t rank) {
  // Counts of 64 bits are planes of one limb.
  const SuffixCounts& counts = *spec.suffixCounts;
  const WideRankedView view = viewOf(spec.generators, counts.element, counts.counts.data(), 1);
  const RankedCursor cursor(view, view.rankFrom(&rank));
  return {cursor.coordinates(), cursor.coordinates() + spec.generators.size()};
}

std::unique_ptr<Problem> buildWideRanked(const ProblemSpec& spec) {
  ProblemParts<WideRanked> parts;
  // No device runs this problem, so that its tables stay where they are; the captured specification keeps
  // them alive.
  parts.makeView = [kept = keep(spec)](std::span<const void* const>) {
    return wideRankedView(kept->generators, *kept->wideRanks->counts, kept->wideRanks->begin.data());
  };
  const RankRange window = rankWindow(spec);
  if (window.begin < window.end) parts.roots.push_back({window.begin, window.end});
  parts.traits = problemTraits(spec);
  parts.traits.totalSteps = static_cast<double>(window.end - window.begin);
  return joinAnySink<WideRanked, 0, std::uint64_t, false>(spec, std::move(parts));
}

}  // namespace slicepool::factorizations
