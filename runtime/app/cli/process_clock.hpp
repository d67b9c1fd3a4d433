// The clock of the command's run: it counts from the start of the process, so that loading the program and
// reading its arguments are a part of the run. Called by main and by runDocument.
#pragma once

#include <memory>

#include "slicepool/core/phases.hpp"

namespace slicepool::cli {

/// Made by the first call: main makes it.
[[nodiscard]] const std::shared_ptr<PhaseClock>& processClock();

}  // namespace slicepool::cli
