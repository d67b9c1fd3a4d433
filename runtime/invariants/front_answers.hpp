// Invariants as members of records and lines of reports. Called by front.cpp.
#pragma once

#include "runtime/app/config/answers.hpp"
#include "slicepool/invariants/enumeration.hpp"

namespace slicepool::config {

/// `finished`: all values are there. `listed`: elements were given as a list or a file, and so are the
/// values, also those of one.
[[nodiscard]] Answers invariantsAnswers(const invariants::Outcome& outcome,
                                        const invariants::Request& request, bool listed, bool finished);

}  // namespace slicepool::config
