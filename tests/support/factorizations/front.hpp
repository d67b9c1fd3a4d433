// Shared by the tests of the enumeration front: short-hands for requests, and what they use of tests/support.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "slicepool/factorizations/enumeration.hpp"
#include "support/factorizations/oracle.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace slicepool::testing {

using test::bruteForce;
using test::contentOf;
using test::TemporaryFolder;
using test::Vector;

inline std::vector<Vector> rowsOf(const factorizations::RowMatrix& matrix) {
  std::vector<Vector> rows;
  for (std::uint64_t row = 0; row < matrix.rows(); ++row) {
    Vector vector;
    for (unsigned column = 0; column < matrix.dimension(); ++column) vector.push_back(matrix.at(row, column));
    rows.push_back(vector);
  }
  return rows;
}

inline EngineOptions engineOptions(Mode mode, int threads = 2) {
  EngineOptions options;
  options.mode = mode;
  options.threads = threads;
  options.memoryLimit = std::size_t{256} << 20;
  options.emulator.lanes = 64;
  options.emulator.resultCapacity = 128;
  return options;
}

inline factorizations::Request request(
    Vector generators, std::uint64_t element, factorizations::SinkKind kind,
    factorizations::Algorithm algorithm = factorizations::Algorithm::automatic) {
  factorizations::Request made;
  made.generators = std::move(generators);
  made.element = element;
  made.algorithm = algorithm;
  made.sink.kind = kind;
  return made;
}

inline factorizations::Outcome outcomeOf(const factorizations::Request& wanted,
                                         const EngineOptions& options) {
  factorizations::Enumeration enumeration(wanted, options);
  enumeration.run();
  return enumeration.outcome();
}

}  // namespace slicepool::testing
