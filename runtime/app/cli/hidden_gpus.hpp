// The GPUs that a run does not use, hidden from the driver before it starts: it takes 0.25 s with one GPU and
// two seconds with eight. For commands whose process makes one run, or shards of one plan: what the driver
// sees is settled for the rest of the process.
#pragma once

#include "slicepool/core/options.hpp"

namespace slicepool::cli {

/// Of a run with one chosen GPU: lets the driver see only that one, which `options` then call 0, as the
/// driver does. Reports go on to call it as the user does. A GPU that is not there is left to the driver's
/// error, which says what there is. Before the driver starts, and before the threads of the run.
void hideOtherGpus(EngineOptions& options);

/// The same, on a machine with so many GPUs that this process may open; for tests.
void hideOtherGpus(EngineOptions& options, std::size_t machine);

}  // namespace slicepool::cli
