// JSON configurations of runs and sweeps as a function of any bytes; see fuzz_targets.hpp. Apart, because it
// needs the library of configurations.
#pragma once

#include <string>

#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/sweep_config.hpp"
#include "runtime/lattice/front_request.hpp"
#include "runtime/semigroup/front_request.hpp"
#include "support/fuzz_targets.hpp"

namespace slicepool::fuzz {

inline void configuration(const std::string& text) {
  mayRefuse([&] {
    const config::Json document = config::parseJson(text, "input");
    const std::string canonical = config::canonicalText(document);
    require(config::canonicalText(config::parseJson(canonical, "again")) == canonical,
            "a document that changes as canonical text");
    mayRefuse([&] { (void)config::looksLikeSweep(document); });
    const config::RunConfig run = config::parseRunConfig(document, config::Strictness::single);
    if (run.workload == "lattice") (void)config::parseLatticeRequest(run);
    if (run.workload == "semigroup") (void)config::parseSemigroupRequest(run);
  });
}

}  // namespace slicepool::fuzz
