// Close vectors as short vectors: the lattice with one row more, the target, whose coefficient is 1 (R.
// Kannan 1987, with a coefficient that is fixed). Search, sinks, devices and checkpoints then know nothing of
// targets. Called by prepared_search.cpp, enumeration.cpp and tests.
//
// With t = p / q and the nearest plane's vector w, row d is w - t, and a coordinate of its own of height m,
// all of it times q. A vector sum_i x_i b_i + (w - t) has the squared norm q^2 |v - t|^2 + m^2 for v = w +
// sum_i x_i b_i: an integer. m is as large as the radius, so that it costs one bit of precision, and so large
// that the rows are reduced.
#pragma once

#include <string>
#include <vector>

#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/target_input.hpp"
#include "slicepool/lattice/squared_radius.hpp"

namespace slicepool::lattice {

/// The nearest plane of a target, and what the rest needs of it.
struct NearTarget {
  Integer denominator = 1;        ///< q
  std::vector<Integer> nearest;   ///< w, in the coordinates of the rows of the basis
  std::vector<Integer> products;  ///< q^2 <b_i, w - t>
  Integer squaredDistance = 0;    ///< q^2 |w - t|^2
};

/// As a double, also of numbers that one does not hold; at most 1e300. b > 0.
[[nodiscard]] double ratioOf(Integer a, Integer b);

/// `metric`: inner products of the coordinates, n * n; empty: the standard one. `basis` is reduced, in these
/// coordinates. O(d^3).
[[nodiscard]] NearTarget nearTarget(const IntegerBasis& basis, const std::vector<Integer>& metric,
                                    const Target& target);

/// The squared distance of the target from the span of the rows, in doubles; `data`: of `basis`. O(d^2).
[[nodiscard]] double distanceFromSpan(const NearTarget& near, const IntegerBasis& basis,
                                      const GramSchmidt& data);

struct TargetEmbedding {
  Integer denominator = 1;  ///< q
  Integer height = 0;       ///< m^2; 0: no target
  [[nodiscard]] bool given() const { return height != 0; }

  /// q^2 number + m^2.
  [[nodiscard]] SquaredRadius scaled(const SquaredRadius& number) const;
  /// (norm - m^2) / q^2, "7/4".
  [[nodiscard]] std::string distance(const Integer& norm) const;
};

/// The basis with the row of the target, whose entries are w, with its Gram matrix. `reach`: R^2; `lastNorm`:
/// that of the last Gram-Schmidt vector.
[[nodiscard]] IntegerBasis embedded(const IntegerBasis& basis, const NearTarget& near, double reach,
                                    double lastNorm, TargetEmbedding& embedding);

}  // namespace slicepool::lattice
