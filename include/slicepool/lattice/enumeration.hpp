// The library's front door to lattice enumeration: a request, and an enumeration object that runs it on CPU,
// GPU or both. The command line and the sweeps are thin users of this header.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/lattice/squared_radius.hpp"
#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {

/// For Request::solutions.
inline constexpr std::uint64_t kAllSolutions = std::numeric_limits<std::uint64_t>::max();

struct Solution;
struct PreparedSearch;

struct Request {
  /// The basis, rows, as fplll's matrix text ("[[1 0] [0 2]]"): the name of a file, or the text itself. One
  /// of the two. 1 to kMaximumDimension linearly independent rows of integers, of up to 20000 digits; squared
  /// norms of the basis that is searched are at most 1e300. Rows without brackets around them, as fpylll
  /// prints them, are read too.
  std::string basisPath;
  std::string basis;
  /// In place of a basis the Gram matrix of one, G_ij = <b_i, b_j>, in the same form of text: symmetric and
  /// positive definite integers. Vectors are then rows of coefficients of b_1 .. b_d, with |v|^2 = v G v.
  std::string gramPath;
  std::string gram;
  /// Vectors close to this one: "[1/2 -0.25 3]", as many integers, decimals or fractions as the basis has
  /// columns (the Gram matrix rows), exact; the name of a file, or the text itself. Empty: short vectors.
  /// Where "squared norm" stands below, squared distance is meant then; without a radius the closest vector
  /// is searched, in balls that grow up to the distance of Babai's nearest plane. Not with pruning, shards or
  /// both signs.
  std::string targetPath;
  std::string target;
  /// "auto" (LLL, of a basis that is not reduced), "none", "lll" or "bkz-B". Needs fplll unless the basis is
  /// reduced and nothing is asked. What is searched is the reduced basis.
  std::string reduction = "auto";

  /// R^2, exact: an integer, a double, or a decimal or fraction as a text of up to 4096 characters ("2/3").
  /// Vectors of exactly this squared norm are within, and no longer one is counted, kept or written. 0 or "":
  /// see below.
  SquaredRadius squaredRadius;
  /// R as a multiple of the Gaussian heuristic (the radius of a ball with the volume of the lattice): a
  /// factor of lengths, R^2 = F^2 GH^2, computed in double precision and rounded up by one part in 2^44, more
  /// than its error: nothing within F GH is lost. Outcome::squaredRadius is the R^2 that this became; asked
  /// for as squaredRadius it gives the same search. fplll's gh_factor is a factor of squared lengths, the
  /// square of this. 0: see below.
  double ghFactor = 0;
  // With neither of the two the shortest vector is searched: R is the norm of the shortest row. It is looked
  // for in balls that grow, the first of which has three pairs by the Gaussian heuristic.

  /// All vectors within R, or a radius that shrinks to the shortest vector found so far. Asking for other
  /// than one solution fixes it.
  bool fixedRadius = false;
  /// Coefficients in (0, 1], none larger than the one before, as many as rows: the projected squared norm of
  /// level k is at most pruning[k] R^2. Empty: none.
  std::vector<double> pruning;
  /// The same from a file, or "fplll:P" from fplll's pruner for a success probability P. Empty: none.
  std::string pruningPath;

  /// Shortest solutions to keep: a number, kAllSolutions (only with an output), or 0 (they are counted).
  std::uint64_t solutions = 1;
  /// Vectors of a smaller squared norm are left out: with R a shell lo <= |v|^2 <= hi. Exact, as R^2. Fixes
  /// the radius. None: all vectors other than zero.
  SquaredRadius minimumSquaredNorm;
  /// Count, keep and write v and -v, both. Fixes the radius. The fingerprint stays that of the pairs.
  bool bothSigns = false;
  /// Count the vectors of each squared norm, exactly: the theta series up to R. Fixes the radius. Not with
  /// pruning, `first` or shards.
  bool theta = false;
  /// A test of each vector within the radius, of which solutions are those that it accepts: only these are
  /// counted, kept and written, and `first` is about them. Of a pair v, -v it is asked about the one whose
  /// last nonzero coefficient is positive. Threads call it, several at once, and wait while it works; what it
  /// throws ends the run and is thrown by run(). Only with a radius; not with theta. A caller that resumes
  /// the run brings the same test. Empty: all vectors.
  std::function<bool(const Solution&)> accept;
  /// Tells one test from others: a checkpoint goes on with the same text only. Empty: which test it is, is
  /// the caller's to know.
  std::string acceptIdentity;
  /// Stop when this many solutions are known; which ones may differ from run to run. 0: all.
  std::uint64_t first = 0;
  /// Vectors as .npy or .txt, "-": text on standard output; empty: none. K shortest in order of length; all
  /// of them in the order in which they are found, which differs from run to run.
  std::string outputPath;
  Algorithm algorithm = Algorithm::automatic;
  /// The search is cut into this many parts, of which `shard` (from 0) is run; 1: the whole search. Only with
  /// a fixed radius. Counts, nodes and fingerprints of all shards add up to those of the whole.
  std::uint32_t shards = 1;
  std::uint32_t shard = 0;
};

