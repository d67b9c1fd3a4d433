// Source points of generators: a smallest set of points from which all points can be reached. The certificate
// of exactness (slicepool/semigroup/steps/check.hpp) needs them in the base. Called by the explorer.
#pragma once

#include <vector>

#include "runtime/semigroup/generators.hpp"

namespace slicepool::semigroup {

/// One point of each strongly connected component of the graph point -> image that no other component leads
/// into, in increasing order. O(n |G|).
[[nodiscard]] std::vector<Image> sourcePoints(const Generators& generators);

}  // namespace slicepool::semigroup
