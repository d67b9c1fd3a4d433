// What a search of the tree of numerical semigroups found, for people and for records. Called by front.cpp
// and by front_shards.cpp.
#pragma once

#include "runtime/app/config/answers.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"

namespace slicepool::config {

/// `triangle`: with the histogram of every genus.
[[nodiscard]] Answers genusAnswers(const numerical_semigroups::Outcome& outcome,
                                   const numerical_semigroups::Request& request, bool triangle,
                                   bool finished);

}  // namespace slicepool::config
