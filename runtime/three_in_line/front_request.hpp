// JSON parameters of the three_in_line workload to a Request. Called by front.cpp and tests.
#pragma once

#include "runtime/app/config/answers.hpp"
#include "runtime/app/config/run_config.hpp"
#include "slicepool/three_in_line/enumeration.hpp"

namespace slicepool::config {

/// `config` has passed the schema. A shard without a record gets its default one. Throws ConfigError.
[[nodiscard]] three_in_line::Request parseThreeInLineRequest(const RunConfig& config);

/// What was found: count, total, classes, orbits, nodes, fingerprint.
void addFindings(Answers& answers, const three_in_line::Findings& findings, bool finished);

}  // namespace slicepool::config
