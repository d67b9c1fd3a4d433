// Selections from the tree of numerical semigroups - conditions, lists, the first ones, any and all, two
// statistics, Frobenius numbers, the trimmed tree - against an oracle of plain sets, in every mode.
// One file, because all cases share the oracle.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/numerical_semigroups/tree_frontier.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"
#include "slicepool/numerical_semigroups/ranked.hpp"
#include "support/numerical_semigroups/oracle.hpp"
#include "support/reducing_driver.hpp"
#include "support/scale.hpp"
#include "support/stopped_runs.hpp"
#include "support/worker_options.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;
using slicepool::test::Gaps;
using slicepool::test::GenusOracle;
using slicepool::test::largest;
using slicepool::test::onCpu;
using slicepool::test::onEmulator;

namespace {

Request selecting(int genus, std::string where = {}, SinkKind sink = SinkKind::list) {
  Request request;
  request.genus = genus;
  request.where = std::move(where);
  request.sink = sink;
  return request;
}

Outcome selectionOf(const Request& request, const EngineOptions& options = onCpu()) {
  Enumeration enumeration(request, options);
  enumeration.run();
  CHECK(enumeration.finished());
  return enumeration.outcome();
}

Gaps setOf(const GapSet& gaps) {
  const std::vector<int> list = gapsOf(gaps);
  return {list.begin(), list.end()};
}

/// Sorted, so that order and distinctness are compared as well.
std::vector<Gaps> listOf(const Outcome& outcome) {
  std::vector<Gaps> list;
  for (const GapSet& gaps : outcome.semigroups) list.push_back(setOf(gaps));
  return list;
}

/// Sets compare as their ascending lists do; a list is by genus first.
std::vector<Gaps> expectedList(const GenusOracle& oracle, int first, int bound,
                               const std::function<bool(const Gaps&)>& wanted) {
  std::vector<Gaps> list;
  for (int genus = first; genus <= bound; ++genus)
    for (const Gaps& gaps : oracle.ofGenus(genus))
      if (wanted(gaps)) list.push_back(gaps);
  return list;
}

struct Named {
  Statistic statistic;
  std::function<int(const Gaps&)> value;
};

const std::vector<Named>& countedStatistics() {
  static const std::vector<Named> all{
      {Statistic::multiplicity, GenusOracle::multiplicityOf},
      {Statistic::embeddingDimension, GenusOracle::embeddingDimension},
      {Statistic::type, GenusOracle::type},
      {Statistic::frobenius, GenusOracle::frobenius},
      {Statistic::depth, GenusOracle::depth},
      {Statistic::second, GenusOracle::secondOf},
      {Statistic::children,
       [](const Gaps& gaps) { return static_cast<int>(GenusOracle::removable(gaps).size()); }},
      {Statistic::genus, [](const Gaps& gaps) { return static_cast<int>(gaps.size()); }}};
  return all;
}

}  // namespace

TEST_CASE("conditions select what they say, in order, in every mode") {
  const int bound = largest(11, 8);
  const GenusOracle oracle(bound);
  using O = GenusOracle;
  struct Case {
    std::string where;
    std::function<bool(const Gaps&)> wanted;
  };
  for (const auto& condition :
       {Case{"t = 1", [](const Gaps& s) { return O::type(s) == 1; }},
        Case{"2*e - t >= 5", [](const Gaps& s) { return 2 * O::embeddingDimension(s) - O::type(s) >= 5; }},
        Case{"F = 2g - 1 and m > 3",
             [](const Gaps& s) {
               return !s.empty() && O::frobenius(s) == 2 * static_cast<int>(s.size()) - 1 &&
                      O::multiplicityOf(s) > 3;
             }},
        Case{"e = m or t = 1 and d >= 3",
             [](const Gaps& s) {
               return O::embeddingDimension(s) == O::multiplicityOf(s) ||
                      (!s.empty() && O::type(s) == 1 && O::depth(s) >= 3);
             }},
        Case{"children = 0 and u < 2m",
             [](const Gaps& s) {
               return O::removable(s).empty() && O::secondOf(s) < 2 * O::multiplicityOf(s);
             }},
        Case{"wilf = 0", [](const Gaps& s) { return O::wilf(s) == 0; }},
        Case{"eliahou < 3 and g > 4", [](const Gaps& s) { return s.size() > 4 && O::eliahou(s) < 3; }}}) {
    CAPTURE(condition.where);
    const auto expected = expectedList(oracle, 0, bound, condition.wanted);
    REQUIRE(!expected.empty());
    const Outcome first = selectionOf(selecting(bound, condition.where));
    CHECK(listOf(first) == expected);
    EngineOptions small = onEmulator(3);
    small.emulator.resultCapacity = 5;  // refusals and repeated visits
    for (const auto& options : {onCpu(3), onEmulator(), small}) {
      const Outcome other = selectionOf(selecting(bound, condition.where), options);
      CHECK(other.semigroups == first.semigroups);
      CHECK(other.fingerprint == first.fingerprint);
    }
    // A count of the same, and of its complement.
    Request counting = selecting(bound, condition.where, SinkKind::count);
    counting.fingerprint = true;
    const Outcome counted = selectionOf(counting, onEmulator());
    CHECK(counted.findings.byGenus == first.findings.byGenus);
    CHECK(counted.fingerprint == first.fingerprint);
  }
}

