// The engine's hub with rates, sleepers and a clock that a test sets, and a log of what a worker does with
// it. For tests of one worker: with an engine it would depend on who is faster.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/hub.hpp"
#include "support/interval_workload.hpp"
#include "support/quiet_hub.hpp"

namespace slicepool::test {

/// Used by one thread.
class ObservedHub final : public QuietHub {
 public:
  /// What the run is said to be, beside the slices that are really there.
  struct Scene {
    std::size_t hungryWorkers = 0;
    std::size_t hungryDevices = 0;
    std::size_t devicesToCome = 0;
    int recallLooks = 0;                ///< sleeps after which slices are no longer called back
    double cpuRate = 0, batchRate = 0;  ///< steps/s
    double drift = 0;  ///< what the CPU workers' rates lose between a look at all and one at theirs
    double stepsLeft = std::numeric_limits<double>::quiet_NaN();
    double elapsed = 100;            ///< seconds, when its clock starts
    std::int64_t tick = 1'000;       ///< ns between two looks at the clock
    std::size_t stopAtEntries = 40;  ///< the run stops as soon as the log has so many
  };

  ObservedHub(const Problem& problem, Scene first, const EngineOptions& options = {})
      : scene(first), inner(problem, options, nullptr) {
    inner.begin();
  }
  /// Slices of IntervalWorkload that can be told apart, counted, and not in the hub yet.
  std::vector<IntervalWorkload::Slice> made(std::size_t count) {
    std::vector<IntervalWorkload::Slice> slices;
    for (std::size_t i = 0; i < count; ++i, ++made_) slices.push_back({1000 * made_, 1000 * made_ + 1000});
    inner.addOutstanding(count);
    return slices;
  }
  void fill(std::size_t count) {
    const auto slices = made(count);
    inner.putBack(reinterpret_cast<const std::byte*>(slices.data()), count);
  }
  void fillParcel(std::size_t count) {
    const auto slices = std::make_shared<const std::vector<IntervalWorkload::Slice>>(made(count));
    inner.putBackParcel({slices, reinterpret_cast<const std::byte*>(slices->data()), count});
  }
  /// After the run: every slice is back, once, and counted.
  [[nodiscard]] bool hasAll() {
    const std::vector<std::byte> bytes = inner.drainSlices();
    std::vector<bool> seen(made_);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(IntervalWorkload::Slice)) {
      IntervalWorkload::Slice slice{};
      std::memcpy(&slice, bytes.data() + at, sizeof slice);
      if (slice.begin / 1000 >= made_ || seen[slice.begin / 1000]) return false;
      seen[slice.begin / 1000] = true;
    }
    return bytes.size() == made_ * sizeof(IntervalWorkload::Slice) && inner.outstanding() == made_;
  }
  void note(std::string what) { log.push_back(std::move(what)); }
  void pass(double seconds) { time_ += static_cast<std::int64_t>(seconds * 1e9); }

  [[nodiscard]] const Problem& problem() const override { return inner.problem(); }
  bool take(std::byte* slice) override { return inner.take(slice); }
  std::size_t takeSome(std::byte* slices, std::size_t maximum) override {
    return inner.takeSome(slices, maximum);
  }
  std::size_t takeBulk(std::byte* slices, std::size_t maximum) override {
    const std::size_t count = inner.takeBulk(slices, maximum);
    if (count != 0) note("take " + std::to_string(count));
    return count;
  }
  HeldSlices takeParcel(std::size_t maximum) override {
    HeldSlices parcel = inner.takeParcel(maximum);
    if (parcel.count != 0) note("parcel " + std::to_string(parcel.count));
    return parcel;
  }
  bool give(const std::byte* slice) override { return inner.give(slice); }
  void putBack(const std::byte* slices, std::size_t count) override {
    if (!stopping()) note("back " + std::to_string(count));
    inner.putBack(slices, count);
  }
  void putBackParcel(HeldSlices parcel) override {
    if (!stopping()) note("back " + std::to_string(parcel.count));
    inner.putBackParcel(std::move(parcel));
  }
  void addOutstanding(std::size_t count) override { inner.addOutstanding(count); }
  void finish(std::size_t count) override { inner.finish(count); }
  void sleepFor(std::chrono::nanoseconds duration) override {
    time_ += duration.count();
    if (scene.recallLooks == 0) return;
    note("waits");
    --scene.recallLooks;
  }
  [[nodiscard]] bool recalling() const override { return scene.recallLooks != 0; }
  bool waitForWork(bool) override { return false; }
  [[nodiscard]] std::size_t hungryWorkers() const override { return scene.hungryWorkers; }
  [[nodiscard]] std::size_t hungryDevices() const override { return scene.hungryDevices; }
  void setStarving(bool starving) override { note(starving ? "starves" : "is fed"); }
  [[nodiscard]] bool batchWantsSlices() const override { return false; }
  [[nodiscard]] std::size_t pooled() const override { return inner.pooled(); }
  [[nodiscard]] std::size_t devicesToCome() const override { return scene.devicesToCome; }
  [[nodiscard]] double remainingSteps() const override { return scene.stepsLeft; }
  [[nodiscard]] double totalRate() const override { return scene.cpuRate + scene.batchRate + scene.drift; }
  [[nodiscard]] double cpuRate() const override { return scene.cpuRate; }
  [[nodiscard]] double batchRate() const override { return scene.batchRate; }
  [[nodiscard]] double elapsed() const override { return scene.elapsed + static_cast<double>(time_) * 1e-9; }
  [[nodiscard]] bool stopping() const override {
    stopped_ = stopped_ || log.size() >= scene.stopAtEntries || (atLook && atLook(++looks_));
    return stopped_;
  }
  [[nodiscard]] std::int64_t now() const override { return time_ += scene.tick; }

  Scene scene;
  EngineHub inner;
  /// Called with the number of each look at whether the run stops, from 1: true stops it.
  std::function<bool(std::size_t look)> atLook;
  /// "take 3", "parcel 3", "back 3" before the stop, "starves", "is fed", "waits" while slices are
  /// called back, and what the test notes.
  std::vector<std::string> log;

 private:
  std::size_t made_ = 0;
  mutable std::int64_t time_ = 0;
  mutable std::size_t looks_ = 0;
  mutable bool stopped_ = false;
};

}  // namespace slicepool::test
