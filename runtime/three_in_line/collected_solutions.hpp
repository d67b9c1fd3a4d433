// Solutions of a run as they arrive, within a memory limit, and the word that enough are known. Called by the
// engine through enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

class CollectedSolutions final : public ResultConsumer {
 public:
  /// `memoryLimit` bytes bound what solutions and their sorted text may take. `whenEnough` is called when
  /// `first` solutions or more are known, each time more come: workers that are in a turn find some more.
  /// `first` 0: never.
  CollectedSolutions(std::size_t memoryLimit, std::uint64_t first, std::function<void()> whenEnough)
      : memoryLimit_(memoryLimit), first_(first), whenEnough_(std::move(whenEnough)) {}

  /// Throws LimitError beyond the limit.
  void consume(const std::byte* results, std::size_t count) override;
  [[nodiscard]] std::vector<std::byte> save() const override;
  /// Throws CheckpointError for a blob that is not whole configurations.
  void restore(const std::vector<std::byte>& blob) override;

  [[nodiscard]] bool enough() const { return first_ != 0 && solutions_.size() >= first_; }
  [[nodiscard]] std::vector<Configuration>& solutions() { return solutions_; }

 private:
  std::size_t memoryLimit_;
  std::uint64_t first_;
  std::function<void()> whenEnough_;
  std::vector<Configuration> solutions_;
};

}  // namespace slicepool::three_in_line
