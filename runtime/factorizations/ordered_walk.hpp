// The first rows where no counting table fits: one slice, walked in order on the calling thread, is the
// stream of rows itself. Called by enumeration.cpp.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/factorizations/collected_rows.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool::factorizations {

/// Walks until `rows` has `wanted` rows, there are no more, or `stop` says so (asked every million steps; the
/// report is not complete then). The report says what was done, by one worker. True when there are no more.
bool walkInOrder(const Problem& problem, std::uint64_t wanted, CollectedRows& rows, RunReport& report,
                 const std::function<bool()>& stop);

}  // namespace slicepool::factorizations
