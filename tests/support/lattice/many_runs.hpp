// Runs of many lattices from file to file, and requests for them that are refused. Included by unit tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "slicepool/core/error.hpp"
#include "slicepool/lattice/many_lattices.hpp"
#include "support/text.hpp"

namespace slicepool::test {

/// Runs into a stop. Returns what stands in the part file: complete lines, one for each answer.
inline std::string partOfStopped(const lattice::ManyRequest& request, const EngineOptions& options) {
  lattice::ManyLattices many(request, options);
  many.run();
  CHECK(!many.finished());
  const std::string part = contentOf(request.outputPath + ".part");
  CHECK(!part.empty());
  CHECK(part.back() == '\n');
  CHECK(static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n')) == many.outcome().lattices);
  return part;
}

/// The field that a request is refused for; empty: it is not.
inline std::string refusedField(const lattice::ManyRequest& request, const EngineOptions& options = {}) {
  try {
    lattice::ManyLattices many(request, options);
  } catch (const ConfigError& error) {
    return error.field();
  }
  return "";
}

}  // namespace slicepool::test
