// See prepared_search.hpp.
#include "runtime/lattice/prepared_search.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/core/kept_values.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/lattice/bounds_view.hpp"
#include "runtime/lattice/given_lattice.hpp"
#include "runtime/lattice/gram_reduction.hpp"
#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/pruning.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/lattice/request_check.hpp"
#include "runtime/lattice/search_balls.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

using Kind = ReductionChoice::Kind;

/// Rows and inner products: what a search depends on.
std::string contentText(const IntegerBasis& basis) {
  std::string text = basisText(basis);
  if (!basis.gram.empty()) text += "gram";
  for (const Integer& entry : basis.gram) text += " " + entry.str();
  return text;
}

IntegerBasis reducedBasis(const IntegerBasis& basis, int blockSize = 0) {
  return basis.gram.empty() ? reduced(basis, blockSize) : reducedByGram(basis, blockSize);
}

/// Reduces as asked; returns the Gram-Schmidt data of what is searched.
GramSchmidt reduceBasis(const Request& request, const std::string& name, PreparedLattice& lattice) {
  const ReductionChoice choice = parseReduction(request.reduction);
  lattice.reduction = "none";
  if (choice.kind == Kind::lll || choice.kind == Kind::bkz) {
    // The same for all shards of a plan.
    lattice.basis = *keptOrMade(fmt::format("{} {}", choice.blockSize, contentText(lattice.basis)), [&] {
      requireLattice(lattice.basis, name);
      return reducedBasis(lattice.basis, choice.blockSize);
    });
    lattice.reduction = request.reduction;
  }
  Orthogonalization first(lattice.basis);
  if (!first.flaw()) return first.result(name);
  // That rows are independent was checked before. A Gram matrix that is reduced is definite, others may not
  // be.
  if (!lattice.basis.gram.empty()) requireLattice(lattice.basis, name);
  if (choice.kind != Kind::automatic || !fplllLinked()) {
    throw ConfigError(
        name,
        (lattice.basis.gram.empty() ? "a basis that is not reduced ("
                                    : "a Gram matrix that is not reduced (") +
            first.flaw()->what + ")",
        fplllLinked() ? std::string("an LLL-reduced basis, or reduction auto, lll or bkz-B")
                      : "an LLL-reduced basis (fplll -a lll FILE and fpylll's LLL.reduction make one), or " +
                            std::string(kGetFplll) + ", which reduces it");
  }
  lattice.basis = reducedBasis(lattice.basis);
  lattice.reduction = "lll";
  Orthogonalization second(lattice.basis);
  if (second.flaw()) throw Error("fplll returned a basis that is not reduced: " + second.flaw()->what);
  return second.result(name);
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

std::vector<double> pruningOf(const Request& request, const ProblemSpec& spec, double squaredRadius) {
  if (!request.pruning.empty()) {
    checkPruning(request.pruning, spec.dimension);
    return request.pruning;
  }
  if (request.pruningPath.empty()) return {};
  const auto probability = prunerProbability(request.pruningPath);
  if (!probability) return readPruning(request.pruningPath, spec.dimension);
  return prunedBounds(spec.norms, squaredRadius, *probability);
}

std::uint64_t hashOf(const std::string& text) { return XXH3_64bits(text.data(), text.size()); }

Target targetOf(const Request& request, int columns) {
  const std::string name = request.targetPath.empty() ? "target" : request.targetPath;
  Target target =
      request.targetPath.empty() ? parseTarget(request.target, name) : readTarget(request.targetPath);
  requireTargetSize(target.numerators.size(), columns, isGram(request), name);
  return target;
}

std::string acceptIdentity(const Request& request) {
  if (!request.accept) return {};
  return " accept" + (request.acceptIdentity.empty() ? "" : "=" + request.acceptIdentity);
}

/// Only where asked for, so that older checkpoints go on.
std::string shellIdentity(const Request& request, const PreparedSearch& search) {
  std::string text;
  if (request.minimumSquaredNorm.given()) text += " least=" + request.minimumSquaredNorm.text();
  if (request.bothSigns) text += " both-signs";
  if (search.embedding.given()) text += fmt::format(" near={}", search.nearestPlaneDistance);
  return text + acceptIdentity(request);
}

std::string identityOf(const Request& request, const PreparedSearch& search) {
  std::string pruning;
  for (const double coefficient : search.spec.pruning) pruning += fmt::format("{} ", coefficient);
  const std::string shard =
      request.shards == 1 ? "" : fmt::format(" shard={}/{}", request.shard, request.shards);
  return fmt::format(
             "d={} basis={:016x} R2={} fixed={} pruning={:016x} solutions={} first={} algorithm={} "
             "output={}{}{}",
             search.spec.dimension, hashOf(contentText(search.basis)), search.squaredRadius.text(),
             search.spec.shrinking ? 0 : 1, hashOf(pruning), request.solutions, request.first,
             algorithmName(request.algorithm),
             // Its name alone: the folder may be spelled in another way, or be moved with the files in it.
             request.solutions == kAllSolutions
                 ? std::filesystem::path(request.outputPath).filename().string()
                 : "-",
             shard, request.theta ? " theta" : "") +
         shellIdentity(request, search);
}

IntegerBasis inputOf(const Request& request, std::string& name) {
  const GivenMatrix given = matrixOf(request);
  name = given.name();
  IntegerBasis basis = readMatrix(given);
  if (!given.isGram()) requireIndependent(basis, name);
  return basis;
}

PreparedLattice preparedLattice(const Request& request, IntegerBasis basis, const std::string& name) {
  PreparedLattice lattice;
  lattice.basis = std::move(basis);
  lattice.metric = lattice.basis.gram;
  lattice.data = reduceBasis(request, name, lattice);
  lattice.gaussianSquaredRadius = gaussianSquaredRadius(lattice.data.norms);
  return lattice;
}

}  // namespace

