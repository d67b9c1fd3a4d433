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

void checkRequest(const Request& request) {
  if (request.basisPath.empty() == request.basis.empty()) {
    throw ConfigError("basis", request.basis.empty() ? "nothing" : "a file and a text",
                      "the name of a file with a matrix such as [[1 0] [0 2]], or the matrix itself");
  }
  if (request.blockSize != 0)
    requireWithin("bkz_block_size", request.blockSize, 2, kMaximumBlockSize, ", or none");
  requireWithin("tours", request.tours, 1, kMaximumTours, "");
  if (request.trials != 0) requireWithin("trials", request.trials, 1, kMaximumTrials, ", or none");
  if (!lattice::fplllLinked())
    throw ConfigError("basis", "a reduction in a build without fplll", lattice::kGetFplll);
}

}  // namespace slicepool::reduce
