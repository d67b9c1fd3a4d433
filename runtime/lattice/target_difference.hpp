// The exact difference between a target and the vectors of a lattice whose numbers fit 64 bits. Used by
// one_target.cpp, one object a thread.
//
// A target is t = p / q. With the vector w that is taken away first and any other one, w + z, the squared
// distance is q^2 |w + z - t|^2 = q^2 |z|^2 - 2 q <z, u> + |u|^2 with u = p - q w, in integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu_workers/lattice/search.hpp"
#include "runtime/lattice/shortest_kept.hpp"
#include "runtime/lattice/target_input.hpp"
#include "runtime/lattice/target_lattice.hpp"

namespace slicepool::lattice {

class TargetDifference {
 public:
  /// What u consists of.
  enum class Numbers : std::uint8_t {
    narrow,  ///< 64 bits, and norms of less than 2^120: sums on the way wrap, and come out right
    wide     ///< big integers
  };

  /// w = 0. `lattice` and `target` must outlive what follows. False where numbers are too large.
  [[nodiscard]] bool start(const MachineLattice& lattice, const Target& target, Numbers numbers);
  /// w += sum_i x_i b_i for integers x. False where numbers become too large.
  [[nodiscard]] bool takeAway(const std::vector<double>& x);
  /// Of t - w, with an error of 2^-51 of it.
  [[nodiscard]] double coordinate(std::size_t j) const;
  /// No more is taken away. False where norms are too large.
  [[nodiscard]] bool settle();
  /// q^2 |w - t|^2; vector() is w.
  [[nodiscard]] const Integer& squaredDistance() const { return squared_; }

  /// Makes w + z for the coefficients of z that a search stands at. Its squared distance, times q^2, where
  /// that is not larger than q^2 times 2^120, or narrow numbers allow.
  [[nodiscard]] Integer make(const FastSearch& found);
  /// Likewise for x_0 .. x_{d-1}.
  [[nodiscard]] Integer make(const std::int16_t* coefficients);
  /// What was made last, below 2^62.
  [[nodiscard]] const std::vector<std::int64_t>& vector() const { return made_; }
  /// Whether squared distances up to this one, of vectors z up to this length, are within the limits.
  [[nodiscard]] bool holds(double squaredDistance, double length) const;

 private:
  [[nodiscard]] bool isNarrow() const { return numbers_ == Numbers::narrow; }
  template <class Coefficient>
  Integer makeBy(const Coefficient& coefficient);

  const MachineLattice* lattice_ = nullptr;
  const Target* target_ = nullptr;
  Numbers numbers_ = Numbers::narrow;
  double denominator_ = 1;
  std::int64_t narrowDenominator_ = 1;
  std::vector<std::int64_t> taken_;        ///< w
  std::vector<std::int64_t> numerators_;   ///< p, narrow
  std::vector<std::int64_t> narrow_;       ///< u
  std::vector<std::int64_t> narrowImage_;  ///< u times the metric
  std::vector<Integer> wideTaken_;         ///< w, until it is settled
  std::vector<Integer> wide_;              ///< u
  std::vector<Integer> wideImage_;
  Integer squared_;  ///< |u|^2
  WideNorm narrowSquared_ = 0;
  std::vector<std::uint64_t> sums_;
  std::vector<std::int64_t> made_;
};

}  // namespace slicepool::lattice
