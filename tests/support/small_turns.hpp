// Options of engines whose turns and launches are short, so that a small search has many of them.
#pragma once

#include <utility>

#include "slicepool/core/options.hpp"

namespace slicepool::test {

inline EngineOptions smallTurns(Mode mode, int threads, std::string identity) {
  EngineOptions options;
  options.mode = mode;
  options.threads = threads;
  options.emulator.lanes = 64;
  options.cpuBudget = 500;
  options.gpuBudget = 50;
  options.checkpointIdentity = std::move(identity);
  return options;
}

}  // namespace slicepool::test
