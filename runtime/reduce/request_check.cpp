// See request_check.hpp.
#include "runtime/reduce/request_check.hpp"

#include <fmt/format.h>

#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::reduce {
namespace {

void requireWithin(const char* field, int value, int low, int high, const char* or_) {
  if (value >= low && value <= high) return;
  throw ConfigError(field, std::to_string(value), fmt::format("{} to {}{}", low, high, or_));
}

}  // namespace

lattice::GivenMatrix matrixOf(const Request& request) {
  return {request.basisPath, request.basis, request.gramPath, request.gram};
}

void checkRequest(const Request& request) {
  lattice::requireOneMatrix(matrixOf(request));
  if (!request.transformationPath.empty() && !matrixOf(request).isGram()) {
    throw ConfigError("output.transformation", "\"" + request.transformationPath + "\" with a basis",
                      "this only with a Gram matrix (gram)");
  }
  if (request.blockSize != 0)
    requireWithin("bkz_block_size", request.blockSize, 2, kMaximumBlockSize, ", or none");
  requireWithin("tours", request.tours, 1, kMaximumTours, "");
  if (request.trials != 0) requireWithin("trials", request.trials, 1, kMaximumTrials, ", or none");
  if (!lattice::fplllLinked())
    throw ConfigError("basis", "a reduction in a build without fplll", lattice::kGetFplll);
}

}  // namespace slicepool::reduce
