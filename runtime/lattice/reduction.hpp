// Reduction of a basis and pruning coefficients through fplll, in builds that link it (SLICEPOOL_FPLLL).
// Without it every call refuses with a message that says so. Called by the front of the workload and by
// tests.
#pragma once

#include <string>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"

namespace slicepool::lattice {

/// What is done with a basis before the search.
struct ReductionChoice {
  enum class Kind { automatic, none, lll, bkz };
  Kind kind = Kind::automatic;  ///< automatic: LLL, and only of a basis that is not reduced
  int blockSize = 0;            ///< of bkz
};

/// "auto", "none", "lll", "bkz-20" (2 to kMaximumDimension). Throws ConfigError for field "reduction".
[[nodiscard]] ReductionChoice parseReduction(const std::string& text);

[[nodiscard]] bool fplllLinked();
/// How to get a program that has it: for messages.
inline constexpr const char* kGetFplll =
    "a build with fplll (install libfplll-dev, as Debian calls it, and build slicepool again with "
    "SLICEPOOL_FPLLL=ON)";
/// "5.4.4", or "" when fplll is not linked.
[[nodiscard]] std::string fplllVersion();

/// LLL with fplll's default parameters (delta 0.99, eta 0.51); `blockSize` 2 or more: BKZ with that block
/// size and fplll's default strategies after it. The rows span the same lattice. Throws ConfigError when
/// fplll is not linked or the rows are dependent, Error when fplll fails.
[[nodiscard]] IntegerBasis reduced(const IntegerBasis& basis, int blockSize = 0);

/// Pruning coefficients for a success probability of about `probability`, in (0, 1], by fplll's pruner:
/// squared, of squaredRadius, index k the bound of level k. Throws ConfigError when fplll is not linked.
[[nodiscard]] std::vector<double> prunedBounds(const std::vector<double>& norms, double squaredRadius,
                                               double probability);

}  // namespace slicepool::lattice
