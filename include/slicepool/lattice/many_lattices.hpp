// Many lattices at once: thousands of small ones, each searched on one core as a task of its own; and many
// targets of one lattice. The command (slicepool lattice --batch) and the Python package are thin users of
// this header.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/lattice/squared_radius.hpp"

namespace slicepool::lattice {

/// Vectors that are kept of one lattice, at most.
inline constexpr std::uint64_t kMaximumKept = 1'000'000;

/// One lattice of many: a basis, or the Gram matrix of one. With a target vectors close to that are searched,
/// and without a matrix (`rows` 0, no text) those of the lattice of the request.
struct GivenLattice {
  bool gram = false;
  int rows = 0;
  int columns = 0;
  std::vector<std::int64_t> entries{};  ///< rows * columns, row by row; not where there is a text
  std::string text{};                   ///< fplll's text of a matrix, "[[1 0] [0 2]]": integers of any size
  SquaredRadius squaredRadius{};        ///< in place of ManyRequest::squaredRadius
  bool reduced = false;  ///< by LLL or better in doubles: a reduction is left out, exact ones are not
  /// As many integers as the basis has columns, or the Gram matrix rows; empty: no target, or a text.
  std::vector<std::int64_t> target{};
  std::string targetText{};  ///< "[1/2 -0.25 3]": integers, decimals and fractions, as Request::target
};

struct LatticeVector;

struct ManyRequest {
  /// JSON Lines, one lattice a line: docs/file-formats.md. "-": standard input. Empty: `lattices`.
  std::string batchPath;
  std::vector<GivenLattice> lattices;
  /// The lattice of all targets without one of their own, which is read, checked and reduced once. As in
  /// Request: a basis or a Gram matrix, a file or the text itself, and what is done with it. Or none.
  std::string basisPath{};
  std::string basis{};
  std::string gramPath{};
  std::string gram{};
  std::string reduction = "auto";
  /// Of each lattice its shortest vector; with a radius all vectors within it, up to sign, are counted.
  SquaredRadius squaredRadius;
  /// Shortest vectors that are kept of each lattice with a radius, 0 to kMaximumKept.
  std::uint64_t solutions = 1;
  /// The search of each lattice or target stops when it has so many vectors within its radius, which need not
  /// be the shortest; 0: all. As Request::first, for those with a radius; others have an error.
  std::uint64_t first = 0;
  /// A test of each vector within the radius, as Request::accept: only vectors that it accepts are counted
  /// and kept. Its first argument is the lattice or target, from 0: the index in `lattices`, or the line of
  /// the file. The vector is as in an answer, but without coefficients. Each lattice or target has a radius,
  /// or an error. Threads call it, several at once. What it throws ends the run, but for ConfigError and
  /// LimitError, which become the error of the lattice.
  std::function<bool(std::uint64_t index, const LatticeVector&)> accept{};
  /// JSON Lines, one answer a line, in the order of the lattices; "-": standard output. Empty:
  /// ManyOutcome::answers, of `lattices` only.
  std::string outputPath;
  /// For tests: expected nodes from which on all workers search a lattice, at most; 0: those of ten seconds
  /// of a core, and fewer where there are few lattices, or a GPU is ready.
  double nodesOfCore = 0;
};

/// A lattice vector; of v and -v the one whose first element other than zero is positive, unless it is close
/// to a target. With a Gram matrix a row of coefficients.
struct LatticeVector {
  std::string squaredNorm;           ///< exact, decimal; with a target the squared distance, "7/4"
  std::vector<std::int64_t> vector;  ///< empty where an element is beyond 64 bits
  std::string text;                  ///< "[1 -2 3]", there
  /// With a target and a basis: those of the rows as they were given. Empty where one is beyond 60 bits.
  std::vector<std::int64_t> coefficients{};
};

struct LatticeAnswer {
  std::string error;  ///< what is wrong with this lattice; empty: it was searched
  std::string field;  ///< where: "basis", "gram: row 2, column 1"
  int dimension = 0;
  bool byRadius = false;
  bool close = false;                  ///< to a target: distances take the place of norms
  std::uint64_t count = 0;             ///< vectors within the radius, up to sign; 1 without a radius
  std::vector<LatticeVector> vectors;  ///< a shortest one; with a radius the shortest, by norm, then elements
  std::uint64_t nodes = 0;             ///< of the search tree
};

struct ManyOutcome {
  std::uint64_t lattices = 0;          ///< that have an answer or an error
  std::uint64_t failed = 0;            ///< of these: errors
  int dimension = 0;                   ///< of the lattice of all targets; 0: there is none
  std::string reduction;               ///< what was done with that: "none", "lll", "bkz-20"
  std::uint64_t exact = 0;             ///< prepared by big integers, because doubles could not be certified
  std::uint64_t reducedByDevice = 0;   ///< reduced by a GPU, or its emulator, before a core looked at them
  std::uint64_t searchedByDevice = 0;  ///< searched by one
  std::uint64_t pooled = 0;            ///< too large for one core: searched by all workers
  std::string firstError;              ///< "line 3: basis: got .."; empty: none
  std::vector<LatticeAnswer> answers;
  std::string outputPath;
  std::uint64_t outputBytes = 0;
  std::string partPath;        ///< of a stopped run with a file: where its complete lines are
  std::string checkpointPath;  ///< always empty
  RunReport run;               ///< its steps are nodes
};

/// One pass over many lattices. A lattice that is no lattice - dependent rows, an indefinite or unsymmetric
/// matrix, an impossible radius, a line that is no JSON - gets an error in its place and does not stop the
/// others. Construction throws ConfigError for a request that is none, or a file that cannot be read.
///
///     slicepool::lattice::ManyRequest request;
///     request.lattices = {{.rows = 2, .columns = 2, .entries = {1, 3, 3, -2}}};
///     slicepool::lattice::ManyLattices many(request, {.mode = slicepool::Mode::cpu});
///     many.run();
///     many.outcome().answers[0].vectors[0].squaredNorm;   // "10"
///
/// With ManyRequest::basis or gram it is many targets of one lattice, whose own faults construction throws.
///
/// Memory: lattices from a file are read as they are needed, at most some per thread at a time. Answers are a
/// function of the lattice, the radius and the instruction set, not of threads. Where a GPU reduces (modes
/// gpu and hybrid, and automatic with a second of work or more for all cores), nodes are others, and of
/// several shortest vectors it may be another one.
class ManyLattices : public RunHandle {
 public:
  ManyLattices(ManyRequest request, EngineOptions options);
  /// After run(). Moves the answers out.
  [[nodiscard]] ManyOutcome outcome();

 private:
  class Impl;
};

}  // namespace slicepool::lattice
