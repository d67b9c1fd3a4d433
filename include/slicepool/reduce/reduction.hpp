// The library's front door to block reduction (BKZ) of a lattice basis: a request, and an object that reduces
// on all cores, with large blocks searched by GPUs. The command line and the sweeps are thin users of this
// header.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"

namespace slicepool::reduce {

/// Of Request::blockSize: the largest that fplll has strategies for.
inline constexpr int kMaximumBlockSize = 100;
/// Rows of a basis.
inline constexpr int kMaximumRows = 512;
/// Of Request::tours.
inline constexpr int kStandardTours = 8;
inline constexpr int kMaximumTours = 1'000'000;
/// Of Request::trials.
inline constexpr int kMaximumTrials = 10'000;

struct Request {
  /// Independent rows, 1 to kMaximumRows, of integers: the name of a file, or the text, "[[1 0] [0 2]]". One
  /// of the two.
  std::string basisPath;
  std::string basis;
  /// In place of a basis its Gram matrix, as lattice::Request has it.
  std::string gramPath;
  std::string gram;
  int blockSize = 0;           ///< B of the tours, 2 .. kMaximumBlockSize; 0: LLL alone
  int tours = kStandardTours;  ///< with blocks of B, at most, 1 .. kMaximumTours
  /// Trials of each block that is searched with pruning, 1 .. kMaximumTrials; 0: by its size.
  int trials = 0;
  std::uint64_t seed = 0;  ///< of the rerandomisation of trials
  /// The reduced basis, as fplll writes it; with a Gram matrix that of the reduced basis, T G T^t. "-":
  /// standard output; empty: none.
  std::string outputPath;
  /// With a Gram matrix: T, whose rows are the coefficients of the reduced basis. "-" and empty as above.
  std::string transformationPath;
};

/// One tour that is complete.
struct Tour {
  int blockSize = 0;
  double seconds = 0;
  std::uint64_t inserted = 0;  ///< blocks in which a shorter vector was found
  double hermiteFactor = 0;    ///< after it, as Outcome::hermiteFactor
  double slope = 0;            ///< likewise
};

struct Outcome {
  int dimension = 0;
  int columns = 0;
  std::string basis;        ///< the reduced rows, as text; with a Gram matrix their coefficients
  std::string gram;         ///< with a Gram matrix: that of the reduced rows, as text
  std::string squaredNorm;  ///< of the first row, exact, decimal
  /// (|b_1| / det^(1/d))^(1/d), of the basis that was given after LLL and of the reduced one.
  double hermiteFactorBefore = 0;
  double hermiteFactor = 0;
  double ghRatio = 0;  ///< |b_1| over the Gaussian heuristic
  /// Of ln |b*_i|^2 over i, by least squares: what fplll calls slope.
  double slope = 0;
  double logPotential = 0;          ///< sum_i (d - i) ln |b*_i|^2, i from 0
  std::vector<double> profile;      ///< log2 |b*_i|
  std::vector<Tour> tours;          ///< smaller blocks first
  bool unchanged = false;           ///< a tour with blocks of B changed nothing
  std::uint64_t blocks = 0;         ///< that were searched
  std::uint64_t inserted = 0;       ///< of them: with a shorter vector
  std::uint64_t trials = 0;         ///< of all blocks
  std::uint64_t nodes = 0;          ///< of all trees
  double lllSeconds = 0;            ///< LLL of the whole basis, by one core
  double preprocessingSeconds = 0;  ///< of all threads together: reduction of blocks before their searches
  double searchSeconds = 0;         ///< likewise: trees on cores
  double deviceSeconds = 0;         ///< trees on devices
  double sizeReductionSeconds = 0;  ///< insertion into the basis, size reduction, Gram-Schmidt data
  std::string outputPath;
  std::uint64_t outputBytes = 0;
  std::string transformationPath;
  std::uint64_t transformationBytes = 0;

  std::string checkpointPath;  ///< what an unfinished run can be resumed from; empty: nothing
  RunReport run;
};

/// One reduction. Construction reads and checks the request (ConfigError) and asks for the devices that the
/// mode needs (DeviceError); run() executes, once. A run that is stopped has the basis as far as it is
/// reduced, and writes it too. Needs a build with fplll.
///
///     slicepool::reduce::Request request;
///     request.basisPath = "basis.txt";
///     request.blockSize = 50;
///     slicepool::reduce::Reduction reduction(request, {.mode = slicepool::Mode::cpu});
///     reduction.run();
///     reduction.outcome().basis;   // "[[25 -1 -37 ..]"
///
/// In mode `cpu` the basis is a function of the request and of the instruction set, not of threads.
class Reduction : public RunHandle {
 public:
  Reduction(Request request, EngineOptions options);
  /// After run(). Moves the report out.
  [[nodiscard]] Outcome outcome();

 private:
  class Impl;
};

}  // namespace slicepool::reduce
