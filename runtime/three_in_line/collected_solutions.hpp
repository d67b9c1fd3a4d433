// Solutions of a run as they arrive, within a memory limit. Called by the engine through enumeration.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

class CollectedSolutions final : public ResultConsumer {
 public:
  /// `memoryLimit` bytes bound what solutions and their sorted text may take.
  explicit CollectedSolutions(std::size_t memoryLimit) : memoryLimit_(memoryLimit) {}

  /// Throws LimitError beyond the limit.
  void consume(const std::byte* results, std::size_t count) override;
  [[nodiscard]] std::vector<std::byte> save() const override;
  /// Throws CheckpointError for a blob that is not whole configurations.
  void restore(const std::vector<std::byte>& blob) override;

  [[nodiscard]] std::vector<Configuration>& solutions() { return solutions_; }

 private:
  std::size_t memoryLimit_;
  std::vector<Configuration> solutions_;
};

}  // namespace slicepool::three_in_line
