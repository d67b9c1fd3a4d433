// All factorizations of an element as a set of rows. Called by enumeration.cpp.
#pragma once

#include <cstddef>
#include <functional>

#include "runtime/invariants/row_set.hpp"
#include "runtime/invariants/set_degrees.hpp"
#include "slicepool/core/options.hpp"

namespace slicepool::invariants {

/// There are `denumerant` of them. Threads and the memory limit are those of `options`. Throws LimitError
/// when they do not fit, and SetupStopped soon after `stopped` is true.
[[nodiscard]] RowSet rowsOf(const WholeSet& whole, const Integer& denumerant, const EngineOptions& options,
                            const std::function<bool()>& stopped);

}  // namespace slicepool::invariants
