// A search that stands still, as a value in memory: what a checkpoint file has, and what a coordinator hands
// out and takes back. Engines make it and start from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slicepool {

/// Everything but the contents.
struct CheckpointHeader {
  std::string workload;
  std::string identity;  ///< canonical text of the problem; a resume must match it
  std::size_t sliceBytes = 0;
  std::uint64_t shared = 0;
  double steps = 0;
  double seconds = 0;
};

struct Checkpoint : CheckpointHeader {
  std::vector<std::byte> slices;     ///< unfinished, `sliceBytes` each
  std::vector<std::uint64_t> words;  ///< merged; of Problem::words()
  std::vector<std::byte> consumer;   ///< blob of the ResultConsumer
};

}  // namespace slicepool
