// How many vectors have which squared norm: the coefficients of a theta series. Called by the consumer of
// solutions, one object for each of its threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/lattice/vector_maker.hpp"

namespace slicepool::lattice {

class NormCounts {
 public:
  /// Of one norm, about.
  static constexpr std::size_t kBytesPerNorm = 64;

  /// Counts the vector that `maker` has made, whose norm rounds to `rounded`. True: the first one of this
  /// norm. O(1) for norms below 2^53, else O(log norms).
  bool add(const VectorMaker& maker, double rounded);
  void add(const Integer& norm, std::uint64_t vectors);
  void add(const NormCounts& other);

  [[nodiscard]] std::size_t size() const { return small_.size() + large_.size(); }
  /// Norms and the number of vectors of each, by norm. O(n log n).
  [[nodiscard]] std::vector<std::pair<Integer, std::uint64_t>> sorted() const;

  /// A line "norm vectors" for each, by norm.
  [[nodiscard]] std::string text() const;
  /// Throws CheckpointError for anything but such lines.
  static NormCounts parse(const std::string& text);

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> small_;  ///< norms below 2^53
  std::map<Integer, std::uint64_t> large_;
};

}  // namespace slicepool::lattice
