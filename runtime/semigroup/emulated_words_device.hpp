// A stand-in for a GPU that composes words (slicepool/detail/words_device.hpp): a host device of small
// batches, whose steps are plain loops in an order that is not the host's, with faults on demand. Mode
// `emulated` and tests use it; never called a GPU.
#pragma once

#include <algorithm>
#include <string>

#include "runtime/semigroup/host_words_device.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/options.hpp"

namespace slicepool::semigroup {

class EmulatedWordsDevice final : public HostWordsDevice {
 public:
  EmulatedWordsDevice(const WordsProblem& problem, StagedRun& run, const EmulatorOptions& options)
      : HostWordsDevice(problem, run, 0), options_(options) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& kind() const override { return kind_; }
  [[nodiscard]] std::uint32_t capacity() const override { return std::max(1U, options_.lanes); }

  void begin(int slot, std::uint64_t first, std::uint32_t count) override {
    if (launches_++ == options_.failAtLaunch) throw DeviceError("emulated device: injected fault");
    HostWordsDevice::begin(slot, first, count);
  }
  WordsTimes finish(int slot, std::uint64_t* hashes, std::uint32_t* equalTo) override {
    const auto begin = std::chrono::steady_clock::now();
    const WordProducts::View view = batch(slot, hashes, equalTo);
    for (std::uint32_t c = view.count; c-- > 0;) {
      WordProducts::compose(view, c);
      WordProducts::hash(view, c);
    }
    sortByHash(view);
    for (std::uint32_t position = view.count; position-- > 0;) WordProducts::eliminate(view, position);
    WordsTimes times;
    times.composition = secondsSince(begin);  // of all that it does
    return times;
  }

 private:
  const std::string name_ = "lane emulator";
  const std::string kind_ = "emulated";
  EmulatorOptions options_;
  std::int64_t launches_ = 0;
};

}  // namespace slicepool::semigroup
