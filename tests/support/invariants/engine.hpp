// Runs a problem of nearest rows on an engine of its own. Used by unit and GPU tests.
#pragma once

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/core/engine_slot.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool::test {

inline std::vector<std::uint64_t> wordsOnEngine(const Problem& problem, EngineOptions options) {
  EngineSlot slot;
  slot.useClock(options);
  const RunReport report = slot.run(problem, options, nullptr);
  REQUIRE(report.complete);
  return report.words;
}

}  // namespace slicepool::test
