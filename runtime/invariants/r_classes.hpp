// R-classes of an element by membership alone. Called by presentation.cpp and enumeration.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "slicepool/invariants/numerical_semigroup.hpp"

namespace slicepool::invariants {

/// The generators that occur in factorizations of `n` over `generators`, by R-class: indices, ascending. They
/// generate `semigroup`. Empty for n = 0. O(d^2).
[[nodiscard]] std::vector<std::vector<std::size_t>> rClassesOf(const NumericalSemigroup& semigroup,
                                                               const std::vector<std::uint64_t>& generators,
                                                               std::uint64_t n);

/// A factorization of least length in an R-class, by the least lengths of 0 .. n over `generators`. Every
/// factorization with a generator of the class is in the class.
[[nodiscard]] Factorization shortestOf(const std::vector<std::uint64_t>& generators,
                                       const std::vector<std::uint32_t>& least, std::uint64_t n,
                                       const std::vector<std::size_t>& members);

}  // namespace slicepool::invariants
