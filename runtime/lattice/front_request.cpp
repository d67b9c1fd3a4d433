// See front_request.hpp.
#include "runtime/lattice/front_request.hpp"

#include <limits>
#include <string_view>

#include "runtime/app/config/shard_rule.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/lattice/accept_library.hpp"
#include "runtime/lattice/exact_ratio.hpp"
#include "runtime/lattice/front_matrix.hpp"
#include "runtime/lattice/request_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::config {
namespace {

/// As it was written: a double would round it.
lattice::SquaredRadius numberOf(const Json& document, const char* member) {
  if (!document.contains(member)) return {};
  const std::string decimal = decimalText(document[member]);
  try {
    return decimal.empty() ? lattice::SquaredRadius("\"\"") : lattice::SquaredRadius(decimal);
  } catch (const ConfigError&) {  // which names a squared radius
    if (std::string_view(member) == "squared_radius") throw;
    throw ConfigError(member, describeValue(document[member]), lattice::kAcceptedRadius);
  }
}

double factorOf(const Json& document) {
  if (!document.contains("gh_factor")) return 0;
  return requireNumber(document["gh_factor"], "gh_factor", 0, std::numeric_limits<double>::max());
}

std::uint64_t solutionsOf(const Json& document) {
  if (!document.contains("solutions")) return 1;
  const Json& value = document["solutions"];
  return value == Json("all") ? lattice::kAllSolutions
                              : requireUnsigned(value, "solutions", 0, kMaximumInteger);
}

void setRadius(const Json& document, lattice::Request& request) {
  request.squaredRadius = numberOf(document, "squared_radius");
  request.minimumSquaredNorm = numberOf(document, "minimum_squared_norm");
  if (!document.contains("shell")) return;
  for (const char* other : {"squared_radius", "gh_factor", "shortest", "minimum_squared_norm"})
    if (document.contains(other))
      throw ConfigError(
          "shell",
          describeValue(document["shell"]) + " together with " + other + " " + describeValue(document[other]),
          "one of the two");
  request.squaredRadius = request.minimumSquaredNorm = numberOf(document, "shell");
}

}  // namespace

lattice::Request parseLatticeRequest(const RunConfig& config) {
  const Json& document = config.document;
  lattice::Request request;
  setMatrix(document, "basis", request.basis, request.basisPath);
  setMatrix(document, "gram", request.gram, request.gramPath);
  setMatrix(document, "target", request.target, request.targetPath);
  request.reduction = document.value("reduction", std::string("auto"));
  setRadius(document, request);
  request.ghFactor = factorOf(document);
  for (const char* radius : {"squared_radius", "gh_factor"}) {
    if (document.contains("shortest") && document.contains(radius)) {
      throw ConfigError("shortest",
                        "true together with " + std::string(radius) + " " + describeValue(document[radius]),
                        "one of shortest, squared_radius and gh_factor");
    }
  }
  request.fixedRadius = document.value("fixed_radius", false);
  request.pruningPath = document.value("pruning", std::string{});
  request.solutions = solutionsOf(document);
  request.bothSigns = document.value("both_signs", false);
  request.theta = document.value("theta", false);
  if (document.contains("accept")) {
    const lattice::AcceptLibrary library(document["accept"].get<std::string>());
    request.accept = library.ofOne();
    request.acceptIdentity = library.identity();
  }
  if (document.contains("first"))
    request.first = requireUnsigned(document["first"], "first", 1, kMaximumInteger);
  const ShardChoice choice = shardChoice(document, lattice::kMaximumShards);
  request.shards = choice.shards;
  request.shard = choice.shard;
  request.outputPath = config.outputPath;
  request.algorithm = lattice::parseAlgorithm(document.value("algorithm", std::string("auto")));
  return request;
}

}  // namespace slicepool::config
