// An outcome of a block reduction as a record and as readable lines. Called by front.cpp and the Python
// package.
#pragma once

#include "runtime/app/config/answers.hpp"
#include "slicepool/reduce/reduction.hpp"

namespace slicepool::config {

[[nodiscard]] Answers reduceAnswers(const reduce::Outcome& outcome, const reduce::Request& request,
                                    bool finished);

}  // namespace slicepool::config
