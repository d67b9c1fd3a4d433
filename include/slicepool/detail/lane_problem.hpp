// Problems whose slices a GPU advances in lanes (docs/adding-a-workload.md, "Lanes"), so that the lane
// emulator does the same: a launch in rounds on the host, warp by warp, as kernels/core/round_kernels.cuh has
// it. Used by problem factories.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/detail/near_words.hpp"
#include "slicepool/detail/spilling_stack.hpp"

namespace slicepool {

/// One launch of a batch of W::Slice into the sink S. Slices are dealt to the warps, whose lanes make rounds
/// of W::kDeviceRound passes; idle lanes take what was not dealt and then parts of their neighbours' slices.
template <class W, class S>
class HostRounds {
 public:
  using Slice = typename W::Slice;
  using Lane = typename W::Lane;

  /// `capacity`: lanes in all, in warps of kWarpSize or one smaller one.
  HostRounds(const typename W::View& view, const typename S::View& sinkView, std::uint32_t capacity,
             const SinkMemory& memory)
      : view_(view),
        sinkView_(sinkView),
        memory_(memory),
        lanes_(std::clamp<std::uint32_t>(capacity, 1, kWarpSize)),
        warps_(std::max<std::uint32_t>(1, capacity / kWarpSize)) {
    if constexpr (requires { S::kNearWords; }) {
      near_.resize(2 * std::size_t{S::kNearWords});
      memory_.near = {near_.data(), near_.data() + S::kNearWords, S::kNearWords};
    }
  }

  /// Leaves what is unfinished in front of `slices`, with room for `capacity`.
  BatchTurn run(std::byte* slices, std::uint32_t live, std::uint64_t budget) {
    live_ = live;
    from_.resize(std::max(live, warps_ * lanes_));
    std::memcpy(from_.data(), slices, std::size_t{live} * sizeof(Slice));
    to_ = slices;
    for (std::uint32_t warp = 0; warp < std::min(warps_, live); ++warp) advanceWarp(warp, budget);
    // What no lane took.
    for (std::uint32_t next = warps_ * lanes_ + taken_; next < live_; ++next) keep(from_[next]);
    return turn_;
  }

 private:
  using Frame = typename Lane::Frame;
  using Fast = HostFrames<Frame, Lane::kFastFrames>;

  struct Thread {
    Thread(const typename S::View& sinkView, const SinkMemory& memory) : emit(sinkView, memory) {}
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;
    Lane lane{};
    Frame others[Lane::kMaximumFrames];
    SpillingStack<Frame, Lane::kFastFrames, Fast> stack{Fast{}, others};
    typename S::Emitter emit;
    bool works = false;
    bool full = false;
  };

  void advanceWarp(std::uint32_t warp, std::uint64_t left) {
    std::vector<std::unique_ptr<Thread>> threads;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      threads.push_back(std::make_unique<Thread>(sinkView_, memory_));
      load(*threads.back(), lane * warps_ + warp);
    }
    const auto count = [&](auto&& is) {
      return static_cast<std::uint32_t>(
          std::count_if(threads.begin(), threads.end(), [&](const auto& thread) { return is(*thread); }));
    };
    while (left != 0) {
      const auto round = static_cast<unsigned>(std::min<std::uint64_t>(left, W::kDeviceRound));
      left -= round;
      for (auto& thread : threads) {
        if (!thread->works || thread->full) continue;
        const Turn turn = thread->lane.advance(view_, round, turn_.steps, thread->stack, thread->emit);
        thread->works = turn != Turn::exhausted;
        thread->full = turn == Turn::sinkFull;
      }
      for (auto& thread : threads)
        if (!thread->works && warps_ * lanes_ + taken_ < live_) load(*thread, warps_ * lanes_ + taken_++);
      if (count([](const Thread& thread) { return thread.works && !thread.full; }) == 0) break;
      if (count([](const Thread& thread) { return !thread.works; }) >= std::max(1U, lanes_ / 4))
        splitIn(threads);
    }
    for (auto& thread : threads) {
      turn_.refused += thread->full ? 1 : 0;
      const bool more = thread->works && thread->lane.finish(thread->stack, thread->emit);
      thread->emit.flush();
      if (!more) continue;
      Slice slice{};
      thread->lane.store(view_, slice, thread->stack);
      keep(slice);
    }
    memory_.near.drain(memory_.words, 0, 1);
  }

  void load(Thread& thread, std::uint32_t index) {
    if (index >= live_) return;
    thread.lane.load(view_, from_[index], thread.stack);
    thread.works = true;
  }

  /// The i-th that can give serves the i-th that is idle.
  void splitIn(std::vector<std::unique_ptr<Thread>>& threads) {
    auto idle = threads.begin();
    std::vector<Thread*> givers;
    for (auto& thread : threads)
      if (thread->works && thread->lane.splittable(view_, thread->stack)) givers.push_back(thread.get());
    for (Thread* giver : givers) {
      while (idle != threads.end() && (*idle)->works) ++idle;
      if (idle == threads.end()) return;
      Slice given{};
      giver->lane.split(view_, given, giver->stack);
      ++turn_.splits;
      (*idle)->lane.load(view_, given, (*idle)->stack);
      (*idle)->works = true;
    }
  }

  void keep(const Slice& slice) {
    std::memcpy(to_ + std::size_t{turn_.kept++} * sizeof(Slice), &slice, sizeof(Slice));
  }

  const typename W::View& view_;
  const typename S::View& sinkView_;
  SinkMemory memory_;
  std::uint32_t lanes_;  ///< of a warp
  std::uint32_t warps_;
  std::vector<std::uint32_t> near_;
  std::vector<Slice> from_;
  std::byte* to_ = nullptr;
  std::uint32_t live_ = 0;
  std::uint32_t taken_ = 0;  ///< of the slices that were not dealt
  BatchTurn turn_;
};

/// A TypedProblem whose batches the lane emulator advances by W::Lane, while single slices are advanced by
/// the plain step.
template <class W, class S>
class LaneProblem : public TypedProblem<W, S> {
 public:
  using TypedProblem<W, S>::TypedProblem;
  std::optional<BatchTurn> advanceBatch(std::byte* slices, std::uint32_t live, std::uint32_t capacity,
                                        std::uint64_t budget, const SinkMemory& memory) const override {
    return HostRounds<W, S>(this->view(), this->sinkView(), capacity, memory).run(slices, live, budget);
  }
};

}  // namespace slicepool