TEST_CASE("exactly the bound: of a genus, of a Frobenius number, in the trimmed tree") {
  for (const int shape : {0, 1, 2}) {
    CAPTURE(shape);
    Request request = selecting(shape == 1 ? 0 : 9, "t <= 2");
    if (shape == 1) request.frobenius = 9;
    request.trim = shape == 2;
    const Outcome all = selectionOf(request);
    request.exactly = true;
    const Outcome exactly = selectionOf(request, onEmulator());
    std::vector<GapSet> expected;
    for (const GapSet& gaps : all.semigroups)
      if ((shape == 1 ? frobeniusOf(gaps) : genusOf(gaps)) == 9) expected.push_back(gaps);
    CHECK(exactly.semigroups == expected);
    CHECK(exactly.run.steps == all.run.steps);
    const auto& counts = exactly.findings.counts();
    CHECK(counts.back() == all.findings.counts().back());
    CHECK(std::count(counts.begin(), counts.end(), std::uint64_t{0}) == 9);
  }
}

TEST_CASE("both widths of the windows select the same, with as many steps") {
  for (const char* where : {"t = 1", "wilf < 12", "eliahou >= 5 or children = 2"}) {
    CAPTURE(where);
    ProblemSpec spec{.genus = 13, .by = Statistic::type};
    spec.also = Statistic::embeddingDimension;
    spec.fingerprint = true;
    spec.words = 1;
    const auto narrow = makeProblem(spec);
    spec.words = 2;
    const auto wide = makeProblem(spec);
    test::ReducingDriver one(*narrow);
    test::ReducingDriver two(*wide);
    CHECK(one.runWhole().words() == two.runWhole().words());
    CHECK(one.steps() == two.steps());
  }
}

TEST_CASE("any two statistics are the oracle's, and their tables add up") {
  const int bound = largest(10, 7);
  const GenusOracle oracle(bound);
  for (const Named& first : countedStatistics()) {
    for (const Named& second : countedStatistics()) {
      if (first.statistic == second.statistic) continue;
      CAPTURE(static_cast<int>(first.statistic));
      CAPTURE(static_cast<int>(second.statistic));
      Request request = selecting(bound, {}, SinkKind::count);
      request.by = first.statistic;
      request.also = second.statistic;
      const Outcome outcome =
          selectionOf(request, first.statistic < second.statistic ? onCpu() : onEmulator());
      REQUIRE(outcome.findings.tables.size() == static_cast<std::size_t>(bound) + 1);
      for (int genus = 1; genus <= bound; ++genus) {
        std::map<std::pair<int, int>, std::uint64_t> expected;
        for (const Gaps& gaps : oracle.ofGenus(genus)) ++expected[{first.value(gaps), second.value(gaps)}];
        std::map<std::pair<int, int>, std::uint64_t> found;
        const TwoWayTable& table = outcome.findings.tables.at(static_cast<std::size_t>(genus));
        for (std::size_t v = 0; v < table.size(); ++v)
          for (std::size_t w = 0; w < table[v].size(); ++w)
            if (table[v][w] != 0) found[{static_cast<int>(v), static_cast<int>(w)}] = table[v][w];
        CHECK(found == expected);
        CHECK(outcome.findings.byGenus.at(static_cast<std::size_t>(genus)) == oracle.ofGenus(genus).size());
      }
    }
  }
}