namespace {

void setSpec(GramSchmidt&& data, ProblemSpec& spec) {
  spec.dimension = data.dimension;
  spec.mu = std::move(data.mu);
  spec.norms = std::move(data.norms);
}

/// The least integer that is not below a number.
Integer roundedUp(const SquaredRadius& number) {
  Integer least(number.integerPart());
  if (!number.isInteger()) ++least;
  return least;
}

/// The radius of vectors around a target - `radius`, or the distance of the nearest plane - and the basis
/// with its row.
void embedTarget(const NearTarget& near, const SquaredRadius& radius, PreparedSearch& search) {
  const Integer square = near.denominator * near.denominator;
  search.nearestPlaneDistance = fractionText(near.squaredDistance, square);
  const double reach = radius.given() ? radius.rounded() : ratioOf(near.squaredDistance, square);
  search.basis = embedded(search.basis, near, reach, search.spec.norms.back(), search.embedding);
  try {
    // Also where it is not needed yet.
    if (!search.askedRadius.given())
      search.squaredRadius = SquaredRadius(Integer(near.squaredDistance + search.embedding.height).str());
    if (radius.given()) search.squaredRadius = search.embedding.scaled(radius);
  } catch (const ConfigError&) {
    // Of numbers that nobody gave.
    if (search.askedRadius.given()) {
      throw ConfigError(
          "squared_radius", shown(search.askedRadius.text()),
          fmt::format("a number that is at most 1e300 when it is multiplied by the square of the "
                      "target's common denominator, which has {} digits",
                      near.denominator.str().size()));
    }
    throw ConfigError(
        "target",
        fmt::format("numbers far from the lattice, or with a large common denominator ({} digits)",
                    near.denominator.str().size()),
        "numbers whose squared distances, times the square of that, are at most 1e300");
  }
  const Orthogonalization whole(search.basis);
  if (whole.flaw()) throw Error("a target that is not size-reduced: " + whole.flaw()->what);
  setSpec(GramSchmidt(whole.result()), search.spec);
  // The coefficient of the target is 1.
  search.spec.roots = {{search.spec.dimension - 1, {1}}};
}

/// `near`: of the target, or null; `ball`: where the vector is looked for, if not within the radius of the
/// request, the shortest row or the distance of the nearest plane.
PreparedSearch preparedWithin(const Request& request, PreparedLattice lattice, const NearTarget* near,
                              const SquaredRadius& ball) {
  PreparedSearch search;
  search.basis = std::move(lattice.basis);
  search.reduction = std::move(lattice.reduction);
  search.gaussianSquaredRadius = lattice.gaussianSquaredRadius;
  ProblemSpec& spec = search.spec;
  setSpec(std::move(lattice.data), spec);
  if (near == nullptr || request.squaredRadius.given() || request.ghFactor != 0)
    search.askedRadius = radiusOf(request, search);
  search.squaredRadius = ball.given() ? ball : search.askedRadius;
  if (near != nullptr) embedTarget(*near, ball.given() ? ball : search.askedRadius, search);
  if (request.minimumSquaredNorm.given())
    search.minimumSquaredNorm = roundedUp(
        near != nullptr ? search.embedding.scaled(request.minimumSquaredNorm) : request.minimumSquaredNorm);
  search.radius = searchRadius(search.squaredRadius, spec);
  spec.squaredRadius = search.radius.bound;
  spec.findFactor = search.radius.findFactor;
  spec.shrinking = !fixesRadius(request);
  spec.pruning = pruningOf(request, spec, search.radius.givenBound);
  spec.algorithm = request.algorithm;
  spec.shards = request.shards;
  spec.shard = request.shard;
  search.identity = identityOf(request, search);
  search.accept = acceptIdentity(request);
  return search;
}

/// Of a vector whose length nobody has said.
struct SearchInBalls {
  Request request;
  PreparedLattice lattice;
  std::optional<NearTarget> near;

