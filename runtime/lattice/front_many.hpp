// Many lattices or targets (--batch) for the command and the sweeps: from a configuration to a run and its
// record. Called by front.cpp.
#pragma once

#include <memory>

#include "runtime/app/config/front.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::config {

/// Whether a configuration is about many lattices.
[[nodiscard]] bool asksForMany(const Json& document);
/// Throws ConfigError for members that many lattices do not have. Without a file the caller adds lattices, or
/// targets.
[[nodiscard]] lattice::ManyRequest parseManyRequest(const RunConfig& config);
[[nodiscard]] std::unique_ptr<WorkloadRun> prepareMany(const RunConfig& config);
[[nodiscard]] Answers manyAnswers(const lattice::ManyOutcome& outcome);

}  // namespace slicepool::config
