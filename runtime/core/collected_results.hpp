// Results of a run as they arrive, within a memory limit, and the word that enough are known. Called by the
// engine, through the enumerations of workloads whose results fit into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {

template <class R>
class CollectedResults final : public ResultConsumer {
  static_assert(std::is_trivially_copyable_v<R>);

 public:
  struct Limits {
    std::string name;             ///< of the results in messages: "solutions"
    std::size_t bytes = 0;        ///< that they may take, with all that is made of them
    std::size_t bytesPerOne = 0;  ///< what one takes
    std::uint64_t first = 0;      ///< so many are enough; 0: all are wanted
  };

  /// `whenEnough` is called when `first` results or more are known, each time more come: workers that are in
  /// a turn find some more.
  CollectedResults(Limits limits, std::function<void()> whenEnough)
      : limits_(std::move(limits)), whenEnough_(std::move(whenEnough)) {}

  /// Throws LimitError beyond the limit.
  void consume(const std::byte* results, std::size_t count) override {
    const std::size_t before = results_.size();
    if (before + count > limits_.bytes / limits_.bytesPerOne) {
      throw LimitError(fmt::format(
          "{}: more than {} of them, which take {} bytes each until they are written; {} bytes may be used "
          "(memory limit)",
          limits_.name, before, limits_.bytesPerOne, limits_.bytes));
    }
    append(results, count);
  }
  [[nodiscard]] std::vector<std::byte> save() const override {
    std::vector<std::byte> blob(results_.size() * sizeof(R));
    if (!blob.empty()) std::memcpy(blob.data(), results_.data(), blob.size());
    return blob;
  }
  /// Throws CheckpointError for a blob that is not whole results.
  void restore(const std::vector<std::byte>& blob) override {
    if (blob.size() % sizeof(R) != 0)
      throw CheckpointError("checkpoint: its collected " + limits_.name + " are not whole ones");
    results_.clear();
    append(blob.data(), blob.size() / sizeof(R));
  }

  [[nodiscard]] bool enough() const { return limits_.first != 0 && results_.size() >= limits_.first; }
  [[nodiscard]] std::vector<R>& results() { return results_; }

 private:
  void append(const std::byte* results, std::size_t count) {
    const std::size_t before = results_.size();
    results_.resize(before + count);
    if (count != 0) std::memcpy(results_.data() + before, results, count * sizeof(R));
    if (enough()) whenEnough_();
  }

  Limits limits_;
  std::function<void()> whenEnough_;
  std::vector<R> results_;
};

}  // namespace slicepool
