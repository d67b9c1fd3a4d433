// See reduction.hpp.
#include "runtime/lattice/reduction.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "slicepool/core/error.hpp"
#include "slicepool/lattice/types.hpp"

#ifdef SLICEPOOL_HAVE_FPLLL
#include "runtime/lattice/fplll_matrix.hpp"
#include "runtime/lattice/strategies.hpp"
#endif

namespace slicepool::lattice {

ReductionChoice parseReduction(const std::string& text) {
  using Kind = ReductionChoice::Kind;
  if (text == "auto") return {Kind::automatic};
  if (text == "none") return {Kind::none};
  if (text == "lll") return {Kind::lll};
  constexpr std::string_view kPrefix = "bkz-";
  int blockSize = 0;
  if (text.starts_with(kPrefix)) {
    const char* begin = text.data() + kPrefix.size();
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, blockSize);
    if (error != std::errc{} || stop != end) blockSize = 0;
  }
  if (blockSize < 2 || blockSize > kMaximumDimension) {
    throw ConfigError(
        "reduction", "\"" + text + "\"",
        fmt::format("auto, none, lll or bkz-B with a block size B from 2 to {}", kMaximumDimension));
  }
  return {Kind::bkz, blockSize};
}

#ifdef SLICEPOOL_HAVE_FPLLL

namespace {

void requireSuccess(const char* what, int status) {
  if (status != fplll::RED_SUCCESS)
    throw Error(fmt::format("{} by fplll failed: {}", what, fplll::get_red_status_str(status)));
}

}  // namespace

bool fplllLinked() { return true; }
std::string fplllVersion() {
  return fmt::format("{}.{}.{}", FPLLL_MAJOR_VERSION, FPLLL_MINOR_VERSION, FPLLL_MICRO_VERSION);
}

IntegerBasis reduced(const IntegerBasis& basis, int blockSize) {
  requireIndependent(basis, "basis");
  const int size = std::min(blockSize, basis.dimension);
  // What is wrong with them is said before LLL, which may take long.
  std::vector<fplll::Strategy>* const known = blockSize >= 2 ? &strategies(size) : nullptr;
  fplll::ZZ_mat<mpz_t> matrix = toMatrix(basis);
  requireSuccess("LLL reduction", lllByPrefixes(matrix, fplll::LLL_DEF_DELTA));
  if (known != nullptr) {
    fplll::BKZParam parameters(size, *known);
    parameters.flags |= fplll::BKZ_AUTO_ABORT;
    requireSuccess("BKZ reduction", fplll::bkz_reduction(&matrix, nullptr, parameters));
  }
  return toBasis(matrix);
}

std::vector<double> prunedBounds(const std::vector<double>& norms, double squaredRadius, double probability) {
  fplll::PruningParams found;
  constexpr double kPreprocessing = 1e6;  // nodes: what a repeated trial costs besides the search
  fplll::prune<fplll::FP_NR<double>>(found, squaredRadius, kPreprocessing, norms, probability,
                                     fplll::PRUNER_METRIC_PROBABILITY_OF_SHORTEST,
                                     fplll::PRUNER_GRADIENT | fplll::PRUNER_SINGLE);
  return found.coefficients;
}

#else

namespace {

[[noreturn]] void refuseWithoutFplll(const std::string& what) {
  throw ConfigError(
      "reduction", what + " in a build without fplll",
      std::string(kGetFplll) + ", or none and a basis that was reduced elsewhere (fplll -a lll FILE)");
}

}  // namespace

bool fplllLinked() { return false; }
std::string fplllVersion() { return {}; }
IntegerBasis reduced(const IntegerBasis&, int blockSize) {
  refuseWithoutFplll(blockSize >= 2 ? fmt::format("bkz-{}", blockSize) : std::string("lll"));
}
std::vector<double> prunedBounds(const std::vector<double>&, double, double) {
  throw ConfigError("pruning", "fplll's pruner in a build without fplll",
                    std::string("a file of coefficients, or ") + kGetFplll);
}

#endif

}  // namespace slicepool::lattice