  [[nodiscard]] const NearTarget* target() const { return near ? &*near : nullptr; }
  /// R^2 of the shortest row, or the distance of the nearest plane.
  [[nodiscard]] double farthest() const {
    if (!near) return leastSquaredNorm(lattice.basis).convert_to<double>();
    return ratioOf(near->squaredDistance, near->denominator * near->denominator);
  }
  [[nodiscard]] double ball(double vectors) const {
    const double apart = near ? distanceFromSpan(*near, lattice.basis, lattice.data) : 0;
    return apart + expectedBall(lattice.gaussianSquaredRadius, lattice.data.dimension, vectors);
  }
  [[nodiscard]] bool isWorth(double vectors) const {
    return (near || vectors <= kMostExpectedAroundZero) && ball(kMoreExpectedVectors * vectors) < farthest();
  }
};

/// In the ball in which so many vectors are expected, or in all that is left where this is not much more.
PreparedSearch preparedInBall(const std::shared_ptr<const SearchInBalls>& balls, double vectors) {
  if (!balls->isWorth(vectors)) return preparedWithin(balls->request, balls->lattice, balls->target(), {});
  PreparedSearch search =
      preparedWithin(balls->request, balls->lattice, balls->target(), balls->ball(vectors));
  search.wider = [balls, vectors] { return preparedInBall(balls, kMoreExpectedVectors * vectors); };
  return search;
}

}  // namespace

PreparedLattice prepareLattice(const Request& request) {
  std::string name;
  IntegerBasis basis = inputOf(request, name);
  IntegerBasis given = basis;
  PreparedLattice lattice = preparedLattice(request, std::move(basis), name);
  lattice.given = std::move(given);
  return lattice;
}

PreparedSearch prepareSearch(const Request& request,
                             const std::function<void(const IntegerBasis&)>& beforeReduction) {
  std::string name;
  IntegerBasis basis = inputOf(request, name);
  std::optional<Target> target;
  if (hasTarget(request)) target = targetOf(request, basis.columns);
  if (beforeReduction) beforeReduction(basis);
  return prepareSearch(request, preparedLattice(request, std::move(basis), name), target);
}

PreparedSearch prepareSearch(const Request& request, PreparedLattice lattice,
                             const std::optional<Target>& target) {
  SearchInBalls balls{{}, std::move(lattice), std::nullopt};
  if (target) balls.near = nearTarget(balls.lattice.basis, balls.lattice.metric, *target);
  const bool prunes = !request.pruning.empty() || !request.pruningPath.empty();
  const bool byRadius = request.squaredRadius.given() || request.ghFactor != 0 || fixesRadius(request);
  const double vectors = kFirstExpectedVectors * (target ? 1 : 2);
  if (byRadius || prunes || !balls.isWorth(vectors))
    return preparedWithin(request, std::move(balls.lattice), balls.target(), {});
  balls.request = request;
  for (std::string* text : {&balls.request.basis, &balls.request.gram, &balls.request.target}) text->clear();
  return preparedInBall(std::make_shared<const SearchInBalls>(std::move(balls)), vectors);
}

Integer greatestSquare(const PreparedSearch& search) {
  Integer norm(search.squaredRadius.integerPart());
  if (search.basis.gram.empty()) return norm;
  const std::vector<double> bounds = coefficientBounds(boundsView(search.spec));
  Integer greatest = 0;
  for (int j = 0; j < search.basis.columns; ++j) {
    Integer sum = 0;
    for (int i = 0; i < search.basis.dimension; ++i)
      // Coefficients are integers; the margin is far more than the error of their bounds.
      sum +=
          abs(search.basis.at(i, j)) * Integer(std::floor(bounds[static_cast<std::size_t>(i)] * (1 + 1e-6)));
    greatest = std::max(greatest, sum);
  }
  return greatest * greatest;
}

}  // namespace slicepool::lattice
