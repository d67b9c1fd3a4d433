// Lattices for fplll, and settings of the plug-in that end with a test. Included by the plug-in's tests;
// fplll's headers come first.
#pragma once

#include <doctest/doctest.h>
#include <fplll/fplll.h>

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/fplll/slicepool_fplll.h"
#include "support/lattice/instances.hpp"

namespace slicepool::test {

using FplllMatrix = fplll::ZZ_mat<mpz_t>;

inline FplllMatrix fplllMatrix(const IntegerBasis& basis) {
  FplllMatrix matrix(static_cast<int>(basis.size()), static_cast<int>(basis[0].size()));
  for (std::size_t i = 0; i < basis.size(); ++i)
    for (std::size_t j = 0; j < basis[i].size(); ++j)
      matrix(static_cast<int>(i), static_cast<int>(j)) = static_cast<long>(basis[i][j]);
  return matrix;
}

inline FplllMatrix fplllInstance(const std::string& file) {
  return fplllMatrix(parseBasis(latticeFile(file)));
}

/// A random knapsack-like lattice, LLL-reduced.
inline FplllMatrix randomReduced(int dimension, unsigned bits, std::uint64_t seed) {
  IntegerBasis basis(static_cast<std::size_t>(dimension),
                     std::vector<std::int64_t>(static_cast<std::size_t>(dimension)));
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < basis.size(); ++i) {
    basis[i][i] = 1;
    basis[i][0] = static_cast<std::int64_t>(random() >> (64 - bits));
  }
  FplllMatrix matrix = fplllMatrix(basis);
  fplll::lll_reduction(matrix);
  return matrix;
}

inline std::string textOf(const FplllMatrix& matrix) {
  std::string text;
  for (int i = 0; i < matrix.get_rows(); ++i) {
    for (int j = 0; j < matrix.get_cols(); ++j)
      text += std::to_string(mpz_get_si(matrix(i, j).get_data())) + " ";
    text += "\n";
  }
  return text;
}

/// What fplll's enumeration, or the plug-in where it is registered, finds in the dual of a block.
struct DualSearch {
  std::vector<double> products;  ///< with the rows of the block, of the shortest vectors found
  std::array<std::uint64_t, FPLLL_EXTENUM_MAX_EXTENUM_DIM> nodes;
};

/// The dual of rows first .. last - 1, projected, within `share` of the squared norm of its first vector.
inline DualSearch searchDual(const FplllMatrix& lattice, int first, int last, double share,
                             const std::vector<double>& pruning = {}, std::size_t vectors = 1) {
  FplllMatrix matrix = lattice;
  FplllMatrix none;
  fplll::MatGSO<fplll::Z_NR<mpz_t>, fplll::FP_NR<double>> gso(matrix, none, none, fplll::GSO_DEFAULT);
  REQUIRE(gso.update_gso());
  long exponent = 0;
  const double norm = gso.get_r_exp(last - 1, last - 1, exponent).get_d();
  fplll::FP_NR<double> radius = share / norm;
  fplll::FastEvaluator<fplll::FP_NR<double>> evaluator(vectors);
  fplll::Enumeration<fplll::Z_NR<mpz_t>, fplll::FP_NR<double>> enumeration(gso, evaluator);
  enumeration.enumerate(first, last, radius, -exponent, {}, {}, pruning, true);
  DualSearch found{{}, enumeration.get_nodes_array()};
  if (evaluator.empty()) return found;
  for (const auto& [squaredNorm, vector] : evaluator)
    for (const auto& x : vector) found.products.push_back(x.get_d() + 0.0);  // no -0
  return found;
}

/// Registers slicepool and undoes that, and the settings, at the end.
class RegisteredPlugin {
 public:
  RegisteredPlugin(const char* minDimension, const char* minNodes, const char* engineNodes,
                   const char* mode = "cpu", const char* dual = "0") {
    set("min_dimension", minDimension);
    set("min_nodes", minNodes);
    set("engine_nodes", engineNodes);
    set("mode", mode);
    set("dual", dual);
    set("threads", "2");
    before_ = now();
    slicepool_fplll_register();
  }
  ~RegisteredPlugin() { slicepool_fplll_unregister(); }
  RegisteredPlugin(const RegisteredPlugin&) = delete;
  RegisteredPlugin& operator=(const RegisteredPlugin&) = delete;

  /// Since the registration.
  [[nodiscard]] slicepool_fplll_counts counts() const {
    const auto after = now();
    return {after.declined - before_.declined, after.sequential - before_.sequential,
            after.pooled - before_.pooled, after.nodes - before_.nodes};
  }

 private:
  static void set(const char* name, const char* value) {
    if (slicepool_fplll_set(name, value) != 0) throw std::runtime_error(std::string("refused: ") + name);
  }
  static slicepool_fplll_counts now() {
    slicepool_fplll_counts counts{};
    slicepool_fplll_statistics(&counts);
    return counts;
  }
  slicepool_fplll_counts before_{};
};

/// One block as fplll hands it over: what the callbacks of an enumerator see.
struct ExternalBlock {
  lattice::ProblemSpec spec;
  std::function<double(double, double*)> process;
  std::function<void(double, double*, int)> subsolution;  ///< none: they are dropped
  std::size_t configured = 0;                             ///< calls
  std::size_t solutions = 0;

  std::array<std::uint64_t, FPLLL_EXTENUM_MAX_EXTENUM_DIM> enumerate(bool dual = false,
                                                                     bool subsolutions = false) {
    return slicepool_fplll_enumerate(
        spec.dimension, spec.squaredRadius,
        [this](double* mu, std::size_t d, bool transposed, double* norms, double* pruning) {
          ++configured;
          // As fplll: neither the diagonal nor the other half is written.
          for (std::size_t i = 0; i < d; ++i) {
            for (std::size_t j = 0; j < i; ++j) mu[transposed ? j * d + i : i * d + j] = spec.mu[i * d + j];
            norms[i] = spec.norms[i];
            pruning[i] = spec.pruning.empty() ? 1.0 : spec.pruning[i];
          }
        },
        [this](double norm, double* x) {
          ++solutions;
          return process(norm, x);
        },
        [this](double norm, double* x, int offset) {
          if (subsolution) subsolution(norm, x, offset);
        },
        dual, subsolutions);
  }
};

inline constexpr std::uint64_t kDeclined = ~std::uint64_t{0};

}  // namespace slicepool::test
