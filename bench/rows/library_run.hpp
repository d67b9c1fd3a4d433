// One run through the public library with everything that a user waits for in its time. Called for every
// figure of slicepool.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/rows/measurement.hpp"
#include "bench/support/instances.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::bench {

/// A request for the rows of an instance. `memory` null: a RowMatrix of the run's own.
[[nodiscard]] factorizations::Request rowsRequest(const Instance& instance,
                                                  factorizations::Algorithm algorithm, unsigned elementBytes,
                                                  std::byte* memory = nullptr, std::size_t memoryBytes = 0);

/// Defaults of the library but for mode, threads and one device: limits are of one device too.
[[nodiscard]] EngineOptions engineOptions(Mode mode, int threads);

struct LibraryRun {
  Times times;
  factorizations::Outcome outcome;
};

/// Constructs and runs an Enumeration. `wall` is from before the construction (validation, counting tables)
/// to after run(); memory of the rows is given back outside of it.
[[nodiscard]] LibraryRun runLibrary(const factorizations::Request& request, const EngineOptions& options);

}  // namespace slicepool::bench
