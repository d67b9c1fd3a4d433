// See whole_set.hpp.
#include "runtime/invariants/whole_set.hpp"

#include <chrono>
#include <string>

#include "cpu_workers/core/setup_stop.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::invariants {

RowSet rowsOf(const WholeSet& whole, const Integer& denumerant, const EngineOptions& options,
              const std::function<bool()>& stopped) {
  // Rows as they come, by coordinates, with keys, and by components: at most so many times.
  constexpr std::size_t kCopies = 5;
  const std::size_t bytes = kCopies * RowSet::bytes(1, whole.generators.size());
  if (denumerant * bytes > options.memoryLimit) {
    throw LimitError("the element " + std::to_string(whole.element) + " has " + denumerant.str() +
                     " factorizations: their distances need " + Integer(denumerant * bytes).str() +
                     " bytes, the memory limit is " + std::to_string(options.memoryLimit));
  }
  factorizations::Request request;
  request.generators = whole.generators;
  request.element = whole.element;
  request.sink.kind = factorizations::SinkKind::rows;
  // Fewer rows take one thread less time than others need to begin.
  constexpr std::uint64_t kFewRows = 200'000;
  EngineOptions engine;
  engine.threads = denumerant < kFewRows ? 1 : options.threads;
  engine.memoryLimit = options.memoryLimit;
  factorizations::Enumeration* running = nullptr;
  engine.progressInterval = std::chrono::milliseconds(20);
  engine.onProgress = [&](const Progress&) {
    if (stopped()) running->cancel();
  };
  factorizations::Enumeration enumeration(request, engine);
  running = &enumeration;
  enumeration.run();
  if (!enumeration.finished()) throw SetupStopped("stopped while factorizations were enumerated");
  return RowSet(enumeration.outcome().rows);
}

}  // namespace slicepool::invariants
