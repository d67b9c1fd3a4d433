// Random instances of every shape that is legal: repeated, unsorted, with common divisors, larger than the
// element, without any factorization. Used by the tests of the counting tables and of the row kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "support/factorizations/oracle.hpp"

namespace slicepool::test {

struct Instance {
  Vector generators;
  std::uint64_t element = 0;
};

inline Vector randomGenerators(std::mt19937_64& random, std::size_t dimension, std::uint64_t most) {
  Vector generators(dimension);
  for (auto& g : generators) g = 1 + random() % most;
  return generators;
}

/// The shapes above in turn, `shape` = 0, 1, ..
inline Vector generatorsOfShape(std::mt19937_64& random, std::size_t dimension, unsigned shape) {
  Vector generators = randomGenerators(random, dimension, 8 + 4 * dimension);
  switch (shape % 6) {
    case 0: break;
    case 1: generators[random() % dimension] = generators[random() % dimension]; break;
    case 2:
      for (auto& g : generators) g *= 6;
      break;
    case 3: generators[random() % dimension] = 5000 + random() % 5000; break;
    case 4: generators[dimension - 1 - random() % 2] = 1; break;
    default:  // the last two share a divisor, which makes many pairs unsolvable
      generators[dimension - 1] *= 7;
      generators[dimension - 2] *= 7;
  }
  return generators;
}

/// The greatest element below `most` that leaves recursion over all vectors cheap and has at most `rows`
/// factorizations, less a random bit.
inline Instance instanceOfShape(std::mt19937_64& random, std::size_t dimension, unsigned shape,
                                std::uint64_t rows, std::uint64_t most = 3000) {
  constexpr std::uint64_t kMaximumPoints = 60'000;
  Instance instance{generatorsOfShape(random, dimension, shape), most};
  Vector withSlack = instance.generators;
  withSlack.push_back(1);
  while (countByRecurrence(withSlack, instance.element) > kMaximumPoints ||
         countByRecurrence(instance.generators, instance.element) > rows)
    instance.element -= instance.element / 8 + 1;
  instance.element -= random() % (instance.element / 16 + 1);
  return instance;
}

}  // namespace slicepool::test
