// The vocabulary of the lattice workload: all vectors of a lattice, up to sign, within a radius. Used by the
// step functions, the runtime and the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slicepool/core/platform.hpp"

namespace slicepool::lattice {

/// Largest dimension of a basis.
inline constexpr int kMaximumDimension = 160;

/// Greatest absolute value of a coefficient; makeProblem refuses a search that might need greater ones. A
/// step to a sibling (search.hpp) is at most twice as long and must fit 16 bits.
inline constexpr int kMaximumCoefficient = 16000;

/// How the tree is searched. The nodes visited at a fixed radius are the same.
enum class Algorithm : std::uint8_t {
  automatic,  ///< node budgets through the pool
  compacted   ///< on devices as Pohmann, Stevens and Zumbraegel's GPU program (compacted_search.hpp)
};

/// Levels that a slice or a result of this dimension has room for. Few of them, so that there are few
/// instantiations.
SLICEPOOL_INLINE constexpr int capacityOf(int dimension) {
  return dimension <= 16 ? 16 : dimension <= 32 ? 32 : dimension <= 64 ? 64 : dimension <= 96 ? 96 : 160;
}

/// A lattice vector sum_i coefficients[i] b_i within the radius. Of v and -v it is the one whose last
/// coefficient other than zero is positive. The sink buffers it in this form: results of dimension d are
/// ShortVector<capacityOf(d)>, and coefficients from d on are zero. The norm is floating point, good to about
/// 1e-12; the integer basis gives the exact one.
template <int kCapacity>
struct ShortVector {
  double squaredNorm;
  std::int16_t coefficients[kCapacity];
};

/// Bytes of one buffered result, which is `double squaredNorm` and then int16_t coefficients.
constexpr std::size_t shortVectorBytes(int dimension) {
  return sizeof(double) + static_cast<std::size_t>(capacityOf(dimension)) * sizeof(std::int16_t);
}
static_assert(sizeof(ShortVector<16>) == shortVectorBytes(9) &&
              sizeof(ShortVector<160>) == shortVectorBytes(160));

/// A node to start a search from: the subtree of the choice x_level .. x_{d-1}, that node itself included.
/// Where all these are zero, only one of each pair of opposite vectors below is searched, as in the whole.
struct RootPrefix {
  int level = 0;                           ///< 0 .. d-1
  std::vector<std::int16_t> coefficients;  ///< x_level, .., x_{d-1}
};

}  // namespace slicepool::lattice