/// A lattice vector; of the pair v, -v the one whose last nonzero coefficient is positive, unless both are
/// wanted.
struct Solution {
  std::string squaredNorm;  ///< exact, decimal
  std::string text;         ///< "[1 -2 3]", exact
  /// Empty when elements may be beyond 64 bits. With a Gram matrix: coefficients of the basis that it is of.
  std::vector<std::int64_t> vector;
  /// Over the rows of the searched basis; with a target empty.
  std::vector<std::int16_t> coefficients;
};

struct Outcome {
  std::uint64_t count =
      0;  ///< solutions, up to sign unless both are wanted; with a shrinking radius those found on the way
  /// Accepted nodes of the half space, with one zero path; of all balls, but for those before a checkpoint.
  std::uint64_t nodes = 0;
  std::vector<std::uint64_t> nodesPerLevel;
  Fingerprint fingerprint;  ///< of the set of solutions, by their coefficients
  std::string
      shortestSquaredNorm;  ///< exact, decimal ("7/4" with a target); empty: nothing within the radius
  std::vector<Solution> solutions;  ///< those kept, sorted by norm, then by coefficients, the last first

  /// With Request::theta: exact squared norms (decimal) and the number of vectors of each, v and -v apart,
  /// by norm, from the one vector of norm 0 on (with a least squared norm: from the first that has it).
  std::vector<std::pair<std::string, std::uint64_t>> thetaSeries;

  std::uint64_t frontierSlices = 0;  ///< with shards: those that the shard started from
  int dimension = 0;
  SquaredRadius squaredRadius;              ///< R^2, exact, also of balls; none: the one of the nearest plane
  std::string nearestPlaneSquaredDistance;  ///< with a target: exact, "7/4"
  double ghFactor = 0;                      ///< R over the Gaussian heuristic
  bool fixedRadius = false;
  std::string reduction;  ///< what was done with the basis: "none", "lll", "bkz-20"

  std::string outputPath;
  std::uint64_t outputRows = 0;
  std::uint64_t outputBytes = 0;
  std::string checkpointPath;  ///< what an unfinished run can be resumed from; empty: nothing
  RunReport run;
};

/// One enumeration. Construction reads and checks the request and reduces the basis (ConfigError,
/// LimitError), asks for the devices that the mode needs (DeviceError) and makes the tables; run() executes,
/// once. With a fixed radius the count, the nodes of each level and the set of solutions are the same in
/// every mode. Norms are recomputed from the integer basis for every solution before it is reported or
/// written.
///
///     slicepool::lattice::Request request;
///     request.basis = "[[1 3] [3 -2]]";
///     slicepool::lattice::Enumeration enumeration(request, {.mode = slicepool::Mode::cpu});
///     enumeration.run();
///     enumeration.outcome().shortestSquaredNorm;   // "10"
class Enumeration : public RunHandle {
 public:
  Enumeration(Request request, EngineOptions options);
  /// For the library's own parts (runtime/lattice/prepared_search.hpp): of a search that is prepared. Matrix
  /// and target of the request are not read.
  Enumeration(Request request, EngineOptions options, PreparedSearch search);
  /// After run(). Moves the solutions out.
  [[nodiscard]] Outcome outcome();

 private:
  class Impl;
};

}  // namespace slicepool::lattice
