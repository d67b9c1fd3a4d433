// The library's front door to the search for a shortest vector of a lattice: a request, and an enumeration
// object that reduces and searches many bases of the lattice on CPU, GPU or both. The command line and the
// sweeps are thin users of this header.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/lattice/squared_radius.hpp"

namespace slicepool::svp {

/// Of Request::proofLimit, in seconds.
inline constexpr double kStandardProofLimit = 60;
/// Of Request::probability.
inline constexpr double kStandardProbability = 0.99;
/// Of Request::blockSize: the largest that fplll has strategies for.
inline constexpr int kMaximumBlockSize = 100;

/// What is expected of the unpruned search that would settle the question.
struct ProofCost {
  double nodes = 0;
  double seconds = 0;  ///< at the rate of this machine, measured or, before that, assumed
};

/// Where the rates come from by which a search chooses prunings, and between trials and a proof.
enum class RateSource : std::uint8_t {
  measured,  ///< in this run: what is fastest on this machine
  fixed      ///< constants, docs/svp.md: the same on every machine and under any load
};

struct Request {
  /// The basis, rows, as lattice::Request has it: the name of a file, or the text. One of the two.
  std::string basisPath;
  std::string basis;
  /// In place of a basis its Gram matrix, as lattice::Request has it: vectors are then rows of coefficients.
  std::string gramPath;
  std::string gram;
  /// A vector of at most this squared norm is good enough. None: see ghFactor.
  lattice::SquaredRadius squaredNorm;
  /// A vector of at most this multiple of the Gaussian heuristic is good enough (a factor of lengths). 0 with
  /// no squaredNorm: a shortest vector is wanted.
  double ghFactor = 0;

  std::uint64_t seed = 0;  ///< of the trials
  int blockSize = 0;       ///< of the last BKZ tour of each trial, 2 .. kMaximumBlockSize; 0: by dimension
  /// Trials end when a vector within the radius would have been found with this probability. In (0, 1).
  double probability = kStandardProbability;
  /// Success probability of each trial, in (0, 1); 0: what makes the whole cheapest on this machine.
  double trialProbability = 0;
  RateSource rates = RateSource::measured;
  /// Seconds that the unpruned search may be expected to take; 0: there is no proof.
  double proofLimit = kStandardProofLimit;
  /// Called before the unpruned search begins, by the thread in run().
  std::function<void(const ProofCost&)> onProof;
};

struct Outcome {
  int dimension = 0;
  bool exact = false;             ///< a shortest vector was wanted
  lattice::SquaredRadius target;  ///< else: R^2
  /// The vector is good enough: it is within the target, or a shortest one as far as is known.
  bool found = false;
  /// Without a doubt: the shortest vector is proven to be one, or the target to have none within.
  bool proven = false;
  std::string squaredNorm;           ///< of the shortest vector that is known, exact, decimal
  std::string text;                  ///< that vector, "[1 -2 3]"; with a Gram matrix its coefficients
  double ghRatio = 0;                ///< its length over the Gaussian heuristic
  double foundSeconds = 0;           ///< when it was found, after the start of run() and of the runs before
  double successProbability = 0;     ///< 1 - prod(1 - p_i) over the trials with the last radius
  double gaussianSquaredRadius = 0;  ///< GH^2

  std::uint64_t trials = 0;     ///< that are complete
  std::uint64_t inserted = 0;   ///< vectors that were put into the starting basis
  int blockSize = 0;            ///< of the last tour of each trial
  double reductionSeconds = 0;  ///< of all threads together
  double pruningSeconds = 0;    ///< likewise, in the pruner
  double searchSeconds = 0;     ///< likewise, in pruned trees on cores
  double proofSeconds = 0;      ///< of the unpruned search
  std::uint64_t nodes = 0;      ///< of pruned trees and of the unpruned one
  std::uint64_t proofNodes = 0;
  double deviceBusyShare =
      0;                    ///< of the time of the trials in which a device searched, the mean of all devices
  ProofCost expectedProof;  ///< of an unpruned search within the radius; nodes 0: nothing is to be proven

  std::string checkpointPath;  ///< what an unfinished run can be resumed from; empty: nothing
  RunReport run;
};

/// One search. Construction reads and checks the request (ConfigError) and asks for the devices that the mode
/// needs (DeviceError); run() executes, once, and throws an Error when it is cancelled before the basis is
/// reduced. Needs a build with fplll.
///
///     slicepool::svp::Request request;
///     request.basisPath = "basis.txt";
///     slicepool::svp::Enumeration search(request, {.mode = slicepool::Mode::cpu});
///     search.run();
///     search.outcome().text;   // "[25 -1 -37 ..]"
class Enumeration : public RunHandle {
 public:
  Enumeration(Request request, EngineOptions options);
  /// After run(). Moves the report out.
  [[nodiscard]] Outcome outcome();

 private:
  class Impl;
};

}  // namespace slicepool::svp
