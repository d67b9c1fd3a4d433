// See request_check.hpp.
#include "runtime/svp/request_check.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::svp {
namespace {

void requireProbability(const char* field, double value, const char* accepted) {
  if (!(value > 0 && value < 1)) throw ConfigError(field, fmt::format("{}", value), accepted);
}

}  // namespace

lattice::GivenMatrix matrixOf(const Request& request) {
  return {request.basisPath, request.basis, request.gramPath, request.gram};
}

void checkRequest(const Request& request) {
  lattice::requireOneMatrix(matrixOf(request));
  if (!std::isfinite(request.ghFactor) || request.ghFactor < 0)
    throw ConfigError("target", fmt::format("gh:{}", request.ghFactor),
                      "gh:F with a finite number F above 0");
  if (request.ghFactor != 0 && request.squaredNorm.given())
    throw ConfigError("target", "a multiple of the Gaussian heuristic and a squared norm", "one of the two");
  if (request.blockSize != 0 && (request.blockSize < 2 || request.blockSize > kMaximumBlockSize)) {
    throw ConfigError("bkz_block_size", std::to_string(request.blockSize),
                      fmt::format("2 to {}, or none", kMaximumBlockSize));
  }
  requireProbability("probability", request.probability, "a number between 0 and 1, both excluded");
  if (request.trialProbability != 0)
    requireProbability("trial_probability", request.trialProbability,
                       "a number between 0 and 1, both excluded, or none");
  if (!(request.proofLimit >= 0) || std::isinf(request.proofLimit))
    throw ConfigError("proof_limit", fmt::format("{}", request.proofLimit), "seconds, 0 or more");
  if (!lattice::fplllLinked())
    throw ConfigError("basis", "a search for a shortest vector in a build without fplll", lattice::kGetFplll);
}

}  // namespace slicepool::svp
