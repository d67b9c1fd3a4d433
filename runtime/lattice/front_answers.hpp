// An Outcome as members of a record and lines of the report. Called by front.cpp for a run, and by
// front_shards.cpp for what the shards of a plan make together.
#pragma once

#include "runtime/app/config/answers.hpp"
#include "slicepool/lattice/enumeration.hpp"

namespace slicepool::config {

/// Vectors in a record; more belong into an output.
inline constexpr std::size_t kRecordedSolutions = 1000;

[[nodiscard]] Answers latticeAnswers(const lattice::Outcome& outcome, const lattice::Request& request,
                                     bool finished);

}  // namespace slicepool::config