TEST_CASE("by class the last levels are not visited, and the numbers are those of all visits") {
  Request request = selecting(largest(16, 10), {}, SinkKind::count);
  for (const bool second : {false, true}) {
    request.by = second ? Statistic::second : Statistic::multiplicity;
    request.also.reset();
    if (!second) request.also = Statistic::second;
    request.fingerprint = false;
    const Outcome tallied = selectionOf(request);
    CHECK(selectionOf(request, onEmulator(2)).findings == tallied.findings);
    request.fingerprint = true;  // needs every visit
    const Outcome visited = selectionOf(request);
    CHECK(tallied.findings == visited.findings);
    CHECK(tallied.run.steps < visited.run.steps);
  }
}

TEST_CASE("children of one genus are the semigroups of the next, and leaves have none") {
  Request request = selecting(largest(16, 10), {}, SinkKind::count);
  request.by = Statistic::children;
  const Findings findings = selectionOf(request).findings;
  for (std::size_t genus = 0; genus + 1 < findings.triangle.size(); ++genus) {
    std::uint64_t children = 0;
    for (std::size_t k = 0; k < findings.triangle[genus].size(); ++k)
      children += k * findings.triangle[genus][k];
    CHECK(children == findings.byGenus[genus + 1]);
  }
}

TEST_CASE("semigroups by Frobenius number are those of A124506, and the oracle's") {
  // Numbers of semigroups with Frobenius number 1, 2, ..: https://oeis.org/A124506.
  const std::vector<std::uint64_t> published{1,   1,   2,   2,   5,   4,   11,  10,  21,   22,   51,   40,
                                             106, 103, 200, 205, 465, 405, 961, 900, 1828, 1913, 4096, 3578};
  const int bound = largest(24, 14);
  Request request = selecting(0, {}, SinkKind::count);
  request.frobenius = bound;
  request.by = Statistic::genus;
  const Outcome counted = selectionOf(request);
  CHECK(counted.findings.byGenus.empty());
  for (int f = 1; f <= bound; ++f)
    CHECK(counted.findings.byFrobenius.at(static_cast<std::size_t>(f)) ==
          published.at(static_cast<std::size_t>(f) - 1));
  CHECK(selectionOf(request, onEmulator(3)).findings == counted.findings);

  // As sets: a Frobenius number F leaves at most F gaps.
  const int small = 9;
  const GenusOracle oracle(small);
  request = selecting(0);
  request.frobenius = small;
  const auto expected =
      expectedList(oracle, 1, small, [&](const Gaps& gaps) { return GenusOracle::frobenius(gaps) <= small; });
  CHECK(listOf(selectionOf(request)) == expected);
  CHECK(listOf(selectionOf(request, onEmulator())) == expected);
  request.multiplicity = 4;
  CHECK(listOf(selectionOf(request)) == expectedList(oracle, 1, small, [&](const Gaps& gaps) {
          return GenusOracle::frobenius(gaps) <= small && GenusOracle::multiplicityOf(gaps) == 4;
        }));
}

TEST_CASE("the trimmed tree is the oracle's, and what it leaves out satisfies Wilf's inequality") {
  const int bound = largest(12, 8);
  const GenusOracle oracle(bound);
  Request request = selecting(bound);
  request.trim = true;
  // A descendant of a semigroup with m / 3 generators or more below its Frobenius number is cut.
  const auto isCut = [](Gaps gaps) {
    while (gaps.size() > 1) {
      gaps.erase(std::prev(gaps.end()));
      const int left =
          GenusOracle::embeddingDimension(gaps) - static_cast<int>(GenusOracle::removable(gaps).size());
      if (3 * left >= GenusOracle::multiplicityOf(gaps)) return true;
    }
    return false;
  };
  const auto expected = expectedList(oracle, 0, bound, [&](const Gaps& gaps) { return !isCut(gaps); });
  const Outcome trimmed = selectionOf(request);
  CHECK(listOf(trimmed) == expected);
  CHECK(selectionOf(request, onEmulator(4)).semigroups == trimmed.semigroups);
  for (int genus = 1; genus <= bound; ++genus)
    for (const Gaps& gaps : oracle.ofGenus(genus)) CHECK(GenusOracle::wilf(gaps) >= 0);

  // The first semigroup with a negative Eliahou number (Eliahou, Fromentin 2019, Near-misses in Wilf's
  // conjecture): <14, 22, 23> and all from 56 on. Its multiplicity alone, with and without the cut.
  if (test::scaled(10) < 10) return;
  request = selecting(43, "eliahou < 0");
  request.multiplicity = 14;
  for (const bool trim : {false, true}) {
    request.trim = trim;
    const Outcome outcome = selectionOf(request);
    REQUIRE(outcome.semigroups.size() == 1);
    CHECK(generatorsOf(outcome.semigroups[0]) == std::vector<int>{14, 22, 23, 57, 61, 62, 63});
    CHECK(genusOf(outcome.semigroups[0]) == 43);
    CHECK(frobeniusOf(outcome.semigroups[0]) == 55);
  }
}

