// How roots are cut before a run: as many slices as its workers need, none lost, and rows in their order.
#include "runtime/core/seeding.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/interval_workload.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

using Slice = IntervalWorkload::Slice;

/// The integers of an interval, which have rows at their places.
struct SeededRows : IntervalWorkload {
  static RankRange ranks(const View&, const Slice& slice) { return {slice.begin, slice.end}; }
};

/// The slices in the order in which they come; checks that they are the roots, cut.
template <class Workload>
std::vector<Slice> seeded(const TypedProblem<Workload, Count>& problem, std::uint64_t n, Seeding seeding) {
  std::vector<std::byte> bytes = problem.roots();
  const std::uint64_t splits = seedSlices(problem, seeding, bytes);
  std::vector<Slice> slices(bytes.size() / sizeof(Slice));
  if (!bytes.empty()) std::memcpy(slices.data(), bytes.data(), bytes.size());
  CHECK(slices.size() == problem.roots().size() / sizeof(Slice) + splits);
  std::vector<Slice> sorted = slices;
  std::sort(sorted.begin(), sorted.end(), [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
  std::uint64_t next = 0;
  for (const Slice& slice : sorted) {
    CHECK(slice.begin == next);
    CHECK(slice.end > slice.begin);
    next = slice.end;
  }
  CHECK(next == n);
  return slices;
}

}  // namespace

TEST_CASE("there are slices for all workers, no more than half of the pool holds, and all of the search") {
  constexpr std::uint64_t kN = 100'000;
  for (const bool sized : {false, true}) {
    const TypedProblem<IntervalWorkload, Count> problem(IntervalWorkload::View{1, sized}, {{0, 10}, {10, kN}},
                                                        {});
    const auto count = [&](Seeding seeding) { return seeded(problem, kN, seeding).size(); };
    CHECK(count({Mode::cpu, 4, 0, 1U << 14}) == 32);
    CHECK(count({Mode::hybrid, 4, 0, 1U << 14}) == 256);
    CHECK(count({Mode::hybrid, 4, 2, 1U << 14}) == 512);
    CHECK(count({Mode::gpu, 4, 1, 1U << 14}) == 512);
    CHECK(count({Mode::gpu, 4, 3, 1U << 14}) == 1536);
    CHECK(count({Mode::gpu, 4, 3, 100}) == 50);
    CHECK(count({Mode::gpu, 4, 3, 1}) == 2);  // the roots, as they are
  }
}

TEST_CASE("the largest slice is cut first, and slices that cannot be cut stay") {
  const TypedProblem<IntervalWorkload, Count> problem(IntervalWorkload::View{1, true}, {{0, 10}, {10, 1034}},
                                                      {});
  const std::vector<Slice> slices = seeded(problem, 1034, {Mode::cpu, 4, 0, 66});
  CHECK(slices.size() == 32);
  for (const Slice& slice : slices) CHECK(slice.end - slice.begin <= 64);
  CHECK(slices.front().end == 10);
  const TypedProblem<IntervalWorkload, Count> small(IntervalWorkload::View{1, true}, {{0, 5}}, {});
  CHECK(seeded(small, 5, {Mode::gpu, 4, 1, 1U << 14}).size() == 5);
}

TEST_CASE("slices with rows are in the order of their ranks, and as many as their bytes want") {
  constexpr std::uint64_t kN = 1'000'000;
  ProblemTraits traits;
  traits.places = {nullptr, {0, kN}, 64 << 10};  // 61 GiB: they are not written here
  const TypedProblem<SeededRows, Count> problem(IntervalWorkload::View{1, true}, {{0, kN}}, traits);
  const std::vector<Slice> slices = seeded(problem, kN, {Mode::gpu, 4, 1, 1U << 14});
  CHECK(slices.size() == 3906);  // 16 MiB each
  CHECK(std::is_sorted(slices.begin(), slices.end(),
                       [](const Slice& a, const Slice& b) { return a.begin < b.begin; }));
  CHECK(seeded(problem, kN, {Mode::cpu, 4, 0, 1U << 14}).size() == 32);
}

TEST_CASE("CPU workers that take small slices one after the other write rows far apart") {
  constexpr std::uint64_t kN = 1'000'000;
  ProblemTraits traits;
  traits.places = {nullptr, {0, kN}, 64};
  const TypedProblem<SeededRows, Count> problem(IntervalWorkload::View{1, true}, {{0, kN}}, traits);
  const auto isSorted = [](const std::vector<Slice>& slices) {
    return std::is_sorted(slices.begin(), slices.end(),
                          [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
  };
  for (const Mode mode : {Mode::cpu, Mode::hybrid}) {
    const std::vector<Slice> slices = seeded(problem, kN, {mode, 5, 1, 1U << 14});
    for (std::size_t i = 0; i + 5 < slices.size(); i += 5)
      for (std::size_t k = i + 1; k < i + 5; ++k) CHECK(slices[k].begin - slices[k - 1].begin > kN / 6);
    CHECK(isSorted({slices.begin(), slices.begin() + 5}));
  }
  CHECK(isSorted(seeded(problem, kN, {Mode::gpu, 5, 1, 1U << 14})));
  CHECK(isSorted(seeded(problem, kN, {Mode::hybrid, 1, 1, 1U << 14})));
  // Large ones are far apart anyhow.
  traits.places.rowBytes = 64 << 10;
  const TypedProblem<SeededRows, Count> large(IntervalWorkload::View{1, true}, {{0, kN}}, traits);
  CHECK(isSorted(seeded(large, kN, {Mode::hybrid, 5, 1, 1U << 14})));
}
