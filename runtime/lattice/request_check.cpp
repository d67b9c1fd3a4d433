// See request_check.hpp.
#include "runtime/lattice/request_check.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runtime/io/shown.hpp"
#include "runtime/lattice/exact_ratio.hpp"
#include "runtime/lattice/pruning.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/lattice/vector_file.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {
namespace {

constexpr std::array<std::pair<Algorithm, const char*>, 2> kAlgorithms = {
    {{Algorithm::automatic, "auto"}, {Algorithm::compacted, "compacted"}}};

std::string describeSolutions(std::uint64_t solutions) {
  return solutions == kAllSolutions ? "all" : std::to_string(solutions);
}

std::string sought(const Request& request) {
  return hasTarget(request) ? "a search for the closest vector" : "a search for the shortest vector";
}

void checkSolutions(const Request& request) {
  const bool shortest = !request.squaredRadius.given() && request.ghFactor == 0;
  const char* const kRadiusWanted = "this only with a radius (squared_radius or gh_factor)";
  if (shortest && request.solutions != 1)
    throw ConfigError("solutions", describeSolutions(request.solutions) + " of " + sought(request),
                      kRadiusWanted);
  if (shortest && request.first != 0)
    throw ConfigError("first", std::to_string(request.first) + " of " + sought(request), kRadiusWanted);
  if (shortest && request.fixedRadius)
    throw ConfigError("fixed_radius", "true for " + sought(request), kRadiusWanted);
  if (shortest && request.accept)
    throw ConfigError("accept", "a test of vectors for " + sought(request), kRadiusWanted);
  if (request.solutions == kAllSolutions && request.outputPath.empty())
    throw ConfigError("solutions", "all without an output",
                      "a number of shortest vectors to keep, or all with an output");
  if (request.solutions == 0 && !request.outputPath.empty())
    throw ConfigError("output.path", "\"" + request.outputPath + "\" with solutions 0",
                      "an output of at least one solution");
}

void checkTheta(const Request& request) {
  if (!request.theta) return;
  const auto refuse = [](const std::string& with, const std::string& accepted) {
    throw ConfigError("theta", "true with " + with, accepted);
  };
  if (!request.squaredRadius.given() && request.ghFactor == 0)
    refuse(sought(request), "this only with a radius (squared_radius or gh_factor)");
  if (!request.pruning.empty() || !request.pruningPath.empty())
    refuse("pruning", "this only without pruning, which leaves vectors out");
  if (request.first != 0) refuse(fmt::format("first {}", request.first), "this only for all vectors");
  if (request.accept) refuse("a test of vectors (accept)", "this only for all vectors");
  if (request.shards > 1)
    refuse(fmt::format("{} shards", request.shards), "this only for a whole search, on ranks as well");
}

void checkShell(const Request& request) {
  const bool shortest = !request.squaredRadius.given() && request.ghFactor == 0;
  const char* const kRadiusWanted = "this only with a radius (squared_radius or gh_factor)";
  const auto& least = request.minimumSquaredNorm;
  if (shortest && least.given())
    throw ConfigError("minimum_squared_norm", least.text() + " of " + sought(request), kRadiusWanted);
  if (shortest && request.bothSigns)
    throw ConfigError("both_signs", "true for " + sought(request), kRadiusWanted);
  if (least.given() && request.squaredRadius.given() && !isAtMost(least, request.squaredRadius))
    throw ConfigError("minimum_squared_norm", shown(least.text()),
                      "at most the squared radius, " + shown(request.squaredRadius.text()));
  if (request.bothSigns && request.first % 2 != 0)
    throw ConfigError("first", fmt::format("{} with both signs", request.first),
                      "an even number: a vector and its opposite are found together");
}

/// What is about v and -v, or about a lattice of one row less.
void checkTarget(const Request& request) {
  if (!hasTarget(request)) return;
  if (!request.targetPath.empty() && !request.target.empty())
    throw ConfigError("target", "a file and a text", "one of the two");
  const auto refuse = [](const char* field, const std::string& got, const std::string& accepted) {
    throw ConfigError(field, got + " with a target", accepted);
  };
  if (request.bothSigns) refuse("both_signs", "true", "nothing: v and -v are not equally close");
  if (!request.pruning.empty() || !request.pruningPath.empty())
    refuse("pruning", request.pruningPath.empty() ? "coefficients" : "\"" + request.pruningPath + "\"",
           "no pruning");
  if (request.shards > 1)
    refuse("shards", std::to_string(request.shards), "a whole search, on ranks as well");
}

void checkShards(const Request& request) {
  if (request.shards < 1 || request.shards > kMaximumShards)
    throw ConfigError("shards", std::to_string(request.shards), fmt::format("1 to {}", kMaximumShards));
  if (request.shard >= request.shards)
    throw ConfigError("shard", fmt::format("{} of {} shards", request.shard, request.shards),
                      fmt::format("0 to {}", request.shards - 1));
  if (request.shards == 1) return;
  if (request.first != 0)
    throw ConfigError("first", fmt::format("{} with {} shards", request.first, request.shards),
                      "first only without shards");
  if (!fixesRadius(request))
    throw ConfigError(
        "shards", fmt::format("{} with a shrinking radius", request.shards),
        "shards only with a fixed radius (fixed_radius): what one shard finds would have to shrink "
        "the radius of the others");
}

}  // namespace

void checkRequest(const Request& request, const EngineOptions& options) {
  requireOneMatrix(matrixOf(request));
  (void)parseReduction(request.reduction);
  if (!std::isfinite(request.ghFactor) || request.ghFactor < 0)
    throw ConfigError("gh_factor", fmt::format("{}", request.ghFactor), "a finite number above 0");
  if (request.squaredRadius.given() && request.ghFactor != 0) {
    throw ConfigError("gh_factor", fmt::format("{} together with squared_radius", request.ghFactor),
                      "one of the two, or neither (the shortest vector)");
  }
  if (!request.pruning.empty() && !request.pruningPath.empty())
    throw ConfigError("pruning", "coefficients and \"" + request.pruningPath + "\"", "one of the two");
  (void)prunerProbability(request.pruningPath);
  checkSolutions(request);
  checkTarget(request);
  checkShell(request);
  checkTheta(request);
  checkShards(request);
  if (!request.outputPath.empty()) {
    (void)vectorFormat(request.outputPath);
    if (request.outputPath == "-" && !options.checkpointPath.empty())
      throw ConfigError("checkpoint", "\"" + options.checkpointPath + "\" with an output to standard output",
                        "a checkpoint only with an output that can be continued (a file)");
  }
}

bool fixesRadius(const Request& request) {
  return request.fixedRadius || request.solutions != 1 || request.first != 0 || request.theta ||
         request.minimumSquaredNorm.given() || request.bothSigns || request.accept;
}

GivenMatrix matrixOf(const Request& request) {
  return {request.basisPath, request.basis, request.gramPath, request.gram};
}
bool isGram(const Request& request) { return matrixOf(request).isGram(); }
bool hasTarget(const Request& request) { return !request.targetPath.empty() || !request.target.empty(); }

std::string algorithmName(Algorithm algorithm) {
  for (const auto& [value, name] : kAlgorithms)
    if (value == algorithm) return name;
  return "auto";
}

Algorithm parseAlgorithm(const std::string& text) {
  for (const auto& [value, name] : kAlgorithms)
    if (text == name) return value;
  throw ConfigError("algorithm", "\"" + text + "\"", "auto or compacted");
}

}  // namespace slicepool::lattice
