// Instantiates the problem of `ranked` for ranks of any width. Called by makeProblem where the specification
// has wide ranks. One family serves all: such sets have many generators, and what a row costs is memory.
#include <algorithm>

#include "problem_build.hpp"
#include "slicepool/factorizations/wide_ranked.hpp"

namespace slicepool::factorizations {

WideRankedView wideRankedView(const std::vector<std::uint64_t>& generators, const WideSuffixCounts& counts,
                              const std::uint64_t* begin) {
  WideRankedView view{};
  std::copy(generators.begin(), generators.end(), view.generators);
  view.element = counts.element;
  view.dimension = static_cast<std::int32_t>(generators.size());
  view.limbs = counts.limbs;
  view.planes = counts.planes.data();
  view.begin = begin;
  return view;
}

std::unique_ptr<Problem> buildWideRanked(const ProblemSpec& spec) {
  ProblemParts<WideRanked> parts;
  // No device runs this problem, so that its tables stay where they are; the captured specification keeps
  // them alive.
  parts.makeView = [spec](std::span<const void* const>) {
    return wideRankedView(spec.generators, *spec.wideRanks->counts, spec.wideRanks->begin.data());
  };
  const RankRange window = rankWindow(spec);
  if (window.begin < window.end) parts.roots.push_back({window.begin, window.end});
  parts.traits = problemTraits(spec);
  parts.traits.totalSteps = static_cast<double>(window.end - window.begin);
  return joinAnySink<WideRanked, 0, std::uint64_t, false>(spec, std::move(parts));
}

}  // namespace slicepool::factorizations
