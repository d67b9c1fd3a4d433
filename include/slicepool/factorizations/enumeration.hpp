// The library's front door to factorization sets: a request, and an enumeration object that runs it on
// CPU, GPU or both. The command line and the sweeps are thin users of this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"

namespace slicepool::factorizations {

/// `automatic` is the fastest of the others for the request; the outcome says which it was.
enum class Algorithm : std::uint8_t { automatic, candidate, tabulated, dynamic, ranked };

/// How `dynamic` fills its lists (Barron 2024b, Algorithms 2.8 and 2.9).
enum class DynamicParallelism : std::uint8_t { sequential, elementwise, factorizationwise };

enum class SinkKind : std::uint8_t {
  count,
  rows,
  lengths,
  extremes,
  coordinateMaxima,
  fingerprint,
  first,
  any,
  all
};

enum class Relation : std::uint8_t { lessEqual, equal, greaterEqual };

/// sum_i coefficients[i] * a_i  <relation>  bound. Written "2*a1 - a3 >= 5"; "length" is the sum of all a_i.
struct LinearPredicate {
  std::vector<std::int64_t> coefficients;  ///< one per generator
  Relation relation = Relation::equal;
  std::int64_t bound = 0;
};

/// Parses a linear predicate over a1..ad and `length`. Throws ConfigError with field "sink".
[[nodiscard]] LinearPredicate parsePredicate(const std::string& text, std::size_t dimension);

struct SinkSpec {
  SinkKind kind = SinkKind::count;
  std::uint64_t firstCount = 0;  ///< for `first`
  LinearPredicate predicate;     ///< for `any`, `all`
  bool fingerprint = false;      ///< compute the fingerprint beside the sink (always true for `fingerprint`)
};

/// How rows get into a .npy file. `mapped`: all workers write into the mapped file, fastest while it fits
/// memory. `streamed`: window after window through a ring of buffers, while writer threads write what is
/// finished; needs no more memory than the buffers and can always be resumed. `automatic` is streamed for
/// sharded and compressed outputs and for those larger than the memory limit.
enum class Writing : std::uint8_t { automatic, mapped, streamed };

/// Where rows go. Format by suffix: .npy, .npy.zst (Zstandard) or .csv; "-" is CSV on standard output.
struct OutputSpec {
  /// Empty: rows stay in memory (RowMatrix in the outcome). A file is made as PATH.part and renamed when
  /// complete. A streamed output keeps what it needs for a resume in PATH.checkpoint, unless
  /// EngineOptions::checkpointPath names another file.
  std::string path;
  bool header = false;  ///< CSV: first line a1,..,ad
  /// Bytes of one coordinate: 1, 2, 4 or 8; 0 is the narrowest that holds element / min(generators).
  unsigned elementBytes = 0;
  /// Caller's memory for the rows (with an empty path), instead of a RowMatrix: `memoryBytes` bytes that must
  /// hold them all. Pinned memory is what a GPU copies to fastest.
  std::byte* memory = nullptr;
  std::size_t memoryBytes = 0;
  Writing writing = Writing::automatic;
  /// Rows of a shard; 0: one file. NAME.npy becomes NAME-00000.npy, NAME-00001.npy, .. and
  /// NAME.manifest.json, which has range, size and hash of every shard.
  std::uint64_t shardRows = 0;
  std::optional<int> compressionLevel;  ///< .npy.zst: 1 to 22; 3 without a value
  std::size_t frameBytes = 0;           ///< .npy.zst: uncompressed bytes of a frame; 0: 1 MiB
  /// Streamed: bytes of all buffers together; 0: a quarter of the memory limit, at most 1 GiB.
  std::size_t bufferBytes = 0;
  int writers = 0;  ///< streamed: writer threads; 0: as many as pay
};

/// The results of ranks begin .. end-1 in decreasing lexicographic order; rank 0 is the first result. Decimal
/// digits, because counts and ranks go beyond 64 bits.
struct RankInterval {
  std::string begin = "0";
  std::string end = "0";
};

struct Request {
  std::vector<std::uint64_t> generators;  ///< g_1..g_d in the user's order, 1 <= d <= 64, each in [1, 2^63)
  std::uint64_t element = 0;              ///< n in [0, 2^63)
  Algorithm algorithm = Algorithm::automatic;
  bool moduloJump = true;                      ///< `candidate`: the jump of Barron 2024a, 3.2.4
  std::optional<unsigned> tabulatedDimension;  ///< `tabulated`: 1..d; empty: chosen
  DynamicParallelism dynamicParallelism = DynamicParallelism::elementwise;
  bool dynamicOnGpu = false;  ///< `dynamic` and table fill on the GPU (factorizationwise)
  SinkSpec sink;
  OutputSpec output;
  /// Every sink sees only the results of these ranks; 0 <= begin <= end <= number of factorizations. With
  /// algorithm `automatic`, `ranked`, or (below 2^64 factorizations) `candidate`. Where the number of
  /// factorizations is beyond 64 bits, at most 2^63 - 1 ranks (any number with sink count), on CPU workers.
  std::optional<RankInterval> ranks;
};

/// Rows in decreasing lexicographic order, C order, `dimension` elements of `elementBytes` (1, 2, 4, 8) each,
/// unsigned little-endian: the narrowest type that holds element / min(generators).
class RowMatrix {
 public:
  RowMatrix() = default;
  /// Uninitialised memory (huge pages where the system has them). Throws LimitError.
  RowMatrix(std::uint64_t rows, unsigned dimension, unsigned elementBytes);
  ~RowMatrix();
  RowMatrix(RowMatrix&&) noexcept;
  RowMatrix& operator=(RowMatrix&&) noexcept;
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] unsigned dimension() const { return dimension_; }
  [[nodiscard]] unsigned elementBytes() const { return elementBytes_; }
  [[nodiscard]] std::size_t rowBytes() const { return std::size_t{dimension_} * elementBytes_; }
  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  /// Coordinate `column` of row `row`. O(1).
  [[nodiscard]] std::uint64_t at(std::uint64_t row, unsigned column) const;

