// The host as a device that composes words (slicepool/detail/words_device.hpp): CPU workers, in rounds of a
// StagedRun. A batch is computed when it is asked for: the thread that would wait has nothing better to do.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/rounds/staged_run.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/detail/words_device.hpp"
#include "slicepool/semigroup/steps/sinks.hpp"
#include "slicepool/semigroup/steps/words.hpp"

namespace slicepool::semigroup {

class HostWordsDevice : public WordsDevice {
 public:
  /// `problem` with its generators, and `run`, must outlive the device. Phases of at most `smallBatch` images
  /// are executed on the calling thread.
  HostWordsDevice(const WordsProblem& problem, StagedRun& run, std::uint64_t smallBatch)
      : problem_(problem), run_(run), smallBatch_(smallBatch) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& kind() const override { return name_; }
  [[nodiscard]] std::size_t bytes() const override { return problem_.generators.size_bytes(); }
  [[nodiscard]] std::uint32_t capacity() const override {
    constexpr std::size_t kBatchBytes = 64U << 20;  // products that are in memory together
    return static_cast<std::uint32_t>(
        std::max<std::size_t>(1, kBatchBytes / (problem_.points * sizeof(Image))));
  }

  void stage(std::span<const Letter> words, std::uint32_t length) override {
    words_ = words;
    length_ = length;
  }
  void begin(int slot, std::uint64_t first, std::uint32_t count) override {
    batches_[static_cast<std::size_t>(slot)] = {first, count};
  }
  WordsTimes finish(int slot, std::uint64_t* hashes, std::uint32_t* equalTo) override {
    const WordProducts::View view = batch(slot, hashes, equalTo);
    WordsTimes times;
    times.composition = round(WordPhase::compose, view);
    times.hash = round(WordPhase::hash, view);
    const auto begin = std::chrono::steady_clock::now();
    sortByHash(view);
    times.duplicates = secondsSince(begin);
    run_.addThreadSeconds(times.duplicates);
    times.duplicates += round(WordPhase::eliminate, view);
    return times;
  }

 protected:
  /// A batch that was begun, with room for its products.
  [[nodiscard]] WordProducts::View batch(int slot, std::uint64_t* hashes, std::uint32_t* equalTo) {
    const auto [first, count] = batches_[static_cast<std::size_t>(slot)];
    products_.resize(std::size_t{count} * problem_.points);
    order_.resize(count);
    return {problem_.generators.data(),
            words_.data(),
            products_.data(),
            hashes,
            order_.data(),
            equalTo,
            first,
            problem_.hashMask,
            problem_.points,
            problem_.generatorCount,
            length_,
            count};
  }
  void sortByHash(const WordProducts::View& view) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return view.hashes[a] != view.hashes[b] ? view.hashes[a] < view.hashes[b] : a < b;
    });
  }

 private:
  /// Its seconds. After a cancel nothing is known of its results.
  double round(WordPhase phase, const WordProducts::View& view) {
    ProblemTraits traits;
    traits.workload = "semigroup";
    const TypedProblem<WordProducts, Tally> problem(
        view, {{static_cast<std::uint32_t>(phase), 0, 0, view.count}}, std::move(traits));
    std::vector<std::uint64_t> reduced = Tally::layout().fresh();
    const double before = run_.seconds();
    (void)run_.round(problem, std::uint64_t{view.count} * problem_.points <= smallBatch_, reduced);
    return run_.seconds() - before;
  }

  const std::string name_ = "cpu";
  WordsProblem problem_;
  StagedRun& run_;
  std::uint64_t smallBatch_;
  std::span<const Letter> words_;
  std::uint32_t length_ = 0;
  std::array<std::pair<std::uint64_t, std::uint32_t>, 2> batches_{};  ///< first candidate, count
  std::vector<Image> products_;                                       ///< of the batch in hand
  std::vector<std::uint32_t> order_;
};

}  // namespace slicepool::semigroup