TEST_CASE("Wilf's inequality holds, and no Eliahou number is negative") {
  Request request = selecting(largest(22, 12), {}, SinkKind::all);
  request.condition = "wilf >= 0 and eliahou >= 0 and wilf - eliahou >= 0";
  const Outcome outcome = selectionOf(request);
  CHECK(outcome.holds == true);
  CHECK(outcome.semigroups.empty());
}

TEST_CASE("any and all stop at one that decides, which is one") {
  for (const auto& options : {onCpu(), onEmulator()}) {
    Request request = selecting(14, "g = 14", SinkKind::any);
    request.condition = "t = 5";
    const Outcome any = selectionOf(request, options);
    CHECK(any.holds == true);
    REQUIRE(any.semigroups.size() == 1);
    CHECK(GenusOracle::type(setOf(any.semigroups[0])) == 5);
    CHECK(genusOf(any.semigroups[0]) == 14);
    request.condition = "t > 14";
    CHECK(selectionOf(request, options).holds == false);
    request.sink = SinkKind::all;
    request.condition = "t < 14";
    const Outcome all = selectionOf(request, options);
    CHECK(all.holds == false);
    REQUIRE(all.semigroups.size() == 1);
    CHECK(GenusOracle::type(setOf(all.semigroups[0])) == 14);
  }
  // All nonnegative integers alone decide.
  Request request = selecting(14, {}, SinkKind::any);
  request.condition = "g = 0";
  const Outcome root = selectionOf(request);
  CHECK(root.holds == true);
  CHECK(root.semigroups == std::vector<GapSet>{GapSet{}});
  CHECK(root.run.steps == 0);
}

TEST_CASE("the first ones are as many as were asked for, or all, and different") {
  for (const std::uint64_t wanted : {1, 3, 200, 1000}) {
    CAPTURE(wanted);
    Request request = selecting(10, "g = 10", SinkKind::first);
    request.firstCount = wanted;
    const Outcome outcome = selectionOf(request, wanted % 2 == 0 ? onCpu(3) : onEmulator());
    CHECK(outcome.semigroups.size() == std::min<std::uint64_t>(wanted, 204));
    std::set<Gaps> different;
    for (const GapSet& gaps : outcome.semigroups) different.insert(setOf(gaps));
    CHECK(different.size() == outcome.semigroups.size());
    CHECK(
        std::all_of(different.begin(), different.end(), [](const Gaps& gaps) { return gaps.size() == 10; }));
  }
}

TEST_CASE("a list that was stopped again and again and resumed is that of one run") {
  const Request request = selecting(largest(17, 12), "t = 2 or wilf < 4");
  const Outcome whole = selectionOf(request);
  const Outcome parts =
      test::outcomeInParts<Enumeration>(request, whole.run.steps, onCpu(1), onEmulator(), 1'000'000);
  CHECK(parts.semigroups == whole.semigroups);
  CHECK(parts.fingerprint == whole.fingerprint);
}

TEST_CASE("shards have nothing in common and are the whole together, above and below the frontier") {
  for (const std::uint32_t shards : {2U, 7U}) {
    for (const bool lists : {false, true}) {
      CAPTURE(shards);
      Request request = selecting(13, lists ? "t <= 3" : "", lists ? SinkKind::list : SinkKind::count);
      const Outcome whole = selectionOf(request);
      request.shards = shards;
      std::vector<std::uint64_t> counts(14);
      std::vector<GapSet> semigroups;
      std::uint64_t steps = 0;
      for (request.shard = 0; request.shard < shards; ++request.shard) {
        const Outcome part = selectionOf(request, request.shard % 2 == 0 ? onCpu() : onEmulator());
        for (std::size_t genus = 0; genus < counts.size(); ++genus)
          counts[genus] += part.findings.byGenus[genus];
        semigroups.insert(semigroups.end(), part.semigroups.begin(), part.semigroups.end());
        steps += part.run.steps;
      }
      std::sort(semigroups.begin(), semigroups.end(), comesBefore);
      CHECK(counts == whole.findings.byGenus);
      CHECK(semigroups == whole.semigroups);
      CHECK(steps == whole.run.steps);
    }
  }
}

