// Paths of the lattice search by warps: numbers of which they are made, without the conversion unit of a GPU,
// and how paths come out of slices and go into slices. Used by all searches by warps and by teams.
#pragma once

#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// Choice::step of an entry without siblings.
inline constexpr std::int16_t kNoSiblings = -32768;

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

/// The next choice of a slice as that of an entry.
template <class Slice>
SLICEPOOL_INLINE Choice pendingChoice(const SearchView& view, const Slice& slice) {
  Choice choice = slice.path[view.dimension - 1 - slice.level];
  if (slice.top < slice.level) choice.step = kNoSiblings;
  return choice;
}

/// Calls push(depth, choice, state) for each entry that a slice is: one for each depth with siblings.
/// `centres`: findCentres.
template <class Slice, class Push>
SLICEPOOL_INLINE void forEachEntry(const SearchView& view, const Slice& slice, const double* centres,
                                   Push&& push) {
  const int last = view.dimension - 1;
  double norm = 0;
  for (int k = last; k >= slice.level; --k) {
    const PathState state{norm, centres[k]};
    const Choice taken = slice.path[last - k];
    const bool pending = k == slice.level;
    if (pending || k <= slice.top) push(last - k, pending ? pendingChoice(view, slice) : taken.next(), state);
    norm = extendedNorm(norm, taken.coefficient, state.centre, view.norms[k]);
  }
}

/// Emits the vector of a path: coefficient(i) for i < d - 1, from x_{d-1} on, and x_0. False: it was refused.
template <int kCapacity, class Coefficient, class Emit>
SLICEPOOL_INLINE bool emitVector(const SearchView& view, Coefficient&& coefficient, int lowest, double norm,
                                 Emit& emit) {
  const int last = view.dimension - 1;
  ShortVector<kCapacity> found{};
  found.squaredNorm = norm;
  found.coefficients[0] = static_cast<std::int16_t>(lowest);
  SLICEPOOL_NO_UNROLL
  for (int k = 1; k <= last; ++k) found.coefficients[k] = static_cast<std::int16_t>(coefficient(last - k));
  changeBasis(view, view.change, found.coefficients);
  return emit(found);
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
