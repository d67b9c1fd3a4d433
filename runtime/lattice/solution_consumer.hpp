// Solutions of a run as they arrive: checked against the integer basis, kept (the shortest), written (all).
// The engine calls it under a lock, so that workers wait while a disk is slow and memory stays bounded.
// Called through enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/lattice/best_vectors.hpp"
#include "runtime/lattice/vector_file.hpp"
#include "runtime/lattice/vector_maker.hpp"
#include "slicepool/core/engine.hpp"

namespace slicepool::lattice {

struct ConsumerSettings {
  std::size_t resultBytes = 0;  ///< of the problem
  double squaredRadius = 0;     ///< no solution is longer
  std::uint64_t keep = 0;       ///< shortest vectors to keep
  std::uint64_t first = 0;      ///< solutions to take; 0: all
  std::size_t memoryLimit = 0;  ///< bytes for the kept vectors
  VectorFile* file = nullptr;   ///< takes every solution; null: none
};

class SolutionConsumer final : public ResultConsumer {
 public:
  /// `basis` must outlive it. `whenEnough` is called when `first` solutions are known, each time more come.
  SolutionConsumer(const IntegerBasis& basis, ConsumerSettings settings, std::function<void()> whenEnough);

  /// Throws Error for a vector whose exact norm is not what the search says, LimitError beyond the memory
  /// limit or the disk.
  void consume(const std::byte* results, std::size_t count) override;
  [[nodiscard]] std::vector<std::byte> save() const override;
  /// Throws CheckpointError for a blob of another run.
  void restore(const std::vector<std::byte>& blob) override;

  [[nodiscard]] bool enough() const { return settings_.first != 0 && taken_ >= settings_.first; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] const BestVectors& best() const { return best_; }

 private:
  void take(double squaredNorm);

  const IntegerBasis& basis_;
  ConsumerSettings settings_;
  std::function<void()> whenEnough_;
  VectorMaker maker_;
  BestVectors best_;
  std::uint64_t taken_ = 0;
  std::vector<std::int16_t> coefficients_;  ///< of the solution at hand
};

}  // namespace slicepool::lattice
