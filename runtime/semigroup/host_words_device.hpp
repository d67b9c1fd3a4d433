// A stand-in for a GPU that composes words (slicepool/detail/words_device.hpp): the same steps in plain
// loops, with faults on demand. Mode `emulated` and tests use it; never called a GPU.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/detail/words_device.hpp"
#include "slicepool/semigroup/steps/words.hpp"

namespace slicepool::semigroup {

class HostWordsDevice final : public WordsDevice {
 public:
  HostWordsDevice(const WordsProblem& problem, const EmulatorOptions& options)
      : problem_(problem),
        options_(options),
        generators_(problem.generators.begin(), problem.generators.end()) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& kind() const override { return kind_; }
  [[nodiscard]] std::size_t bytes() const override { return generators_.size() * sizeof(Image); }
  [[nodiscard]] std::uint32_t capacity() const override { return std::max(1U, options_.lanes); }

  void stage(std::span<const Letter> words, std::uint32_t length) override {
    words_.assign(words.begin(), words.end());
    length_ = length;
  }
  void begin(int slot, std::uint64_t first, std::uint32_t count) override {
    if (launches_++ == options_.failAtLaunch) throw DeviceError("emulated device: injected fault");
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    batch.products.resize(std::size_t{count} * problem_.points);
    batch.hashes.resize(count);
    batch.order.resize(count);
    batch.equalTo.resize(count);
    const WordProducts::View view{generators_.data(),
                                  words_.data(),
                                  batch.products.data(),
                                  batch.hashes.data(),
                                  batch.order.data(),
                                  batch.equalTo.data(),
                                  first,
                                  problem_.hashMask,
                                  problem_.points,
                                  problem_.generatorCount,
                                  length_,
                                  count};
    for (std::uint32_t c = count; c-- > 0;) {
      WordProducts::compose(view, c);
      WordProducts::hash(view, c);
    }
    std::iota(batch.order.begin(), batch.order.end(), 0U);
    std::stable_sort(batch.order.begin(), batch.order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return batch.hashes[a] < batch.hashes[b]; });
    for (std::uint32_t position = count; position-- > 0;) WordProducts::eliminate(view, position);
  }
  WordsTimes finish(int slot, std::uint64_t* hashes, std::uint32_t* equalTo) override {
    const Batch& batch = batches_[static_cast<std::size_t>(slot)];
    std::copy(batch.hashes.begin(), batch.hashes.end(), hashes);
    std::copy(batch.equalTo.begin(), batch.equalTo.end(), equalTo);
    return {};
  }

 private:
  struct Batch {
    std::vector<Image> products;
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> equalTo;
  };

  const std::string name_ = "lane emulator";
  const std::string kind_ = "emulated";
  WordsProblem problem_;
  EmulatorOptions options_;
  std::vector<Image> generators_;
  std::vector<Letter> words_;
  std::uint32_t length_ = 0;
  std::int64_t launches_ = 0;
  std::array<Batch, 2> batches_;
};

}  // namespace slicepool::semigroup