 private:
  std::byte* data_ = nullptr;
  std::size_t mappedBytes_ = 0;
  std::uint64_t rows_ = 0;
  unsigned dimension_ = 0;
  unsigned elementBytes_ = 0;
};

/// What an enumeration found. Only the members of the requested sink are filled.
struct Outcome {
  Algorithm algorithm = Algorithm::candidate;  ///< what ran
  std::string algorithmReason;                 ///< why `automatic` chose it, or why a fallback was taken
  /// Number of factorizations, exact, decimal. Empty when it is not known: cancelled, or `any`/`all` decided
  /// early or `first` with rows left, each without a counting table.
  /// With a range of ranks: how many results it has.
  std::string count;
  std::string partialCount;           ///< cancelled: the results found so far; else empty
  std::string total;                  ///< with a range of ranks: the number of all factorizations
  std::optional<RankInterval> ranks;  ///< as requested
  bool countedByTable = false;        ///< true: read off the counting table, nothing was enumerated
  std::optional<Fingerprint> fingerprint;
  RowMatrix rows;                                                ///< sinks rows and first without output path
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lengths;  ///< (length, how many), ascending
  std::optional<std::uint64_t> minimumLength, maximumLength;
  std::optional<std::pair<std::uint64_t, std::uint64_t>>
      elasticity;                               ///< maximum / minimum length in lowest terms
  std::vector<std::uint64_t> deltaSet;          ///< distinct gaps of the length set, ascending
  std::vector<std::uint64_t> coordinateMaxima;  ///< empty when there is no factorization
  std::optional<bool> predicateHolds;           ///< any / all
  unsigned tabulatedDimension = 0;              ///< coordinates in the table (tabulated)
  std::uint64_t tableRows = 0;                  ///< rows in that table
  double tableSeconds = 0;                      ///< fill time of the table (CPU or GPU as asked)
  std::uint64_t listRows = 0;                   ///< dynamic: rows of all lists Z(0..n)
  std::string outputPath;                       ///< of the manifest when the output is sharded
  std::uint64_t outputBytes = 0;                ///< of all files of the output
  std::uint64_t outputShards = 0;               ///< 0: one file
  bool outputStreamed = false;
  double outputSecondsWaited = 0;  ///< streamed: time that the enumeration waited for the disk
  std::string checkpointPath;      ///< what an unfinished run can be resumed from; empty: nothing
  RunReport run;
};

/// One enumeration. Construction validates the request (ConfigError), asks for the devices that the mode
/// needs (DeviceError), makes the counting tables (O(d n)) and sizes the request (LimitError); run()
/// executes, once. Rows are the same bytes in every mode and algorithm.
///
///     slicepool::factorizations::Request request;
///     request.generators = {6, 9, 20};
///     request.element = 100;
///     request.sink.kind = slicepool::factorizations::SinkKind::lengths;
///     slicepool::factorizations::Enumeration enumeration(request, {.mode = slicepool::Mode::cpu});
///     enumeration.run();
///     const auto outcome = enumeration.outcome();   // outcome.lengths, outcome.deltaSet, outcome.elasticity
class Enumeration : public RunHandle {
 public:
  Enumeration(Request request, EngineOptions options);
  /// After run(). Moves the rows out.
  [[nodiscard]] Outcome outcome();
  /// Exact number of factorizations as a decimal string, if a counting table fits the memory limit.
  [[nodiscard]] std::optional<std::string> exactTotal() const;

 private:
  class Impl;
};

}  // namespace slicepool::factorizations
