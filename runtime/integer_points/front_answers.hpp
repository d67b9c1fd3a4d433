// What a run of integer_points says. Called by front.cpp.
#pragma once

#include "runtime/app/config/answers.hpp"
#include "slicepool/integer_points/enumeration.hpp"

namespace slicepool::config {

[[nodiscard]] Answers pointAnswers(const integer_points::Outcome& outcome,
                                   const integer_points::Request& request, bool finished);

}  // namespace slicepool::config
