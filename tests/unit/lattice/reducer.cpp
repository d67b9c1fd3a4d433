// Lattices that are reduced in groups, as a GPU reduces them: by the emulator, alone and in a search of many.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/lattice/device_groups.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/many_lattices.hpp"
#include "slicepool/lattice/steps/warp_reduction.hpp"
#include "support/lattice/reducer_groups.hpp"
#include "support/scale.hpp"
#include "support/text.hpp"

namespace {
namespace reducer_test {

using namespace slicepool;
using namespace slicepool::lattice;

TEST_CASE("a reducer makes reduced bases of the same lattices, of more rows than a warp has lanes as well") {
  test::ReducerGroup group = test::reducerGroup(11, test::scaled(40), WarpReductionShape::kMaximumRows);
  makeEmulatedReducer()->reduce(group.entries, group.items);
  group.check();
}

struct Reducedness {
  double insertion = 2;  ///< least |the part of b_i orthogonal to b_1 .. b_(k-1)|^2 / |b*_k|^2 over all k < i
  double coefficient = 0;  ///< greatest |mu_ik|
};

Reducedness reducedness(const std::int32_t* rows, int d) {
  const auto at = [d](int i, int j) { return static_cast<std::size_t>(i * d + j); };
  std::vector<double> r(static_cast<std::size_t>(d) * static_cast<std::size_t>(d));
  std::vector<double> norms;
  Reducedness found;
  for (int i = 0; i < d; ++i) {
    double rest = 0;
    for (int j = 0; j < d; ++j) rest += static_cast<double>(rows[at(i, j)]) * rows[at(i, j)];
    for (int k = 0; k < i; ++k) {
      found.insertion = std::min(found.insertion, rest / norms[static_cast<std::size_t>(k)]);
      double product = 0;
      for (int j = 0; j < d; ++j) product += static_cast<double>(rows[at(i, j)]) * rows[at(k, j)];
      for (int j = 0; j < k; ++j) product -= r[at(i, j)] * r[at(k, j)] / norms[static_cast<std::size_t>(j)];
      r[at(i, k)] = product;
      rest -= product * product / norms[static_cast<std::size_t>(k)];
      found.coefficient = std::max(found.coefficient, std::abs(product) / norms[static_cast<std::size_t>(k)]);
    }
    norms.push_back(rest);
  }
  return found;
}

TEST_CASE("a reducer leaves no row that a deep insertion would shorten by much, and no large coefficient") {
  std::mt19937_64 random(14);
  const auto emulated = makeEmulatedReducer();
  for (const int d : {16, 31, 32, 33, 40, 44}) {
    CAPTURE(d);
    const double gain = d <= 32 ? 0.93 : 0.99;
    test::ReducerGroup group;
    for (std::size_t i = 0; i < test::scaled(4); ++i) group.add(random, d, 1009);
    emulated->reduce(group.entries, group.items);
    group.check();
    for (std::size_t i = 0; i < group.items.size(); ++i) {
      const Reducedness found = reducedness(group.row(i, 0), d);
      CHECK(found.insertion > gain - 1e-6);
      CHECK(found.coefficient < 0.502);
    }
  }
}

TEST_CASE("a reducer takes lattices with more columns than rows") {
  std::mt19937_64 random(15);
  for (const int d : {13, 31, 33, 60}) {
    CAPTURE(d);
    test::ReducerGroup group;
    group.add(random, d, 1009);
    std::vector<std::int32_t> twice;
    for (int i = 0; i < d; ++i)
      for (int copy = 0; copy < 2; ++copy) twice.insert(twice.end(), group.row(0, i), group.row(0, i) + d);
    std::vector<ReducerItem> item = {{0, static_cast<std::int16_t>(d), static_cast<std::int16_t>(2 * d)}};
    makeEmulatedReducer()->reduce(twice, item);
    REQUIRE(item[0].reduced == 1);
    for (int i = 0; i < d; ++i) {
      const auto row = twice.begin() + 2 * i * d;
      CHECK(std::equal(row, row + d, row + d));
      std::copy(row, row + d, group.entries.begin() + i * d);
    }
    group.items[0].reduced = 1;
    group.check();
  }
}

TEST_CASE("a reducer leaves what it cannot reduce as it was") {
  const auto emulated = makeEmulatedReducer();
  std::mt19937_64 random(12);
  test::ReducerGroup group;
  group.add(random, 16, 1009);
  group.add(random, 16, 1009);
  for (int j = 0; j < 16; ++j)
    group.entries[16 * 16 + 5 * 16 + j] = group.entries[16 * 16 + 4 * 16 + j];  // dependent
  group.add(random, 30, WarpReductionShape::kMaximumEntry - 35);  // multiples beyond what is exact
  const auto before = group.entries;
  emulated->reduce(group.entries, group.items);
  CHECK(group.items[0].reduced == 1);
  CHECK(group.items[1].reduced == 0);
  CHECK(std::equal(group.entries.begin() + 256, group.entries.begin() + 512, before.begin() + 256));
  if (group.items[2].reduced == 0)
    CHECK(std::equal(group.entries.begin() + 512, group.entries.end(), before.begin() + 512));
  else
    CHECK(group.determinant(2) == pow(Integer(group.lattices[2].q), 15U));
}

std::vector<GivenLattice> someLattices() {
  test::ReducerGroup group = test::reducerGroup(13, test::scaled(60), 34);
  std::vector<GivenLattice> lattices;
  for (std::size_t i = 0; i < group.items.size(); ++i) lattices.push_back(group.given(i));
  lattices.push_back({.rows = 2, .columns = 2, .entries = {1, 3, 3, -2}});
  lattices.push_back({.rows = 13, .columns = 13, .entries = std::vector<std::int64_t>(169, 1)});  // dependent
  lattices.push_back({.gram = true, .rows = 2, .columns = 2, .entries = {2, 1, 1, 2}});
  lattices.push_back({.text = "[[3 0] [0 4]]"});
  return lattices;
}

ManyOutcome outcomeIn(Mode mode, const SquaredRadius& radius, int threads) {
  ManyRequest request;
  request.lattices = someLattices();
  request.squaredRadius = radius;
  request.solutions = 5;
  EngineOptions options;
  options.mode = mode;
  options.threads = threads;
  ManyLattices many(request, options);
  many.run();
  return many.outcome();
}

TEST_CASE("lattices of more rows than a device makes deep insertions for are left to the cores") {
  std::mt19937_64 random(14);
  test::ReducerGroup group;
  group.add(random, 44, 1009);
  group.add(random, 45, 1009);
  EngineOptions options;
  options.mode = Mode::emulated;
  DeviceGroups devices(options, 1, 0, {});
  GivenLattice small = group.given(0);
  GivenLattice large = group.given(1);
  devices.reduce(std::vector{&small, &large}, 0);
  CHECK(small.reduced);
  CHECK_FALSE(large.reduced);
  CHECK(large.entries == group.given(1).entries);
}

TEST_CASE("many lattices have the same vectors when a device has reduced or searched them") {
  for (const SquaredRadius& radius : {SquaredRadius(), SquaredRadius(40.0)}) {
    const ManyOutcome expected = outcomeIn(Mode::cpu, radius, 1);
    CHECK(expected.reducedByDevice == 0);
    for (const int threads : {1, 3}) {
      const ManyOutcome outcome = outcomeIn(Mode::emulated, radius, threads);
      CHECK(outcome.reducedByDevice == expected.lattices - 4);
      CHECK(outcome.searchedByDevice == (radius.given() ? 0 : outcome.reducedByDevice));
      CHECK(outcome.failed == expected.failed);
      CHECK(outcome.run.warnings.empty());
      REQUIRE(outcome.answers.size() == expected.answers.size());
      for (std::size_t i = 0; i < expected.answers.size(); ++i) {
        const LatticeAnswer& a = outcome.answers[i];
        const LatticeAnswer& b = expected.answers[i];
        CAPTURE(i);
        CHECK(a.error == b.error);
        CHECK(a.count == b.count);
        REQUIRE(a.vectors.size() == b.vectors.size());
        for (std::size_t k = 0; k < b.vectors.size(); ++k) {
          CHECK(a.vectors[k].squaredNorm == b.vectors[k].squaredNorm);
          if (radius.given()) CHECK(a.vectors[k].vector == b.vectors[k].vector);
        }
      }
    }
  }
}

}  // namespace reducer_test
}  // namespace
