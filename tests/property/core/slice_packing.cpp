// Slices as checkpoints store them: whatever turns and splits a slice has been through, packed and unpacked
// it has the same work left, board for board and node for node; and bytes that no slice packs to are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "runtime/core/slice_packing.hpp"
#include "runtime/io/block_codec.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "slicepool/three_in_line/steps/search.hpp"
#include "support/interval_workload.hpp"
#include "support/lattice/driver.hpp"
#include "support/lattice/instances.hpp"
#include "support/scale.hpp"
#include "support/three_in_line/driver.hpp"

using namespace slicepool;

namespace {

using Slice = std::vector<std::byte>;

Slice packedAndUnpacked(const Problem& problem, const Slice& slice) {
  Slice packed;
  problem.packSlice(slice.data(), packed);
  Slice unpacked(problem.sliceBytes());
  REQUIRE(problem.unpackSlice(packed, unpacked.data()));
  // Once more, it is the same for good.
  Slice again;
  problem.packSlice(unpacked.data(), again);
  CHECK(again == packed);
  return unpacked;
}

/// Random turns and splits; every slice on the way is replaced by what it unpacks to, and looked at first.
template <class Driver>
void runPacked(const Problem& problem, Driver& driver, std::mt19937_64& random, std::uint64_t mostSteps,
               const std::function<void(const Slice&, const Slice&)>& compare) {
  std::vector<Slice> waiting = driver.roots();
  while (!waiting.empty()) {
    std::swap(waiting[random() % waiting.size()], waiting.back());
    Slice unpacked = packedAndUnpacked(problem, waiting.back());
    compare(waiting.back(), unpacked);
    waiting.back() = std::move(unpacked);
    Slice given(problem.sliceBytes());
    if (random() % 4 == 0) {
      if (problem.split(waiting.back().data(), given.data())) waiting.push_back(std::move(given));
    } else if (driver.turn(waiting.back(), random() % mostSteps) == Turn::exhausted) {
      waiting.pop_back();
    }
  }
}

template <class Shape>
void compareBoards(const Slice& before, const Slice& after) {
  using three_in_line::SearchSlice;
  SearchSlice<Shape> a;
  SearchSlice<Shape> b;
  REQUIRE(before.size() == sizeof a);
  std::memcpy(&a, before.data(), sizeof a);
  std::memcpy(&b, after.data(), sizeof b);
  CHECK(b.bottom == 0);
  REQUIRE(b.top == a.top - a.bottom);
  for (std::uint32_t i = 0; i < b.top; ++i) {
    const auto& was = a.pending[a.bottom + i];
    const auto& is = b.pending[i];
    CHECK(std::equal(std::begin(was.on.words), std::end(was.on.words), std::begin(is.on.words)));
    CHECK(std::equal(std::begin(was.off.words), std::end(was.off.words), std::begin(is.off.words)));
    REQUIRE(was.branch.bits == is.branch.bits);
    const int points = is.branch.points();
    CHECK(std::set<int>(a.points, a.points + points) == std::set<int>(b.points, b.points + points));
  }
}

template <class Shape>
void checkGrid(int n, three_in_line::Group group, three_in_line::Algorithm algorithm, std::uint64_t seed) {
  CAPTURE(n);
  CAPTURE(static_cast<int>(group));
  three_in_line::ProblemSpec spec;
  spec.n = n;
  spec.group = group;
  spec.algorithm = algorithm;
  spec.collect = true;
  const auto problem = makeProblem(spec);
  test::ThreeInLineDriver whole(*problem);
  whole.runWhole();
  std::mt19937_64 random(seed);
  for (const bool fast : {false, true}) {
    test::ThreeInLineDriver pieces(*problem, fast, 2);
    runPacked(*problem, pieces, random, 40, compareBoards<Shape>);
    REQUIRE(pieces.words() == whole.words());
    REQUIRE(pieces.solutionSet() == whole.solutionSet());
    REQUIRE(pieces.steps() == whole.steps());
  }
}

}  // namespace

