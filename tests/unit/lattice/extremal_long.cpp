// Theta series of extremal lattices whose searches take seconds to a minute: the Leech lattice up to its
// second term, and P48p, which has no vector of norm 2 or 4.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/lattice/front.hpp"
#include "support/lattice/modular_forms.hpp"

using namespace slicepool;

namespace {

using ThetaTerms = std::vector<std::pair<std::string, std::uint64_t>>;

ThetaTerms thetaUpTo(const std::string& file, std::int64_t radius) {
  lattice::Request request = test::latticeRequest(file, lattice::SquaredRadius(std::to_string(radius)));
  request.theta = true;
  return test::runLattice(request).thetaSeries;
}

}  // namespace

TEST_CASE("the Leech lattice has the first terms of the extremal form of weight 12") {
  const test::PowerSeries form = test::extremalForm(24, 4);
  CHECK(thetaUpTo("leech.txt", 48) == ThetaTerms{{"0", 1},
                                                 {"32", static_cast<std::uint64_t>(form[2])},
                                                 {"48", static_cast<std::uint64_t>(form[3])}});
}

TEST_CASE("P48p has no vector of norm 2 or 4, by a search of 750 million nodes") {
  // Coordinates are those of the lattice times 2 sqrt 3.
  CHECK(thetaUpTo("p48p.txt", 4 * 12) == ThetaTerms{{"0", 1}});
}
