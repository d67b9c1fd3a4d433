// See slicepool/numerical_semigroups/ranked.hpp.
#include "slicepool/numerical_semigroups/ranked.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "cpu_workers/core/setup_stop.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"
#include "slicepool/numerical_semigroups/steps/statistics.hpp"

namespace slicepool::numerical_semigroups {
namespace {

/// Some milliseconds: a caller who is to stop is told by then.
constexpr std::uint64_t kStepsBetweenLooks = 1U << 20;

/// Counts the semigroups of the genus below a slice, by the fastest step.
class SubtreeCounter {
 public:
  explicit SubtreeCounter(const Problem& problem) : problem_(problem), words_(problem.words().fresh()) {}

  std::uint64_t count(std::vector<std::byte> slice) {
    words_ = problem_.words().fresh();
    SinkMemory memory;
    memory.words = words_.data();
    for (Turn turn = Turn::budgetSpent; turn != Turn::exhausted;) {
      checkSetup();
      Budget budget{kStepsBetweenLooks};
      turn = problem_.advanceFast(slice.data(), budget, memory);
    }
    return words_.at(0);
  }

 private:
  const Problem& problem_;
  std::vector<std::uint64_t> words_;
};

/// The way down to several ranks of one class.
template <int kWords>
class Descent {
 public:
  using Slice = SearchSlice<kWords>;
  using Ranks = std::vector<std::uint64_t>::const_iterator;

  Descent(const Problem& problem, int genus, std::vector<GapSet>& found)
      : counter_(problem), genus_(genus), found_(found) {}

  /// `slice` is a semigroup whose visit is to be made; ranks from `begin` to `end` are below it, and `before`
  /// semigroups of the genus come before it.
  void descend(const Slice& slice, std::uint64_t before, Ranks begin, Ranks end) {
    if (begin == end) return;
    if (slice.base == genus_) {
      const GapSet gaps = gapsOfSlice(slice);
      for (; begin != end; ++begin) found_.push_back(gaps);
      return;
    }
    const Class in = Search<kWords>::classOf(slice);
    const auto node = Search<kWords>::nodeOf(slice);
    for (Bits<kWords> open = slice.open[0]; begin != end && !open.empty(); open.removeLowest()) {
      Slice child{};
      const int j = open.lowest();
      auto below = node;
      below.remove(j);
      Search<kWords>::store(child, below);
      child.multiplicity = slice.multiplicity;
      child.second = slice.second;
      child.base = static_cast<std::uint8_t>(slice.base + 1);
      child.waits = 1;
      child.open[0] = childGenerators(in, open, j, node.frees(in, j));
      const std::uint64_t after = before + countBelow(child);
      const Ranks last = std::lower_bound(begin, end, after);
      descend(child, before, begin, last);
      begin = last;
      before = after;
    }
  }

 private:
  std::uint64_t countBelow(const Slice& slice) {
    std::vector<std::byte> bytes(sizeof slice);
    std::memcpy(bytes.data(), &slice, sizeof slice);
    return counter_.count(std::move(bytes));
  }

  static GapSet gapsOfSlice(const Slice& slice) {
    const auto gaps =
        ElementSet<kWords>::of(Search<kWords>::classOf(slice), Search<kWords>::nodeOf(slice)).gaps();
    GapSet set;
    std::copy(std::begin(gaps.words), std::end(gaps.words), set.words.begin());
    return set;
  }

  SubtreeCounter counter_;
  int genus_;
  std::vector<GapSet>& found_;
};

template <int kWords>
void appendOfClass(const Problem& problem, int genus, const Class& in,
                   const std::vector<std::uint64_t>& ranks, std::vector<GapSet>& found) {
  Descent<kWords>(problem, genus, found)
      .descend(Search<kWords>::root({genus}, in), 0, ranks.begin(), ranks.end());
}

}  // namespace

RankedSemigroups::RankedSemigroups(int genus, int multiplicity) : genus_(genus) {
  const ProblemSpec spec{.genus = genus, .multiplicity = multiplicity};
  const auto problem = makeProblem(spec);
  SubtreeCounter counter(*problem);
  // Larger multiplicities and second elements have more of the small gaps, and come first.
  auto classes = classesOf(spec);
  std::reverse(classes.begin(), classes.end());
  const std::size_t bytes = problem->sliceBytes();
  auto slice = problem->roots().end();
  for (const Class& in : classes) {
    slice -= static_cast<std::ptrdiff_t>(bytes);
    const std::uint64_t own = counter.count({slice, slice + static_cast<std::ptrdiff_t>(bytes)});
    if (own != 0) classes_.emplace_back(in, own);
    count_ += own;
  }
}

std::vector<GapSet> RankedSemigroups::at(const std::vector<std::uint64_t>& ranks) const {
  if (!std::is_sorted(ranks.begin(), ranks.end()) || (!ranks.empty() && ranks.back() >= count_))
    throw ConfigError("ranks", "ranks out of order or range",
                      "ascending ranks below " + std::to_string(count_));
  const ProblemSpec spec{.genus = genus_};
  const auto problem = makeProblem(spec);
  std::vector<GapSet> found;
  std::uint64_t before = 0;
  auto begin = ranks.begin();
  for (const auto& [in, own] : classes_) {
    const auto end = std::lower_bound(begin, ranks.end(), before + own);
    std::vector<std::uint64_t> inClass;
    for (; begin != end; ++begin) inClass.push_back(*begin - before);
    if (!inClass.empty() && wordsOf(spec) == 1) appendOfClass<1>(*problem, genus_, in, inClass, found);
    if (!inClass.empty() && wordsOf(spec) == 2) appendOfClass<2>(*problem, genus_, in, inClass, found);
    before += own;
  }
  return found;
}

}  // namespace slicepool::numerical_semigroups