TEST_CASE(
    "no-three-in-line: packed slices have the same boards, and a search that lives on them is the same") {
  using namespace three_in_line;
  for (const Group group : {Group::none, Group::c2, Group::diagonal}) {
    checkGrid<Packed<1>>(2, group, Algorithm::table, 1);
    checkGrid<Packed<2>>(3, group, Algorithm::table, 2);
    checkGrid<Packed<2>>(4, group, Algorithm::posts, 3);
    checkGrid<Packed<3>>(6, group, Algorithm::table, 4);
    checkGrid<Packed<4>>(7, group, Algorithm::posts, 5);
    checkGrid<Packed<4>>(8, group, Algorithm::table, 6);
    checkGrid<Packed<5>>(9, group, Algorithm::table, 7);
  }
}

TEST_CASE("no-three-in-line: slices of grids of every size are what they were") {
  using namespace three_in_line;
  const auto look = [](int n, auto shape, Algorithm algorithm) {
    CAPTURE(n);
    ProblemSpec spec;
    spec.n = n;
    spec.algorithm = algorithm;
    const auto problem = makeProblem(spec);
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    test::ThreeInLineDriver driver(*problem, n % 2 == 0, 4);
    std::vector<Slice> waiting = driver.roots();
    for (std::size_t round = 0; round < test::scaled(200) && !waiting.empty(); ++round) {
      std::swap(waiting[random() % waiting.size()], waiting.back());
      const Slice unpacked = packedAndUnpacked(*problem, waiting.back());
      compareBoards<decltype(shape)>(waiting.back(), unpacked);
      Slice given(problem->sliceBytes());
      if (problem->split(waiting.back().data(), given.data())) waiting.push_back(given);
      if (driver.turn(waiting.back(), random() % 60) == Turn::exhausted) waiting.pop_back();
    }
  };
  look(10, Packed<5>{}, Algorithm::table);
  look(11, Packed<6>{}, Algorithm::posts);
  look(13, Packed<7>{}, Algorithm::table);
  look(15, Packed<8>{}, Algorithm::table);
  look(16, Packed<8>{}, Algorithm::posts);
}

TEST_CASE("lattices: packed slices have the same bytes, and a search that lives on them is the same") {
  using namespace lattice;
  for (std::uint64_t seed = 0; seed < test::scaled(40); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const int dimension = 1 + static_cast<int>(random() % (seed % 8 == 0 ? 160 : 40));
    CAPTURE(dimension);
    ProblemSpec spec = test::randomLattice(random, dimension, 2000, seed % 3 == 0);
    spec.collect = true;
    const auto problem = makeProblem(spec);
    test::LatticeDriver whole(*problem, dimension);
    whole.runWhole();
    for (const bool fast : {false, true}) {
      test::LatticeDriver pieces(*problem, dimension, fast, 2);
      runPacked(*problem, pieces, random, 40, [&](const Slice& before, const Slice& after) {
        std::int16_t level = 0;
        std::memcpy(&level, before.data(), sizeof level);
        const auto used = static_cast<std::ptrdiff_t>(4 * sizeof level) + 4 * (dimension - level);
        CHECK(std::equal(before.begin(), before.begin() + used, after.begin()));
      });
      REQUIRE(pieces.levels() == whole.levels());
      REQUIRE(pieces.vectorSet() == whole.vectorSet());
      REQUIRE(pieces.steps == whole.steps);
    }
  }
}

