// makeProblem: checks a specification and picks the family that fits it; the words of its sink.
#include "slicepool/factorizations/problem_factory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "runtime/factorizations/problem_build.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::uint64_t kMaximumWord32Input = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t kMaximumLengthBins = std::uint64_t{1} << 30;

std::uint64_t longestLength(const ProblemSpec& spec) {
  return spec.element / *std::min_element(spec.generators.begin(), spec.generators.end());
}

/// Wide ranks carry the counts themselves.
void checkWideRanks(const ProblemSpec& spec) {
  if (spec.algorithm != Algorithm::ranked)
    throw ConfigError("algorithm", "not ranked with ranks beyond 64 bits", "ranked");
  const WideSuffixCounts& counts = *spec.wideRanks->counts;
  if (counts.element != spec.element || counts.dimension != spec.generators.size() ||
      spec.wideRanks->begin.size() != counts.limbs) {
    throw ConfigError("wideRanks", "counts of another problem",
                      "counts of the problem's generators and element");
  }
}

void checkTables(const ProblemSpec& spec) {
  if (spec.wideRanks) return checkWideRanks(spec);
  const bool ranked = spec.algorithm == Algorithm::ranked;
  const bool needsPlaces = spec.rows.has_value() || spec.ranks.has_value();
  const bool tooLarge = (ranked && spec.rankCounts && spec.rankCounts->overflow) ||
                        (spec.suffixCounts && spec.suffixCounts->overflow);
  const bool missing = !ranked && needsPlaces && !spec.suffixCounts;
  if ((ranked || needsPlaces) && (tooLarge || missing)) {
    throw ConfigError(
        ranked ? "rankCounts" : "suffixCounts", missing ? "none" : "counts beyond 64 bits",
        "counts that fit 64 bits, for ranked, for ranges of ranks and for rows at known places");
  }
  if (spec.rankCounts && spec.rankCounts->element != spec.element) {
    throw ConfigError("rankCounts", "element " + std::to_string(spec.rankCounts->element),
                      "the problem's element " + std::to_string(spec.element));
  }
  if (spec.suffixCounts && spec.suffixCounts->element != spec.element) {
    throw ConfigError("suffixCounts", "element " + std::to_string(spec.suffixCounts->element),
                      "the problem's element " + std::to_string(spec.element));
  }
  if (spec.algorithm != Algorithm::tabulated) return;
  // A bound may not cut through a leaf; rows outside a window are dropped by their sink.
  if (spec.ranks && !spec.rows)
    throw ConfigError("algorithm", "tabulated with a range of ranks", "candidate or ranked");
  if (!spec.leafTable) throw ConfigError("leafTable", "none", "a table, for tabulated");
  if (spec.leafTable->dimension < 1 || spec.leafTable->dimension > spec.generators.size())
    throw ConfigError("leafTable", "dimension " + std::to_string(spec.leafTable->dimension), "1 to d");
}

void checkSink(const ProblemSpec& spec) {
  const Reductions& reductions = spec.reductions;
  const bool placesRows = spec.rows.has_value();
  if (placesRows && spec.collectRows) throw ConfigError("sink", "rows and collectRows", "one of them");
  const bool more =
      reductions.extremes || reductions.coordinateMaxima || reductions.lengths || reductions.predicate;
  if ((placesRows || spec.collectRows) && more)
    throw ConfigError("sink", "rows with a reduction", "rows alone or with the fingerprint");
  if (spec.collectRows && spec.algorithm == Algorithm::ranked)
    throw ConfigError("sink", "collectRows with ranked", "rows: ranked knows every place");
  if (placesRows) {
    const unsigned bytes = spec.rows->elementBytes;
    const bool known = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (!known || (bytes < 8 && (longestLength(spec) >> (8 * bytes)) != 0)) {
      throw ConfigError("elementBytes", std::to_string(bytes),
                        "1, 2, 4 or 8 bytes that hold " + std::to_string(longestLength(spec)));
    }
    if (spec.rows->window.begin > spec.rows->window.end)
      throw ConfigError("window", "begin after end", "begin <= end");
  }
  if (spec.ranks && spec.ranks->begin > spec.ranks->end)
    throw ConfigError("ranks", "begin after end", "begin <= end");
  if (reductions.lengths && longestLength(spec) >= kMaximumLengthBins) {
    throw LimitError("lengths: " + std::to_string(longestLength(spec)) +
                     " histogram bins; at most 2^30 are kept");
  }
  if (spec.stop != ProblemSpec::Stop::never && !reductions.predicate)
    throw ConfigError("stop", "no predicate", "a predicate, to stop early");
}

using Build = std::unique_ptr<Problem> (*)(const ProblemSpec&);

/// Index D; entry 0 is the generic family.
using BuildTable = std::array<Build, kMaximumCompiledDimension + 1>;

