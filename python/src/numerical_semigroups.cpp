// The tree of numerical semigroups: ranked sets, and lists as arrays. Called by
// slicepool/_numerical_semigroups.py.
#include <cstdint>
#include <vector>

#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "gil.hpp"
#include "slicepool/numerical_semigroups/gap_set.hpp"
#include "slicepool/numerical_semigroups/ranked.hpp"

namespace nb = nanobind;

namespace slicepool::python {
namespace {

using namespace nb::literals;
using numerical_semigroups::GapSet;
using numerical_semigroups::RankedSemigroups;

/// The generators of the semigroups of these ranks, which ascend.
std::vector<std::vector<int>> generatorsAt(const RankedSemigroups& ranked,
                                           const std::vector<std::uint64_t>& ranks) {
  std::vector<std::vector<int>> rows;
  const GilReleased release;
  for (const GapSet& gaps : ranked.at(ranks)) rows.push_back(numerical_semigroups::generatorsOf(gaps));
  return rows;
}

}  // namespace

void bindNumericalSemigroups(nb::module_& module) {
  nb::class_<RankedSemigroups>(module, "RankedSemigroups")
      .def(nb::init<int, int>(), "genus"_a, "multiplicity"_a, nb::call_guard<GilReleased>())
      .def("count", &RankedSemigroups::count)
      .def("generators_at", generatorsAt, "ranks"_a);
}

}  // namespace slicepool::python
