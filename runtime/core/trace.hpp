// Turns the workers' spans into a Chrome trace-event file (opens in Perfetto) and into the utilisation
// samples of the report. Used by the engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/detail/worker.hpp"

namespace slicepool {

struct PoolSample {
  double seconds = 0;
  std::size_t slices = 0;
};

/// A part of the start of GPUs: their driver, a context, a device of the run.
struct TraceStart {
  std::string name;
  std::int64_t begin = 0;  ///< ns since the start of the run, below 0 before it
  std::int64_t end = 0;
};

/// What a trace shows beside the spans of the workers.
struct TraceFrame {
  std::int64_t begin = 0;  ///< of the enumeration: ns since the start of the run
  std::int64_t end = 0;
  std::vector<TraceStart> starts;
};

/// Whole or not at all (text_file.hpp). Without accounts it is a valid trace without any work. Throws
/// LimitError when the disk is full, Error otherwise.
void writeTrace(const std::string& path, const std::vector<WorkerAccount*>& accounts,
                const std::vector<PoolSample>& pool, const TraceFrame& frame = {});

/// Utilisation per worker in `samples` equal intervals of `seconds`, and the pool depth at their ends.
[[nodiscard]] Timeline makeTimeline(const std::vector<WorkerAccount*>& accounts,
                                    const std::vector<PoolSample>& pool, double seconds, std::size_t samples);

}  // namespace slicepool
