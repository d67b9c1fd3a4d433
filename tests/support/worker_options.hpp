// Options of runs that a test compares with each other: CPU workers alone, and beside the lane emulator.
#pragma once

#include <cstdint>

#include "slicepool/core/options.hpp"

namespace slicepool::test {

inline EngineOptions onCpu(int threads = 2) {
  EngineOptions options;
  options.mode = Mode::cpu;
  options.threads = threads;
  return options;
}

/// Workers of any mode, beside small emulated devices.
inline EngineOptions workersOf(Mode mode = Mode::cpu, int threads = 2) {
  EngineOptions options;
  options.mode = mode;
  options.threads = threads;
  options.emulator.lanes = 64;
  return options;
}

/// With short launches. `failAtLaunch`: the device fails there; negative: never.
inline EngineOptions onEmulator(std::int64_t failAtLaunch = -1) {
  EngineOptions options;
  options.mode = Mode::emulated;
  options.threads = 2;
  options.emulator.lanes = 64;
  options.emulator.failAtLaunch = failAtLaunch;
  options.gpuBudget = 200;
  return options;
}

}  // namespace slicepool::test
