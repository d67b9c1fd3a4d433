// See given_lattice.hpp.
#include "runtime/lattice/given_lattice.hpp"

#include "runtime/lattice/gram_input.hpp"
#include "runtime/lattice/gram_reduction.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {

std::string GivenMatrix::name() const {
  if (isGram()) return gramPath.empty() ? "gram" : gramPath;
  return basisPath.empty() ? "basis" : basisPath;
}

void requireOneMatrix(const GivenMatrix& given) {
  const bool basis = !given.basisPath.empty() || !given.basis.empty();
  if (basis && given.isGram())
    throw ConfigError("gram", "a Gram matrix together with a basis", "one of the two");
  const char* const accepted = "the name of a file with a matrix such as [[1 0] [0 2]], or the matrix itself";
  if (!basis && !given.isGram())
    throw ConfigError("basis", "nothing", accepted + std::string("; or a Gram matrix (gram)"));
  if (!given.basisPath.empty() && !given.basis.empty())
    throw ConfigError("basis", "a file and a text", accepted);
  if (!given.gramPath.empty() && !given.gram.empty())
    throw ConfigError("gram", "a file and a text", accepted);
}

IntegerBasis readMatrix(const GivenMatrix& given, int maximumRows) {
  if (!given.isGram()) return givenBasis(given.basis, given.basisPath, maximumRows);
  return given.gram.empty() ? readGram(given.gramPath, maximumRows)
                            : parseGram(given.gram, given.name(), maximumRows);
}

void requireLattice(const IntegerBasis& basis, const std::string& name) {
  if (basis.gram.empty()) return requireIndependent(basis, name);
  requireDefinite(basis.gram, basis.dimension, name);
}

void adoptForm(IntegerBasis& basis, const IntegerBasis& metric) {
  if (!metric.gram.empty()) basis = transformed(basis, metric);
}

}  // namespace slicepool::lattice
