// Runs of the tree of numerical semigroups that GPU tests compare: whole, and without a warning.
#pragma once

#include <doctest/doctest.h>

#include "slicepool/numerical_semigroups/enumeration.hpp"

namespace slicepool::test {

inline numerical_semigroups::Outcome semigroupsOn(Mode mode, const numerical_semigroups::Request& request) {
  EngineOptions options;
  options.mode = mode;
  numerical_semigroups::Enumeration enumeration(request, options);
  enumeration.run();
  CHECK(enumeration.finished());
  numerical_semigroups::Outcome outcome = enumeration.outcome();
  CHECK(outcome.run.warnings.empty());
  return outcome;
}

}  // namespace slicepool::test
