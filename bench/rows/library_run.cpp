// See library_run.hpp.
#include "bench/rows/library_run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace slicepool::bench {

using factorizations::Enumeration;
using factorizations::Request;

Request rowsRequest(const Instance& instance, factorizations::Algorithm algorithm, unsigned elementBytes,
                    std::byte* memory, std::size_t memoryBytes) {
  Request request;
  request.generators = instance.generators;
  request.element = instance.element;
  request.algorithm = algorithm;
  request.sink.kind = factorizations::SinkKind::rows;
  request.output.elementBytes = elementBytes;
  request.output.memory = memory;
  request.output.memoryBytes = memoryBytes;
  return request;
}

EngineOptions engineOptions(Mode mode, int threads) {
  EngineOptions options;
  options.mode = mode;
  options.threads = threads;
  options.devices = 1;
  return options;
}

LibraryRun runLibrary(const Request& request, const EngineOptions& options) {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const auto begin = Clock::now();
  Enumeration enumeration(request, options);
  const auto constructed = Clock::now();
  enumeration.run();
  const auto end = Clock::now();

  LibraryRun run;
  run.outcome = enumeration.outcome();
  run.times.wall = Milliseconds(end - begin).count();
  run.times.construction = Milliseconds(constructed - begin).count();
  run.times.enumeration = run.outcome.run.seconds * 1e3;
  run.times.warnings = run.outcome.run.warnings;
  for (const auto& worker : run.outcome.run.workers)
    if (worker.kind == "gpu") run.times.device = std::max(run.times.device, worker.busySeconds * 1e3);
  return run;
}

}  // namespace slicepool::bench