BuildTable buildTable(Algorithm algorithm) {
  BuildTable table{};
#define SLICEPOOL_ENTRY(D, Word)                                            \
  table[D] = algorithm == Algorithm::candidate   ? &buildCandidate<D, Word> \
             : algorithm == Algorithm::tabulated ? &buildTabulated<D, Word> \
                                                 : &buildRanked<D, Word>;
  SLICEPOOL_FACTORIZATIONS_FAMILIES(SLICEPOOL_ENTRY)
#undef SLICEPOOL_ENTRY
  return table;
}

bool fitsWord32(const ProblemSpec& spec) {
  return spec.generators.size() <= static_cast<std::size_t>(kMaximumCompiledDimension) &&
         spec.element <= kMaximumWord32Input &&
         std::all_of(
             spec.generators.begin(), spec.generators.end(),
             [](std::uint64_t g) { return g <= kMaximumWord32Input; });
}

}  // namespace

bool wantsReduce(const ProblemSpec& spec) {
  const Reductions& reductions = spec.reductions;
  return reductions.fingerprint || reductions.extremes || reductions.coordinateMaxima || reductions.lengths ||
         reductions.predicate.has_value();
}

ReductionWords reductionWords(const ProblemSpec& spec) {
  const Reductions& reductions = spec.reductions;
  ReductionWords words;
  int next = 1;
  if (reductions.fingerprint) {
    words.fingerprintSum = next++;
    words.fingerprintXor = next++;
  }
  if (reductions.extremes) {
    words.minimumLength = next++;
    words.maximumLength = next++;
  }
  if (reductions.coordinateMaxima) {
    words.coordinateMaxima = next;
    next += static_cast<int>(spec.generators.size());
  }
  if (reductions.predicate) {
    words.satisfied = next;
    next += 2;  // satisfied, violated
  }
  if (reductions.lengths) words.lengths = next;
  return words;
}

std::shared_ptr<const ProblemSpec> keep(const ProblemSpec& spec) {
  return std::make_shared<const ProblemSpec>(spec);
}

WordLayout reductionLayout(const ProblemSpec& spec) {
  const Reductions& reductions = spec.reductions;
  WordLayout layout{{{Merge::add, 1, 0}}};
  const auto append = [&](Merge merge, std::size_t count, std::uint64_t neutral) {
    layout.ranges.push_back({merge, count, neutral});
  };
  if (reductions.fingerprint) {
    append(Merge::add, 1, 0);
    append(Merge::exclusiveOr, 1, 0);
  }
  if (reductions.extremes) {
    append(Merge::minimum, 1, std::numeric_limits<std::uint64_t>::max());
    append(Merge::maximum, 1, 0);
  }
  if (reductions.coordinateMaxima) append(Merge::maximum, spec.generators.size(), 0);
  if (reductions.predicate) append(Merge::add, 2, 0);
  if (reductions.lengths) append(Merge::add, static_cast<std::size_t>(longestLength(spec)) + 1, 0);
  return layout;
}

RankRange rankWindow(const ProblemSpec& spec) {
  const std::uint64_t total = spec.wideRanks    ? spec.wideRanks->length
                              : spec.rankCounts ? spec.rankCounts->total
                                                : spec.suffixCounts->total();
  const RankRange wanted = spec.rows ? spec.rows->window : spec.ranks.value_or(RankRange{0, total});
  return {std::min(wanted.begin, total), std::min(wanted.end, total)};
}

ProblemTraits problemTraits(const ProblemSpec& spec) {
  ProblemTraits traits;
  traits.workload = "factorizations";
  if (spec.stop != ProblemSpec::Stop::never) {
    const int offset = spec.stop == ProblemSpec::Stop::firstSatisfying ? 0 : 1;
    const auto word = static_cast<std::size_t>(reductionWords(spec).satisfied + offset);
    traits.decided = [word](const std::uint64_t* words) { return words[word] != 0; };
  }
  if (spec.rows) {
    traits.places.base = spec.rows->base;
    traits.places.window = spec.rows->window;
    traits.places.rowBytes = spec.generators.size() * spec.rows->elementBytes;
  }
  return traits;
}

std::unique_ptr<Problem> makeProblem(const ProblemSpec& spec) {
  checkNumbers(spec.generators, spec.element);
  checkTables(spec);
  checkSink(spec);
  if (spec.reductions.predicate) checkPredicate(*spec.reductions.predicate, spec.generators, spec.element);
  if (spec.algorithm != Algorithm::candidate && spec.algorithm != Algorithm::tabulated &&
      spec.algorithm != Algorithm::ranked)
    throw ConfigError("algorithm", "automatic or dynamic", "candidate, tabulated or ranked");
  if (spec.wideRanks) return buildWideRanked(spec);
  const std::size_t family = fitsWord32(spec) ? spec.generators.size() : 0;
  return buildTable(spec.algorithm)[family](spec);
}

}  // namespace slicepool::factorizations
