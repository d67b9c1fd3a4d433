// Invariants as members of records and lines of reports. Called by front.cpp.
#pragma once

#include "runtime/app/config/answers.hpp"
#include "slicepool/invariants/enumeration.hpp"

namespace slicepool::config {

/// `finished`: all values are there.
[[nodiscard]] Answers invariantsAnswers(const invariants::Outcome& outcome,
                                        const invariants::Request& request, bool finished);

}  // namespace slicepool::config
