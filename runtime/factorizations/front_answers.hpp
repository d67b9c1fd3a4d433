// An Outcome as members of a record and lines of the report. Called by front.cpp for a run, and by
// front_shards.cpp for what the shards of a plan make together.
#pragma once

#include <string>

#include "runtime/app/config/answers.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::config {

/// `sinkText` as the configuration has it.
[[nodiscard]] Answers factorizationsAnswers(const factorizations::Outcome& outcome,
                                            const factorizations::SinkSpec& sink, const std::string& sinkText,
                                            bool finished);

}  // namespace slicepool::config
