// See lattice_request.hpp.
#include "runtime/config/lattice_request.hpp"

#include <limits>

#include "runtime/lattice/request_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

double radiusAt(const Json& document, const char* key) {
  return document.contains(key) ? requireNumber(document[key], key, std::numeric_limits<double>::min(), 1e300)
                                : 0;
}

std::uint64_t solutionsOf(const Json& document) {
  if (!document.contains("solutions")) return 1;
  const Json& value = document["solutions"];
  return value == Json("all") ? lattice::kAllSolutions : requireUnsigned(value, "solutions", 0, kLargest);
}

}  // namespace

lattice::Request parseLatticeRequest(const RunConfig& config) {
  const Json& document = config.document;
  lattice::Request request;
  const auto basis = document.at("basis").get<std::string>();
  const std::size_t begin = basis.find_first_not_of(" \t\r\n");
  const bool isMatrix = begin != std::string::npos && basis[begin] == '[';
  (isMatrix ? request.basis : request.basisPath) = basis;
  request.reduction = document.value("reduction", std::string("auto"));
  request.squaredRadius = radiusAt(document, "squared_radius");
  request.ghFactor = radiusAt(document, "gh_factor");
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
  if (document.contains("first")) request.first = requireUnsigned(document["first"], "first", 1, kLargest);
  request.outputPath = config.outputPath;
  request.algorithm = lattice::parseAlgorithm(document.value("algorithm", std::string("auto")));
  return request;
}

}  // namespace slicepool::config
