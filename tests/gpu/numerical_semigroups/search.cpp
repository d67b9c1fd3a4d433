// The tree of numerical semigroups on a GPU against the CPU: counts by genus and multiplicity, and steps,
// must be the same whatever visits the semigroups.
#include <doctest/doctest.h>

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
  // The last one has windows of two words.
  for (const auto& shape : {Case{3, 0}, Case{12, 0}, Case{30, 0}, Case{60, 5}, Case{70, 4}}) {
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

TEST_CASE("numerical semigroups: a GPU computes the statistics of the CPU") {
  if (!test::gpuUsable()) return;
  for (const Statistic by :
       {Statistic::embeddingDimension, Statistic::type, Statistic::frobenius, Statistic::depth}) {
    CAPTURE(static_cast<int>(by));
    CHECK(genusOn(Mode::gpu, 22, 0, by).findings == genusOn(Mode::cpu, 22, 0, by).findings);
    CHECK(genusOn(Mode::gpu, 70, 4, by).findings == genusOn(Mode::cpu, 70, 4, by).findings);
  }
}
