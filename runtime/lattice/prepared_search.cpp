// See prepared_search.hpp.
#include "runtime/lattice/prepared_search.hpp"

#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/core/kept_values.hpp"
#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/pruning.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/lattice/request_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

using Kind = ReductionChoice::Kind;

/// Reduces as asked; returns the Gram-Schmidt data of what is searched.
GramSchmidt reduceBasis(const Request& request, const std::string& name, PreparedSearch& search) {
  const ReductionChoice choice = parseReduction(request.reduction);
  search.reduction = "none";
  if (choice.kind == Kind::lll || choice.kind == Kind::bkz) {
    // The same for all shards of a plan.
    search.basis = *keptOrMade(fmt::format("{} {}", choice.blockSize, basisText(search.basis)),
                               [&] { return reduced(search.basis, choice.blockSize); });
    search.reduction = request.reduction;
  }
  Orthogonalization first(search.basis);
  if (!first.flaw()) return first.result();
  if (choice.kind != Kind::automatic || !fplllLinked()) {
    throw ConfigError(
        name, "a basis that is not reduced (" + first.flaw()->what + ")",
        fplllLinked() ? std::string("an LLL-reduced basis, or reduction auto, lll or bkz-B")
                      : "an LLL-reduced basis (fplll -a lll FILE and fpylll's LLL.reduction make one), or " +
                            std::string(kGetFplll) + ", which reduces it");
  }
  search.basis = reduced(search.basis);
  search.reduction = "lll";
  Orthogonalization second(search.basis);
  if (second.flaw()) throw Error("fplll returned a basis that is not reduced: " + second.flaw()->what);
  return second.result();
}

/// F^2 GH^2, rounded up by more than its error: no vector within F GH is lost.
SquaredRadius radiusOfFactor(double factor, double gaussianSquaredRadius) {
  const double squared = factor * factor * gaussianSquaredRadius * (1 + std::ldexp(1.0, -44));
  if (squared >= 1e-300 && squared <= 1e300) return squared;
  throw ConfigError("gh_factor", fmt::format("{}, which is an R^2 of {:.3g}", factor, squared),
                    "a factor that gives an R^2 from 1e-300 to 1e300");
}

SquaredRadius radiusOf(const Request& request, const PreparedSearch& search) {
  if (request.squaredRadius.given()) return request.squaredRadius;
  if (request.ghFactor != 0) return radiusOfFactor(request.ghFactor, search.gaussianSquaredRadius);
  return leastSquaredNorm(search.basis).str();
}

std::vector<double> pruningOf(const Request& request, const ProblemSpec& spec) {
  if (!request.pruning.empty()) {
    checkPruning(request.pruning, spec.dimension);
    return request.pruning;
  }
  if (request.pruningPath.empty()) return {};
  const auto probability = prunerProbability(request.pruningPath);
  if (!probability) return readPruning(request.pruningPath, spec.dimension);
  return prunedBounds(spec.norms, spec.squaredRadius, *probability);
}

std::uint64_t hashOf(const std::string& text) { return XXH3_64bits(text.data(), text.size()); }

std::string identityOf(const Request& request, const PreparedSearch& search) {
  std::string pruning;
  for (const double coefficient : search.spec.pruning) pruning += fmt::format("{} ", coefficient);
  const std::string shard =
      request.shards == 1 ? "" : fmt::format(" shard={}/{}", request.shard, request.shards);
  return fmt::format(
      "d={} basis={:016x} R2={} fixed={} pruning={:016x} solutions={} first={} algorithm={} output={}{}{}",
      search.spec.dimension, hashOf(basisText(search.basis)), search.squaredRadius.text(),
      search.spec.shrinking ? 0 : 1, hashOf(pruning), request.solutions, request.first,
      algorithmName(request.algorithm),
      // Its name alone: the folder may be spelled in another way, or be moved with the files in it.
      request.solutions == kAllSolutions ? std::filesystem::path(request.outputPath).filename().string()
                                         : "-",
      shard, request.theta ? " theta" : "");
}

}  // namespace

PreparedSearch prepareSearch(const Request& request) {
  PreparedSearch search;
  const std::string name = request.basisPath.empty() ? "basis" : request.basisPath;
  search.basis = request.basisPath.empty() ? parseBasis(request.basis, name) : readBasis(request.basisPath);
  requireIndependent(search.basis, name);
  GramSchmidt data = reduceBasis(request, name, search);
  search.gaussianSquaredRadius = gaussianSquaredRadius(data.norms);
  ProblemSpec& spec = search.spec;
  spec.dimension = data.dimension;
  spec.mu = std::move(data.mu);
  spec.norms = std::move(data.norms);
  search.squaredRadius = radiusOf(request, search);
  search.radius = searchRadius(search.squaredRadius, spec);
  spec.squaredRadius = search.radius.bound;
  spec.findFactor = search.radius.findFactor;
  spec.shrinking = !fixesRadius(request);
  spec.pruning = pruningOf(request, spec);
  spec.algorithm = request.algorithm;
  spec.shards = request.shards;
  spec.shard = request.shard;
  search.identity = identityOf(request, search);
  return search;
}

}  // namespace slicepool::lattice
