// Instantiates the problems of `ranked` for all families. Called by makeProblem.
#include "problem_build.hpp"

namespace slicepool::factorizations {

template <int D, class Word>
std::unique_ptr<Problem> buildRanked(const ProblemSpec& spec) {
  using View = RankedView<D, Word>;
  ProblemParts<Ranked<D, Word>> parts;
  View base{};
  for (std::size_t k = 0; k < spec.generators.size(); ++k) {
    base.generators[k] = static_cast<Word>(spec.generators[k]);
    base.dividers[k] = Divider<Word>::by(base.generators[k]);
  }
  base.element = static_cast<Word>(spec.element);
  base.dimension = static_cast<std::int32_t>(spec.generators.size());
  const auto& counts = spec.suffixCounts->counts;
  parts.tables.push_back({counts.data(), counts.size() * sizeof(counts[0])});
  // The captured specification keeps the table alive.
  parts.makeView = [base, spec](std::span<const void* const> addresses) {
    View view = base;
    view.suffixCounts = static_cast<const std::uint64_t*>(addresses[0]);
    return view;
  };
  const RankRange window = rankWindow(spec);
  if (window.begin < window.end) parts.roots.push_back({window.begin, window.end});
  parts.traits = problemTraits(spec);
  parts.traits.totalSteps = static_cast<double>(window.end - window.begin);
  return joinAnySink<Ranked<D, Word>, D, Word, false>(spec, std::move(parts));
}

#define SLICEPOOL_INSTANTIATE(D, Word) \
  template std::unique_ptr<Problem> buildRanked<D, Word>(const ProblemSpec&);
SLICEPOOL_FACTORIZATIONS_FAMILIES(SLICEPOOL_INSTANTIATE)
#undef SLICEPOOL_INSTANTIATE

}  // namespace slicepool::factorizations
