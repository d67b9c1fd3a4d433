// What a request must be, and what determines its answer. Called by enumeration.cpp, the front and tests.
#pragma once

#include <string>

#include "slicepool/core/options.hpp"
#include "slicepool/integer_points/enumeration.hpp"

namespace slicepool::integer_points {

/// Another number: checkpoints of searches by other rules are refused.
inline constexpr int kSearchRules = 1;

/// Throws ConfigError, without a look at the numbers of the system but for how many there are.
void checkRequest(const Request& request, const EngineOptions& options);
/// What determines the search; a checkpoint of another one is refused.
[[nodiscard]] std::string canonicalText(const Request& request);
[[nodiscard]] std::string sinkName(SinkKind kind);
[[nodiscard]] inline bool asks(SinkKind sink) { return sink == SinkKind::any || sink == SinkKind::all; }
/// Points are collected, and not only counted.
[[nodiscard]] inline bool collects(SinkKind sink) {
  return sink != SinkKind::count && sink != SinkKind::sums;
}

}  // namespace slicepool::integer_points
