// The tree of numerical semigroups on a GPU against the CPU: counts by genus and multiplicity, and steps,
// must be the same whatever visits the semigroups.
#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

#include "gpu/numerical_semigroups/runs.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "support/gpu.hpp"
#include "support/numerical_semigroups/oracle.hpp"

using namespace slicepool;
using namespace slicepool::numerical_semigroups;

namespace {

Outcome genusOn(Mode mode, int genus, int multiplicity, Statistic by = Statistic::multiplicity) {
  Request request;
  request.genus = genus;
  request.multiplicity = multiplicity;
  request.by = by;
  return test::semigroupsOn(mode, request);
}

}  // namespace

TEST_CASE("numerical semigroups: a GPU, alone and beside the CPU, counts what the CPU counts") {
  if (!test::gpuUsable()) return;
  struct Case {
    int genus, multiplicity;
  };
  // The last one has windows of two words. Those of multiplicity 4 and 63 are narrow to genus 67.
  for (const auto& shape :
       {Case{3, 0}, Case{12, 0}, Case{30, 0}, Case{60, 5}, Case{67, 4}, Case{67, 63}, Case{70, 4}}) {
    CAPTURE(shape.genus);
    const Outcome onCpu = genusOn(Mode::cpu, shape.genus, shape.multiplicity);
    if (shape.multiplicity == 0)
      CHECK(onCpu.findings.byGenus.back() ==
            test::publishedGenusCounts().at(static_cast<std::size_t>(shape.genus)));
    for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
      CAPTURE(shape.multiplicity);
      const Outcome other = genusOn(mode, shape.genus, shape.multiplicity);
      CHECK(other.findings == onCpu.findings);
      CHECK(other.run.steps == onCpu.run.steps);
    }
  }
}

TEST_CASE("numerical semigroups: a GPU computes the statistics of the CPU, in as many steps") {
  if (!test::gpuUsable()) return;
  for (const Statistic by : {Statistic::second, Statistic::embeddingDimension, Statistic::type,
                             Statistic::frobenius, Statistic::depth, Statistic::children}) {
    CAPTURE(static_cast<int>(by));
    // The last one has windows of two words.
    for (const auto& one : {std::pair{3, 0}, {12, 0}, {25, 0}, {63, 4}, {70, 4}}) {
      const int genus = one.first;
      const int multiplicity = one.second;
      CAPTURE(genus);
      const Outcome onCpu = genusOn(Mode::cpu, genus, multiplicity, by);
      for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
        const Outcome other = genusOn(mode, genus, multiplicity, by);
        CHECK(other.findings == onCpu.findings);
        CHECK(other.run.steps == onCpu.run.steps);
      }
    }
  }
}

TEST_CASE("numerical semigroups: histograms of a GPU add up to the published numbers") {
  if (!test::gpuUsable()) return;
  // 30 is the last genus of the list; 38 has millions of visits for each thread's counters.
  for (const Statistic by : {Statistic::embeddingDimension, Statistic::type}) {
    CAPTURE(static_cast<int>(by));
    const auto& published = test::publishedGenusCounts();
    const Outcome statistic = genusOn(Mode::gpu, 38, 0, by);
    const Outcome counted = genusOn(Mode::gpu, 38, 0);
    CHECK(statistic.findings.byGenus == counted.findings.byGenus);
    for (std::size_t genus = 1; genus <= 30; ++genus)
      CHECK(statistic.findings.byGenus.at(genus) == published.at(genus));
  }
}
