// A stand-in for a GPU that holds an exploration: memory of its own, the same steps entry by entry, in an
// order that is not the host's, and faults on demand. Mode `emulated` and tests use it; never called a GPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "slicepool/core/error.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/detail/stage_device.hpp"
#include "slicepool/semigroup/steps/entries.hpp"
#include "slicepool/semigroup/steps/sinks.hpp"

namespace slicepool::semigroup {

template <class Keys>
class HostStageDevice final : public StageDevice<Keys> {
 public:
  explicit HostStageDevice(const EmulatorOptions& options, std::size_t memoryLimit)
      : options_(options), limit_(memoryLimit == 0 ? std::size_t{1} << 30 : memoryLimit) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& kind() const override { return kind_; }
  [[nodiscard]] std::size_t bytes() const override {
    return right_.size() * 4 + left_.size() * 4 + parent_.size() * 8 + first_.size() * 4 + keys_.size() +
           slots_.size() * 8;
  }
  [[nodiscard]] std::size_t memoryLimit() const override { return limit_; }

  void upload(const View<Keys>& host, const Extent& extent) override {
    generators_ = host.generators;
    source_ = host.keys;
    const auto* images = reinterpret_cast<const std::byte*>(host.keys.generators);
    images_.assign(images, images + host.keys.generatorBytes(generators_));
    resizeElements(extent.elements);
    resizeRows(extent.elements);
    copy(host, view(0, 0), {}, extent);
    slots_.clear();
  }
  void download(const View<Keys>& host, const Extent& from, const Extent& to) override {
    copy(view(0, 0), host, from, to);
  }

  void treeBits(Element begin, Element end, std::uint32_t* bits) override {
    launch();
    packTreeBits(right_.data() + std::size_t{begin} * generators_, std::size_t{end - begin} * generators_,
                 bits);
  }

  void resizeRows(Element elements) override {
    right_.resize(std::size_t{elements} * generators_);
    left_.resize(std::size_t{elements} * generators_);
  }
  void resizeElements(Element elements) override {
    parent_.resize(elements);
    suffix_.resize(elements);
    first_.resize(elements);
    last_.resize(elements);
    keys_.resize(elements * source_.rowBytes());
  }
  void newTable(std::uint64_t slots) override { slots_.assign(slots, kEmptySlot); }

  void run(const Slice& range, Element stageBegin, Element stageEnd, std::uint64_t* words) override {
    launch();
    blocks_.resize((stageEnd - stageBegin + kBlock - 1) / kBlock);
    const View<Keys> v = view(stageBegin, stageEnd);
    const auto phase = static_cast<Phase>(range.phase);
    Tally::Emitter emit({}, SinkMemory{words, nullptr, nullptr, 0, nullptr});
    // From the last to the first: nothing may depend on the order.
    for (std::uint64_t i = range.end; i-- > range.begin;) one(v, phase, static_cast<std::uint32_t>(i), emit);
    emit.flush();
  }

  std::uint64_t numberBlocks(std::uint32_t blocks, Element next) override {
    std::uint64_t number = next;
    for (std::uint32_t block = 0; block < blocks; ++block)
      number += std::exchange(blocks_[block], static_cast<std::uint32_t>(number));
    return number;
  }

  [[nodiscard]] Element find(std::uint64_t hash, const Image* images) override {
    const View<Keys> v = view(0, 0);
    return findSettled(v.table, hash, [&](Element x) { return keyIs(v, x, images); });
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
      for (std::uint32_t g = generators_; g-- > 0;) entry(g);
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
          for (std::uint32_t f = 0; f < generators_; ++f)
            if (!commutes(v, i, g, f)) emit(Failure{failureCode(i, g, f)});
        });
      case Phase::checkRules:
        return checkRulesOf(v, i, [&](Element x, std::uint32_t g, std::uint32_t) { failure(x, g); });
      case Phase::rehash: return insertSettled(v.table, v.keys.hashOf(i), i);
      case Phase::rules: emit(Found{rulesOf(v, i)}); return;
      case Phase::idempotents: emit(Found{isIdempotent(v, i) ? 1U : 0U}); return;
      case Phase::idempotentsEverywhere: emit(Found{isIdempotentEverywhere(v, i) ? 1U : 0U}); return;
      case Phase::adopt:
      case Phase::resolve: return;  // the host's own
    }
  }

  [[nodiscard]] View<Keys> view(Element stageBegin, Element stageEnd) {
    return {source_.at(images_.data(), keys_.data()),
            {slots_.data(), slots_.empty() ? 0 : slots_.size() - 1},
            right_.data(),
            left_.data(),
            parent_.data(),
            suffix_.data(),
            first_.data(),
            last_.data(),
            blocks_.data(),
            generators_,
            stageBegin,
            stageEnd};
  }

  static void copy(const View<Keys>& from, const View<Keys>& to, const Extent& begin, const Extent& end) {
    const auto column = [](auto* into, const auto* of, std::size_t first, std::size_t last) {
      if (last > first) std::memcpy(into + first, of + first, (last - first) * sizeof(*of));
    };
    const std::size_t g = from.generators;
    column(to.parent, from.parent, begin.elements, end.elements);
    column(to.suffix, from.suffix, begin.elements, end.elements);
    column(to.first, from.first, begin.elements, end.elements);
    column(to.last, from.last, begin.elements, end.elements);
    column(to.right, from.right, begin.rows * g, end.rows * g);
    column(to.left, from.left, begin.leftRows * g, end.leftRows * g);
    const std::size_t bytes = from.keys.rowBytes();
    column(reinterpret_cast<std::byte*>(to.keys.rows), reinterpret_cast<const std::byte*>(from.keys.rows),
           begin.elements * bytes, end.elements * bytes);
  }

  const std::string name_ = "lane emulator";
  const std::string kind_ = "emulated";
  EmulatorOptions options_;
  std::size_t limit_;
  std::int64_t launches_ = 0;
  Keys source_{};
  std::uint32_t generators_ = 0;
  std::vector<std::byte> images_, keys_;
  std::vector<std::uint32_t> right_, left_, blocks_;
  std::vector<Element> parent_, suffix_;
  std::vector<Letter> first_, last_;
  std::vector<std::uint64_t> slots_;
};

}  // namespace slicepool::semigroup
