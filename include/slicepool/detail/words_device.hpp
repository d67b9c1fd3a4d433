// The interface between the explorer of algorithm `words` (runtime/semigroup/words_explorer.cpp) and what
// composes products from words, hashes them and finds duplicates within a batch: the host with its CPU
// workers (runtime/semigroup/host_words_device.hpp), a GPU (kernels/semigroup/words.cu) or its stand-in
// (runtime/semigroup/emulated_words_device.hpp). As published: the hash set is the host's, which inserts a
// batch while a GPU computes the next one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <utility>

#include "slicepool/detail/batch_device.hpp"
#include "slicepool/detail/registry.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

/// Seconds of one batch, by phase.
struct WordsTimes {
  double composition = 0;
  double hash = 0;
  double duplicates = 0;
};

/// Generators, as for the whole run.
struct WordsProblem {
  std::span<const Image> generators;  ///< [generator][point]
  std::uint32_t points = 0;
  std::uint32_t generatorCount = 0;
  std::uint64_t hashMask = 0;
};

/// Two batches ("slots"), so that one is computed while the host inserts the other. Calls come from one
/// thread. Every failure of the device is an exception derived from DeviceError; after one, the object may
/// only be destroyed.
class WordsDevice {
 public:
  virtual ~WordsDevice() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// "cpu", "gpu" or "emulated".
  [[nodiscard]] virtual const std::string& kind() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Most candidates of a batch.
  [[nodiscard]] virtual std::uint32_t capacity() const = 0;

  /// The words of a stage, `length` letters each, one after another; valid until the next stage. No batch may
  /// be in work.
  virtual void stage(std::span<const Letter> words, std::uint32_t length) = 0;
  /// Starts the batch of candidates [first, first + count) of the stage, numbered element * generators +
  /// generator; returns at once.
  virtual void begin(int slot, std::uint64_t first, std::uint32_t count) = 0;
  /// Waits for it. `hashes[c]`: of candidate c of the batch; `equalTo[c]`: the first candidate of the batch
  /// that is the same transformation, often c itself.
  virtual WordsTimes finish(int slot, std::uint64_t* hashes, std::uint32_t* equalTo) = 0;
};

using WordsDeviceFactory =
    std::function<std::unique_ptr<WordsDevice>(const WordsProblem& problem, const DeviceOptions& options)>;

/// For registerCudaKernels().
inline void registerWordsDevice(WordsDeviceFactory factory) {
  registerMaker(typeid(WordsDevice), std::move(factory));
}
/// Empty when no kernels were built.
[[nodiscard]] inline WordsDeviceFactory wordsDeviceFactory() {
  return makerOf<WordsDeviceFactory>(typeid(WordsDevice));
}

}  // namespace slicepool::semigroup