TEST_CASE("no shard has much more than its share") {
  ProblemSpec spec{.genus = largest(26, 16)};
  constexpr std::size_t kShards = 8;
  const Frontier frontier = frontierOf(spec, 64 * kShards);
  std::vector<std::uint64_t> steps;
  std::uint64_t sum = frontier.steps;
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    spec.slices.emplace();
    for (std::size_t i = shard; i < frontier.slices.size(); i += kShards)
      spec.slices->insert(spec.slices->end(), frontier.slices[i].begin(), frontier.slices[i].end());
    const auto problem = makeProblem(spec);
    test::ReducingDriver driver(*problem, true);
    driver.runWhole();
    steps.push_back(driver.steps());
    sum += driver.steps();
  }
  spec.slices.reset();
  const auto everything = makeProblem(spec);
  test::ReducingDriver whole(*everything, true);
  CHECK(sum == whole.runWhole().steps());
  MESSAGE("largest share of a shard: ", *std::max_element(steps.begin(), steps.end()), " of ", sum);
  CHECK(*std::max_element(steps.begin(), steps.end()) < 2 * sum / kShards);
}

TEST_CASE("the semigroup of a rank is that of the list, one by one and many at once, with both widths") {
  struct Case {
    int genus, multiplicity;
  };
  for (const auto& shape : {Case{1, 0}, Case{2, 0}, Case{3, 0}, Case{9, 0}, Case{12, 5}, Case{70, 3}}) {
    CAPTURE(shape.genus);
    Request request = selecting(shape.genus);
    request.multiplicity = shape.multiplicity;
    request.exactly = true;
    const std::vector<GapSet> list = selectionOf(request).semigroups;
    const RankedSemigroups ranked(shape.genus, shape.multiplicity);
    REQUIRE(ranked.count() == list.size());
    std::vector<std::uint64_t> ranks;
    for (std::uint64_t rank = 0; rank < list.size(); ++rank) {
      CHECK(ranked.at({rank}) == std::vector<GapSet>{list[rank]});
      ranks.push_back(rank);
    }
    CHECK(ranked.at(ranks) == list);
    CHECK(ranked.at({0, 0}) == std::vector<GapSet>{list[0], list[0]});
    CHECK_THROWS_WITH_AS((void)ranked.at({list.size()}), doctest::Contains("ranks: got"), ConfigError);
  }
}

TEST_CASE("conditions that are none, and sinks that do not go together, are refused by name") {
  struct Bad {
    std::string where, message;
  };
  for (const auto& bad :
       {Bad{"wolf < 0", "at character 1: a name is"}, Bad{"wilf < ", "expected a term"},
        Bad{"wilf < 0 and", "expected a term"}, Bad{"wilf < e nor g = 3", "'and', 'or' or the end"},
        Bad{"3", "expected one of <="}, Bad{"99999999999999999*g < 0", "coefficients below"}}) {
    CAPTURE(bad.where);
    CHECK_THROWS_WITH_AS(Enumeration(selecting(9, bad.where), onCpu()),
                         doctest::Contains(bad.message.c_str()), ConfigError);
  }
  std::string many = "g = 1";
  for (int i = 0; i < kMaximumConditions; ++i) many += " or g = 1";
  CHECK_THROWS_WITH_AS(Enumeration(selecting(9, many), onCpu()), doctest::Contains("at most 8 conditions"),
                       ConfigError);
  Request request = selecting(9, {}, SinkKind::any);
  CHECK_THROWS_WITH_AS(Enumeration(request, onCpu()), doctest::Contains("sink: got"), ConfigError);
  request = selecting(9, {}, SinkKind::first);
  CHECK_THROWS_WITH_AS(Enumeration(request, onCpu()), doctest::Contains("first:K"), ConfigError);
  request.firstCount = 3;
  request.shards = 2;
  CHECK_THROWS_WITH_AS(Enumeration(request, onCpu()), doctest::Contains("shards: got"), ConfigError);
  request = selecting(9);
  request.frobenius = 9;
  CHECK_THROWS_WITH_AS(Enumeration(request, onCpu()), doctest::Contains("frobenius: got"), ConfigError);
  request = selecting(9, {}, SinkKind::count);
  request.also = Statistic::multiplicity;
  CHECK_THROWS_WITH_AS(Enumeration(request, onCpu()), doctest::Contains("two different"), ConfigError);
  request.also.reset();
  request.by = Statistic::wilf;
  CHECK_THROWS_WITH_AS(Enumeration(request, onCpu()), doctest::Contains("by: got wilf"), ConfigError);
}
