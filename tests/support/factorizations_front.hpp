// Shared by the tests of the enumeration front: a brute force of their own, short-hands for requests, and
// temporary folders.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "slicepool/factorizations/enumeration.hpp"
#include "support/text.hpp"

namespace slicepool::testing {

using Vector = std::vector<std::uint64_t>;
using test::contentOf;

inline void bruteInto(const Vector& generators, std::size_t k, std::uint64_t residual, Vector& prefix,
                      std::vector<Vector>& all) {
  if (k == generators.size()) {
    if (residual == 0) all.push_back(prefix);
    return;
  }
  for (std::uint64_t a = residual / generators[k] + 1; a-- > 0;) {
    prefix.push_back(a);
    bruteInto(generators, k + 1, residual - a * generators[k], prefix, all);
    prefix.pop_back();
  }
}

/// Z(n) in decreasing lexicographic order, by trying every vector coordinate by coordinate.
inline std::vector<Vector> bruteForce(const Vector& generators, std::uint64_t element) {
  std::vector<Vector> all;
  Vector prefix;
  bruteInto(generators, 0, element, prefix, all);
  return all;
}

inline std::vector<Vector> rowsOf(const factorizations::RowMatrix& matrix) {
  std::vector<Vector> rows;
  for (std::uint64_t row = 0; row < matrix.rows(); ++row) {
    Vector vector;
    for (unsigned column = 0; column < matrix.dimension(); ++column) vector.push_back(matrix.at(row, column));
    rows.push_back(vector);
  }
  return rows;
}

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device seed;  // a name only, nothing in a test depends on it
    path_ = std::filesystem::temp_directory_path() /
            ("slicepool-" + std::to_string(seed()) + std::to_string(seed()));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

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
