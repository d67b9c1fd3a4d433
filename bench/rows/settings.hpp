// What the benchmark of rows was asked to do. Filled by main.cpp, read by the measurements.
#pragma once

#include <string>
#include <vector>

#include "bench/support/instances.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::bench {

struct Settings {
  std::vector<Instance> instances;
  std::vector<int> threads;            ///< ascending, each once; the last is what hybrid runs use
  std::vector<unsigned> elementBytes;  ///< a pass over all instances for each; 0: the narrowest
  int repetitions = 9;
  factorizations::Algorithm algorithm = factorizations::Algorithm::automatic;
  bool cpu = false, gpu = false, hybrid = false, peer = false, reductions = false;
  std::string tablePath;  ///< not empty: Table 1 of Barron 2024b instead of the instances
  std::string jsonPath;   ///< empty: no record

  [[nodiscard]] int maximumThreads() const { return threads.back(); }
};

}  // namespace slicepool::bench
