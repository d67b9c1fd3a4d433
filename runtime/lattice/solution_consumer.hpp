// Solutions of a run as they arrive: checked against the integer basis, kept (the shortest), written (all).
// The engine calls it under a lock; what takes time is done by threads of its own, through a bounded queue:
// workers wait while a disk is slow, and memory stays bounded. Called through enumeration.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/io/block_pipeline.hpp"
#include "runtime/lattice/best_vectors.hpp"
#include "runtime/lattice/norm_counts.hpp"
#include "runtime/lattice/vector_file.hpp"
#include "runtime/lattice/vector_maker.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/fingerprint.hpp"

namespace slicepool::lattice {

struct ConsumerSettings {
  std::size_t resultBytes = 0;     ///< of the problem
  Integer maximumSquaredNorm = 0;  ///< no solution is longer
  double squaredRadius = 0;        ///< that the search starts with, for least()
  /// Results with a norm above this may be longer than `maximumSquaredNorm`; their exact norms decide.
  double certain = std::numeric_limits<double>::infinity();
  /// No solution is shorter; results that are shorter are no solutions.
  Integer minimumSquaredNorm = 0;
  double normError = 0;         ///< with that: how far norms of results are from their exact ones at most
  Integer greatestSquare = 0;   ///< of an element of a solution; 0: `maximumSquaredNorm`
  bool bothSigns = false;       ///< keep and write v and -v
  std::uint64_t keep = 0;       ///< shortest vectors to keep
  std::uint64_t first = 0;      ///< results to take; 0: all
  std::size_t memoryLimit = 0;  ///< bytes for the kept vectors and the queue
  std::size_t queueBytes = 0;   ///< of the queue at most; a quarter of the memory limit if that is less
  int threads = 1;              ///< that convert at most, >= 1
  VectorFile* file = nullptr;   ///< takes every solution; null: none
  bool countsNorms = false;     ///< how many solutions have which norm
  /// Called by converting threads, each with its own maker; a vector that it refuses is rejected. Empty: all
  /// are taken.
  std::function<bool(VectorMaker& maker, const BestVector& vector)> accept;
  /// What taken() says, for those who outlive the consumer. Null: a number of its own.
  std::atomic<std::uint64_t>* taken = nullptr;
};

/// What the search took and is too long, too short or refused: to be taken off its words.
struct Rejected {
  std::uint64_t count = 0;
  Fingerprint fingerprint;

  void add(const Rejected& other) {
    count += other.count;
    fingerprint.sum += other.fingerprint.sum;
    fingerprint.exclusiveOr ^= other.fingerprint.exclusiveOr;
  }
};

class SolutionConsumer final : public ResultConsumer {
 public:
  /// `basis` must outlive it. `whenEnough` is called when `first` solutions are known, each time more come,
  /// where `accept` decides by a converting thread.
  SolutionConsumer(const IntegerBasis& basis, ConsumerSettings settings, std::function<void()> whenEnough);

  // All of these rethrow what went wrong with solutions handed over before: Error for a vector whose exact
  // norm is not what the search says, LimitError beyond the memory limit or the disk.
  void consume(const std::byte* results, std::size_t count) override;
  /// Of everything consumed; the file has it all.
  [[nodiscard]] std::vector<std::byte> save() const override;
  /// Throws CheckpointError for a blob of another run.
  void restore(const std::vector<std::byte>& blob) override;
  /// Everything consumed is checked, kept or written. Before best(), and before the file is used.
  void finish() const;

  [[nodiscard]] bool enough() const { return settings_.first != 0 && taken() >= settings_.first; }
  /// Any thread.
  [[nodiscard]] std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  /// Results beyond `maximumSquaredNorm`, below the minimum or refused by `accept`, which are neither taken
  /// nor kept nor written. After finish().
  [[nodiscard]] Rejected rejected() const;
  [[nodiscard]] const BestVectors& best() const { return best_; }
  /// Of all solutions, if the settings say so. After finish().
  [[nodiscard]] NormCounts norms() const;
  /// Any thread: the least squared norm that was consumed, else the squared radius.
  [[nodiscard]] double least() const { return least_.load(std::memory_order_relaxed); }

 private:
  /// Some raw results, then their rows for the file.
  struct Block {
    std::vector<std::byte> results;
    std::size_t count = 0;
    std::size_t taken = 0;  ///< of these, once converted
    std::vector<char> rows;
    std::uint64_t place = 0;
  };
  /// What a thread needs for itself.
  struct Converter {
    explicit Converter(const IntegerBasis& basis);
    VectorMaker maker;
    std::vector<std::int16_t> coefficients;  ///< of the solution at hand
    Bar bar;
    NormCounts norms;
    Rejected rejected;
  };

  /// The queue, whose state is no part of what save() saves.
  struct Queue {
    std::vector<Block> blocks;
    std::vector<std::unique_ptr<Converter>> converters;  ///< one a thread, made by it
    std::size_t open = 0;                                ///< block that is being filled
    bool hasOpen = false;
    std::unique_ptr<BlockPipeline> pipeline;
  };

  [[nodiscard]] bool isOutside(const std::byte* result);
  /// Into `converter`, which is the caller's.
  void reject(const std::byte* result, Converter& converter);
  void takeAll(const std::byte* results, std::size_t count);
  void submitOpen() const;
  void convert(Block& block, int thread);
  /// Whether it is a solution.
  bool take(const std::byte* result, Converter& converter, Block& block);
  /// The converter has just made the vector.
  [[nodiscard]] bool accepts(const std::byte* result, Converter& converter);
  void offer(Converter& converter);
  /// Throws LimitError.
  void requireMemory(std::size_t norms) const;

  const IntegerBasis& basis_;
  ConsumerSettings settings_;
  std::function<void()> whenEnough_;
  std::size_t vectorBytes_;     ///< of coefficients
  std::size_t rowBytes_ = 0;    ///< of a row of the file at most
  std::size_t perBlock_ = 0;    ///< results
  std::size_t queueBytes_ = 0;  ///< of all blocks
  std::atomic<std::uint64_t> own_{0};
  std::atomic<std::uint64_t>& taken_;
  Rejected restoredRejected_;
  double surelyShort_;                ///< norms of results from here on may be those of solutions ..
  double surelyLong_;                 ///< .. and from here on are long enough
  double surelyWithin_;               ///< exact norms that round to at most this are within
  std::unique_ptr<Converter> judge_;  ///< of the producer, where exact norms decide
  std::atomic<double> least_;
  std::mutex bestMutex_;
  BestVectors best_;
  NormCounts restoredNorms_;
  std::atomic<std::size_t> normsHeld_{0};  ///< entries of the counts of norms of all threads
  std::unique_ptr<Queue> queue_;           ///< last: its threads use the rest
};

}  // namespace slicepool::lattice
