// What a request must be, and what determines its answer. Called by enumeration.cpp, the front and tests.
#pragma once

#include <array>
#include <string>

#include "runtime/core/named_sinks.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/integer_points/enumeration.hpp"

namespace slicepool::integer_points {

/// Another number: checkpoints of searches by other rules are refused.
inline constexpr int kSearchRules = 3;

inline constexpr std::array<NamedSink<SinkKind>, 6> kSinks{{{SinkKind::count, "count"},
                                                            {SinkKind::list, "list"},
                                                            {SinkKind::first, "first", SinkArgument::number},
                                                            {SinkKind::sums, "sums"},
                                                            {SinkKind::any, "any", SinkArgument::condition},
                                                            {SinkKind::all, "all", SinkArgument::condition}}};
[[nodiscard]] GivenSink sinkOf(const Request& request);

/// Parts that a search can be cut into.
inline constexpr std::uint32_t kMaximumShards = 1U << 20;
/// A search of so many shards starts from about so many times as many slices.
inline constexpr std::size_t kSlicesPerShard = 64;

/// Throws ConfigError, without a look at the numbers of the system but for how many there are.
void checkRequest(const Request& request, const EngineOptions& options);
/// What determines the search; a checkpoint of another one is refused.
[[nodiscard]] std::string canonicalText(const Request& request);
/// Points are collected, and not only counted.
[[nodiscard]] inline bool collects(SinkKind sink) {
  return sink != SinkKind::count && sink != SinkKind::sums;
}

}  // namespace slicepool::integer_points
