// From coefficients to the lattice vector and its exact squared norm. Called for every solution that is
// reported or written, and by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

/// Vectors x B of one basis B. Entries below 2^38 in magnitude take the path in machine integers, which is
/// exact for all coefficients of 16 bits and kMaximumDimension rows; others that of big integers. Where
/// bounds on the sums show that floats are exact as well, which is so for reduced bases of small numbers,
/// these are used: four at a time. Norms of a basis with a Gram matrix come from the coefficients and the
/// Gram matrix of its rows, in machine integers where that is below 2^38. Not thread-safe: it has a buffer.
class VectorMaker {
 public:
  explicit VectorMaker(const IntegerBasis& basis);

  /// True when all vectors of 16-bit coefficients fit into 64-bit elements.
  [[nodiscard]] bool isNarrow() const { return narrow_; }
  [[nodiscard]] int columns() const { return basis_.columns; }

  /// Makes the vector of these coefficients (one for each row). O(d n).
  void make(std::span<const std::int16_t> coefficients);
  /// The vector made last, if isNarrow().
  [[nodiscard]] std::span<const std::int64_t> narrow() const { return vector_; }
  /// The vector made last, in any case.
  [[nodiscard]] std::vector<Integer> wide() const;
  /// Its squared norm. Exact.
  [[nodiscard]] Integer squaredNorm() const;
  /// The same rounded to double; exact below 2^53.
  [[nodiscard]] double roundedNorm() const;

 private:
  void prepareFloats();
  void makeInFloats(std::span<const std::int16_t> coefficients);
  void prepareGram();
  /// x G x of the coefficients of the vector made last; of `narrowGram_`.
  [[nodiscard]] unsigned __int128 narrowNorm() const;
  /// The same in any case.
  [[nodiscard]] Integer normByGram() const;

  const IntegerBasis& basis_;
  bool narrow_ = true;
  std::vector<std::int64_t> rows_;        ///< the entries, where they are narrow
  std::vector<std::int64_t> vector_;      ///< of the narrow path
  std::vector<Integer> wide_;             ///< of the other
  bool inFloats_ = false;                 ///< the vector made last
  int maximumForFloats_ = -1;             ///< coefficients up to which floats are exact
  std::size_t stride_ = 0;                ///< of rows of floats
  std::vector<float> floatRows_;          ///< the entries, columns filled up with zeros
  std::vector<float> floats_;             ///< the vector, likewise
  std::vector<std::int64_t> narrowGram_;  ///< the same below the diagonal doubled, where entries are narrow
  std::vector<std::int16_t> made_;        ///< with a Gram matrix: the coefficients of the vector made last
};

}  // namespace slicepool::lattice
