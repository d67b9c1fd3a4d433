// What a request must satisfy, what names it in a checkpoint, and what it asks of the search. Called by
// enumeration.cpp and by the front of the workload.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/core/named_sinks.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"

namespace slicepool::numerical_semigroups {

/// Parts that a search can be cut into.
inline constexpr std::uint32_t kMaximumShards = 1U << 20;
/// A search of so many shards starts from about so many times as many slices.
inline constexpr std::size_t kSlicesPerShard = 64;
/// A change of the tree, of a step, of a slice or of frontierOf() is another version of the search.
inline constexpr int kSearchRules = 2;

inline constexpr std::array<NamedSink<SinkKind>, 5> kSinks{{{SinkKind::count, "count"},
                                                            {SinkKind::list, "list"},
                                                            {SinkKind::first, "first", SinkArgument::number},
                                                            {SinkKind::any, "any", SinkArgument::condition},
                                                            {SinkKind::all, "all", SinkArgument::condition}}};
[[nodiscard]] GivenSink sinkOf(const Request& request);

/// Throws ConfigError naming field, value and what is accepted.
void checkRequest(const Request& request, const EngineOptions& options);

/// Whether semigroups themselves are kept.
[[nodiscard]] bool collects(const Request& request);
/// The search without its slices. The request has been checked.
[[nodiscard]] ProblemSpec specOf(const Request& request);
/// Whether all nonnegative integers, which no class has, belong to what is searched.
[[nodiscard]] bool selectsRoot(const Request& request);
/// What determines the answer.
[[nodiscard]] std::string canonicalText(const Request& request);

}  // namespace slicepool::numerical_semigroups
