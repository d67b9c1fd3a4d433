// Paths of the lattice search by warps: numbers of which they are made, without the conversion unit of a GPU,
// and how paths come out of slices and go into slices. Used by warp_search.hpp and compacted_search.hpp.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// An integer of fewer than 31 bits as a double, without the conversion unit.
SLICEPOOL_INLINE double exactDouble(int value) {
#if SLICEPOOL_ON_DEVICE
  return __hiloint2double(0x43300000, static_cast<int>(static_cast<unsigned>(value) ^ 0x80000000U)) -
         4503601774854144.0;  // 2^52 + 2^31
#else
  return value;
#endif
}

/// The choice nearest to a centre, by one addition.
SLICEPOOL_INLINE Choice nearestChoice(double centre) {
#if SLICEPOOL_ON_DEVICE
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
  const double shifted = centre + kShift;
  return {static_cast<std::int16_t>(__double2loint(shifted)),
          static_cast<std::int16_t>(centre < shifted - kShift ? -1 : 1)};
#else
  return Choice::first(centre);
#endif
}

/// The first choice below a node. Only the zero path has the norm 0.
SLICEPOOL_INLINE Choice firstChoice(double norm, double centre) {
  return norm == 0 ? Choice{0, Choice::kUpwards} : nearestChoice(centre);
}

/// Squared norm of a path with one coefficient more, whose Gram-Schmidt vector has the squared norm `norm`.
SLICEPOOL_INLINE double extendedNorm(double above, int coefficient, double centre, double norm) {
  const double distance = exactDouble(coefficient) - centre;
  return above + distance * distance * norm;
}

/// What follows from the path of a slice; kept beside slices that the same device wrote, because computing it
/// takes d^2 operations. A centre that is not a number: unknown.
struct PathState {
  double norm;
  double centre;
};

/// Centres of all levels of a slice's path: centres[k] for level k. All lanes call.
template <class Lanes, class Slice>
SLICEPOOL_HD inline void findCentres(const SearchView& view, const Slice& slice, double* centres) {
  const int d = view.dimension;
  Lanes::sync();
  Lanes::all([&](int lane, int) {
    for (int k = slice.level + lane; k < d; k += kWarpSize) {
      double sum = 0;
      SLICEPOOL_NO_UNROLL
      for (int j = d - 1; j > k; --j)
        sum -= slice.path[d - 1 - j].coefficient * view.rows[j * view.stride + k];
      centres[k] = sum;
    }
  });
  Lanes::sync();
}

/// The accepted coefficients of a node as the path of a slice: coefficient(i) for i < length, from x_{d-1}
/// on. Their siblings are not the slice's, but the zero path goes upwards only. All lanes call.
template <class Lanes, class Slice, class Coefficient>
SLICEPOOL_HD inline void writePath(Slice& slice, int length, Coefficient&& coefficient) {
  bool zeroAbove = true;
  for (int from = 0; from < length; from += kWarpSize) {
    typename Lanes::template Per<int> own;
    typename Lanes::template Per<bool> other;
    Lanes::all([&](int lane, int held) {
      const int i = from + lane;
      own[held] = i < length ? coefficient(i) : 0;
      other[held] = own[held] != 0;
    });
    const std::uint32_t others = Lanes::ballot(other);
    Lanes::all([&](int lane, int held) {
      if (from + lane >= length) return;
      const bool upwards = zeroAbove && bitsBelow(others, lane) == 0;
      slice.path[from + lane] = {static_cast<std::int16_t>(own[held]),
                                 upwards ? Choice::kUpwards : std::int16_t{1}};
    });
    zeroAbove = zeroAbove && others == 0;
  }
}

}  // namespace slicepool::lattice