TEST_CASE("many slices in one block: the same set comes out, and no other block is taken for it") {
  const TypedProblem<test::IntervalWorkload, Count> problem({1, true}, {{0, 1000}}, {});
  std::mt19937_64 random(7);
  std::vector<test::IntervalWorkload::Slice> slices;
  for (int i = 0; i < 500; ++i) slices.push_back({random() % 1000, 1000 + random() % 1000});
  const auto bytes = std::as_bytes(std::span(slices));
  for (const Problem* by : {static_cast<const Problem*>(&problem), static_cast<const Problem*>(nullptr)}) {
    const auto packed = packSlices(by, sizeof slices[0], bytes);
    std::vector<test::IntervalWorkload::Slice> read(slices.size());
    REQUIRE(unpackSlices(by, sizeof slices[0], packed, std::as_writable_bytes(std::span(read))));
    const auto order = [](const auto& a, const auto& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    };
    auto expected = slices;
    std::sort(expected.begin(), expected.end(), order);
    std::sort(read.begin(), read.end(), order);
    for (std::size_t i = 0; i < read.size(); ++i) {
      CHECK(read[i].begin == expected[i].begin);
      CHECK(read[i].end == expected[i].end);
    }
    // One slice more or less, and cut anywhere.
    read.resize(slices.size() + 1);
    CHECK_FALSE(unpackSlices(by, sizeof slices[0], packed, std::as_writable_bytes(std::span(read))));
    read.resize(slices.size() - 1);
    CHECK_FALSE(unpackSlices(by, sizeof slices[0], packed, std::as_writable_bytes(std::span(read))));
    read.resize(slices.size());
    for (std::size_t cut = 0; cut < packed.size(); cut += 1 + random() % 40) {
      CHECK_FALSE(unpackSlices(by, sizeof slices[0], std::span(packed).first(cut),
                               std::as_writable_bytes(std::span(read))));
    }
  }
}

TEST_CASE("bytes that are no slice are refused or harmless, never read past") {
  using namespace three_in_line;
  ProblemSpec spec;
  spec.n = 10;
  const auto problem = makeProblem(spec);
  std::mt19937_64 random(11);
  test::ThreeInLineDriver driver(*problem);
  Slice slice = driver.roots().front();
  (void)driver.turn(slice, 2000);
  Slice packed;
  problem->packSlice(slice.data(), packed);
  std::size_t refused = 0;
  for (std::size_t round = 0; round < test::scaled(2000); ++round) {
    Slice damaged = packed;
    damaged.resize(random() % (packed.size() + 4));
    if (!damaged.empty()) damaged[random() % damaged.size()] ^= static_cast<std::byte>(1U << random() % 8);
    Slice into(problem->sliceBytes());
    refused += problem->unpackSlice(damaged, into.data()) ? 0 : 1;
  }
  CHECK(refused > test::scaled(1000));
}

TEST_CASE("slices of a search of 15 x 15: how small and how fast" * doctest::skip()) {
  using namespace three_in_line;
  ProblemSpec spec;
  spec.n = 15;
  spec.roots = frontier(spec, 2048).roots;
  const auto problem = makeProblem(spec);
  const std::size_t bytes = problem->sliceBytes();
  test::ThreeInLineDriver driver(*problem, true);
  std::vector<Slice> slices = driver.roots();
  std::mt19937_64 random(3);
  while (slices.size() < 100'000) {
    const std::size_t before = slices.size();
    for (std::size_t i = 0; i < before && slices.size() < 100'000; ++i) {
      Slice given(bytes);
      if (problem->split(slices[i].data(), given.data())) slices.push_back(std::move(given));
      Slice next = slices[i];
      if (driver.turn(next, 10 + random() % 20) != Turn::exhausted) slices[i] = std::move(next);
    }
  }
  Slice all;
  for (const Slice& slice : slices) all.insert(all.end(), slice.begin(), slice.end());
  const auto begin = std::chrono::steady_clock::now();
  const auto packed = packSlices(problem.get(), bytes, all);
  const auto middle = std::chrono::steady_clock::now();
  Slice unpacked(all.size());
  REQUIRE(unpackSlices(problem.get(), bytes, packed, unpacked));
  const auto end = std::chrono::steady_clock::now();
  const auto small = compressed(packed, availableCompression());
  MESSAGE(slices.size() << " slices of " << bytes << " bytes: " << packed.size() << " bytes packed, "
                        << small.size() << " compressed; packed in "
                        << std::chrono::duration<double>(middle - begin).count() << " s, unpacked in "
                        << std::chrono::duration<double>(end - middle).count() << " s by one thread");
}
