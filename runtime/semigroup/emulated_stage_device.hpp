// A stand-in for a GPU that holds an exploration: a host device with columns of its own, that takes the same
// steps entry by entry as a kernel does, in an order that is not the host's, and fails on demand. Mode
// `emulated` and tests use it; never called a GPU.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "runtime/semigroup/host_stage_device.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/semigroup/steps/entries.hpp"

namespace slicepool::semigroup {

/// A base class, so that the columns are there before the device that uses them.
template <class Store>
struct OwnColumns {
  OwnColumns(const Generators& generators, unsigned hashBits) : ownStore(generators, hashBits) {}
  Graph ownGraph;
  Store ownStore;
};

template <class Store>
class EmulatedStageDevice final : private OwnColumns<Store>, public HostStageDevice<Store> {
 public:
  using Host = HostStageDevice<Store>;
  using Keys = typename Store::Keys;

  EmulatedStageDevice(const Generators& generators, StagedRun& run, const ExplorerOptions& options)
      : OwnColumns<Store>(generators, options.hashBits),
        Host(this->ownGraph, this->ownStore, run, options),
        options_(options.emulator),
        limit_(options.device.memoryLimit == 0 ? std::size_t{1} << 30 : options.device.memoryLimit) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& kind() const override { return kind_; }
  [[nodiscard]] std::size_t memoryLimit() const override { return limit_; }

  void treeBits(Element begin, Element end, std::uint32_t* bits) override {
    launch();
    Host::treeBits(begin, end, bits);
  }

  StageWork run(const StageRound& round) override {
    return runInPieces(
        round,
        [&](const Slice& piece) {
          launch();
          this->makeBlocks(round);
          const View<Keys> v = this->view(round.stageBegin, round.stageEnd);
          const auto phase = static_cast<Phase>(piece.phase);
          Tally::Emitter emit({}, SinkMemory{round.words, nullptr, nullptr, 0, nullptr});
          // From the last to the first: nothing may depend on the order.
          for (std::uint64_t i = piece.end; i-- > piece.begin;)
            one(v, phase, static_cast<std::uint32_t>(i), emit);
          emit.flush();
        });
  }

 private:
  void launch() {
    if (launches_++ == options_.failAtLaunch) throw DeviceError("emulated device: injected fault");
    if (options_.slowdownMilliseconds > 0)
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(options_.slowdownMilliseconds));
  }

  template <class Emit>
  void one(const View<Keys>& v, Phase phase, std::uint32_t i, Emit& emit) {
    const auto entries = [&](const auto& entry) {
      for (std::uint32_t g = v.generators; g-- > 0;) entry(g);
    };
    const auto failure = [&](Element x, std::uint32_t g) { emit(Failure{failureCode(x, g, 0)}); };
    switch (phase) {
      case Phase::measure: emit(Found{productsOf(v, i, i + 1)}); return;
      case Phase::expand: return entries([&](std::uint32_t g) { expandEntry(v, i, g); });
      case Phase::count: return countBlock(v, i);
      case Phase::number: return numberBlock(v, i);
      case Phase::derive: return entries([&](std::uint32_t g) { deriveEntry(v, i, g, failure); });
      case Phase::left: return entries([&](std::uint32_t f) { leftEntry(v, i, f); });
      case Phase::check:
        return entries([&](std::uint32_t g) {
          for (std::uint32_t f = 0; f < v.generators; ++f)
            if (!commutes(v, i, g, f)) emit(Failure{failureCode(i, g, f)});
        });
      case Phase::checkRules:
        return checkRulesOf(v, i, [&](Element x, std::uint32_t g, std::uint32_t) { failure(x, g); });
      case Phase::rehash: return insertSettled(v.table, v.keys.hashOf(i), i);
      case Phase::rules: emit(Found{rulesOf(v, i)}); return;
      case Phase::idempotents: emit(Found{isIdempotent(v, i) ? 1U : 0U}); return;
      case Phase::idempotentsEverywhere: emit(Found{isIdempotentEverywhere(v, i) ? 1U : 0U}); return;
      case Phase::adopt:
      case Phase::resolve: return;  // stages are made again on the host (HostStageDevice::adoptBits)
    }
  }

  const std::string name_ = "lane emulator";
  const std::string kind_ = "emulated";
  EmulatorOptions options_;
  std::size_t limit_;
  std::int64_t launches_ = 0;
};

}  // namespace slicepool::semigroup
