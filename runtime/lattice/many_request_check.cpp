// See many_request_check.hpp.
#include "runtime/lattice/many_request_check.hpp"

#include <string>

#include <fmt/format.h>

#include "runtime/lattice/request_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {

bool hasLattice(const ManyRequest& request) {
  return !request.basisPath.empty() || !request.basis.empty() || !request.gramPath.empty() ||
         !request.gram.empty();
}

Request latticeRequest(const ManyRequest& request) {
  Request one;
  one.basisPath = request.basisPath;
  one.basis = request.basis;
  one.gramPath = request.gramPath;
  one.gram = request.gram;
  one.reduction = request.reduction;
  return one;
}

void checkManyRequest(const ManyRequest& request, const EngineOptions& options) {
  if (request.solutions > kMaximumKept)
    throw ConfigError(
        "solutions",
        request.solutions == kAllSolutions ? "all, of many lattices" : std::to_string(request.solutions),
        fmt::format("0 to {} of each lattice", kMaximumKept));
  if (!request.batchPath.empty() && !request.lattices.empty())
    throw ConfigError("batch", "a file and lattices in memory", "one of the two");
  if (hasLattice(request))
    checkRequest(latticeRequest(request), {});
  else if (request.reduction != "auto")
    throw ConfigError("reduction", "\"" + request.reduction + "\" of many lattices",
                      "auto, or a basis or gram of all targets, which is reduced once");
  if (!request.batchPath.empty() && request.outputPath.empty())
    throw ConfigError("output.path", "nothing",
                      "the name of a file for the answers (JSON Lines), or - for standard output");
  if (!options.checkpointPath.empty())
    throw ConfigError(
        "checkpoint", "\"" + options.checkpointPath + "\" of many lattices",
        "none: answers are in the order of the lattices, and a new run goes on behind the last");
  if (!options.tracePath.empty())
    throw ConfigError("trace", "\"" + options.tracePath + "\" of many lattices",
                      "none: a trace shows turns and launches, which the lattices of a batch do not have");
}

}  // namespace slicepool::lattice
