// Reductions of `ranked` by warps that never make a row: the fingerprint, lengths and predicates are linear
// forms of rows, of which the tail's part is stored; the maxima of coordinates come from blocks. Specialises
// WarpStep.
#pragma once

#include <cstdint>

#include "kernels/core/warp_step.cuh"
#include "ranked_windows.cuh"
#include "slicepool/factorizations/sinks.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"
#include "warp_linear.cuh"

namespace slicepool::cuda {

struct ReduceShared {
  static constexpr int kMaximumWarps = 8;
  static constexpr std::uint32_t kBins = 4096;
  RowWindow windows[kMaximumWarps];
  std::uint32_t histogram[kBins];  ///< of lengths, while they are below kBins
};

struct LengthWeight {
  __device__ __forceinline__ std::uint64_t operator()(int) const { return 1; }
};

template <int D>
struct PredicateWeight {
  const std::int64_t* coefficients;
  __device__ __forceinline__ std::uint64_t operator()(int k) const {
    return static_cast<std::uint64_t>(coefficients[k]);
  }
};

/// One turn of one warp.
template <int D>
class WarpReduction {
 public:
  using View = factorizations::RankedView<D, std::uint32_t>;
  using SinkView = typename factorizations::Reduce<D, std::uint32_t>::View;

  __device__ WarpReduction(const View& view, const SinkView& sink, const SinkMemory& memory,
                           ReduceShared& shared)
      : view_(view),
        sink_(sink),
        words_(memory.words),
        shared_(shared),
        window_(shared.windows[threadIdx.x / kWarpSize]) {}

  __device__ void run(std::uint64_t first, std::uint64_t last) {
    switch (view_.tail.valueKind) {
      case factorizations::TailValues::fingerprint: mix(first, last); break;
      case factorizations::TailValues::length: measure(first, last); break;
      case factorizations::TailValues::predicate: test(first, last); break;
      case factorizations::TailValues::none: takeMaxima(first, last); break;
    }
    if (leads()) mergeWord<Merge::add>(words_, last - first);
  }

 private:
  [[nodiscard]] __device__ static bool leads() { return threadIdx.x % kWarpSize == 0; }

  __device__ void mix(std::uint64_t first, std::uint64_t last) {
    WarpMix<D> mix(view_);
    forWindows<D>(
        view_, window_, first, last, [&](const WarpPrefix<D>& prefix) { mix.beginPrefix(prefix); },
        [&](const WindowRange& range) { mix.add(window_, range); });
    mix.flush(words_ + sink_.fingerprint);
  }

  __device__ void measure(std::uint64_t first, std::uint64_t last) {
    WarpLinear<D, LengthWeight> linear(view_, LengthWeight{}, 0);
    unsigned long long shortest = ~0ULL;
    unsigned long long longest = 0;
    const bool counts = sink_.lengths >= 0;
    forWindows<D>(
        view_, window_, first, last, [&](const WarpPrefix<D>& prefix) { linear.beginPrefix(prefix); },
        [&](const WindowRange& range) {
          linear.forRows(window_, range, [&](std::uint64_t length) {
            shortest = min(shortest, static_cast<unsigned long long>(length));
            longest = max(longest, static_cast<unsigned long long>(length));
            if (counts) countLength(length);
          });
        });
    if (sink_.lengthRange < 0) return;
    for (unsigned distance = kWarpSize / 2; distance != 0; distance /= 2) {
      shortest = min(shortest, __shfl_down_sync(kFullMask, shortest, distance));
      longest = max(longest, __shfl_down_sync(kFullMask, longest, distance));
    }
    if (!leads()) return;
    mergeWord<Merge::minimum>(words_ + sink_.lengthRange, shortest);
    mergeWord<Merge::maximum>(words_ + sink_.lengthRange + 1, longest);
  }

  /// Rows of one block have few different lengths: lanes with the same one count together.
  __device__ __forceinline__ void countLength(std::uint64_t length) {
    const auto bin = static_cast<std::uint32_t>(length);
    const unsigned active = __activemask();
    const unsigned same = __match_any_sync(active, bin);
    const auto lane = threadIdx.x % kWarpSize;
    if (static_cast<unsigned>(__ffs(static_cast<int>(same)) - 1) != lane) return;
    const auto rows = static_cast<std::uint32_t>(__popc(same));
    if (bin < ReduceShared::kBins)
      atomicAdd(shared_.histogram + bin, rows);
    else
      mergeWord<Merge::add>(words_ + sink_.lengths + bin, rows);
  }

  __device__ void test(std::uint64_t first, std::uint64_t last) {
    WarpLinear<D, PredicateWeight<D>> linear(view_, PredicateWeight<D>{sink_.coefficients}, 0);
    std::uint64_t satisfied = 0;
    forWindows<D>(
        view_, window_, first, last, [&](const WarpPrefix<D>& prefix) { linear.beginPrefix(prefix); },
        [&](const WindowRange& range) {
          linear.forRows(window_, range, [&](std::uint64_t form) {
            const auto value = static_cast<std::int64_t>(form);
            const bool holds = sink_.relation < 0   ? value <= sink_.bound
                               : sink_.relation > 0 ? value >= sink_.bound
                                                    : value == sink_.bound;
            satisfied += holds ? 1U : 0U;
          });
        });
    satisfied = warpSum(satisfied);
    if (!leads()) return;
    mergeWord<Merge::add>(words_ + sink_.predicate, satisfied);
    mergeWord<Merge::add>(words_ + sink_.predicate + 1, last - first - satisfied);
  }

  __device__ void takeMaxima(std::uint64_t first, std::uint64_t last) {
    std::uint32_t maxima[D] = {};
    const int axis = D - view_.tail.tail - 1;
    forWindows<D>(
        view_, window_, first, last,
        [&](const WarpPrefix<D>& prefix) {
    // A prefix is visited because it has rows in the range.
#pragma unroll
          for (int k = 0; k < D; ++k)
            if (k < axis) maxima[k] = max(maxima[k], prefix.coordinates()[k]);
        },
        [&](const WindowRange& range) { takeTails(maxima, axis, range); });
#pragma unroll
    for (int k = 0; k < D; ++k) {
      const std::uint32_t most = __reduce_max_sync(kFullMask, maxima[k]);
      if (leads()) mergeWord<Merge::maximum>(words_ + sink_.coordinateMaxima + k, most);
    }
  }

  __device__ void takeTails(std::uint32_t (&maxima)[D], int axis, const WindowRange& range) const {
    int index = 0;
    for (std::uint32_t row = threadIdx.x % kWarpSize; row < range.rows; row += kWarpSize) {
      index = blockOf(window_, index, row);
      const RowBlock block = window_.blocks[index];
      const std::byte* stored = nullptr;
      if (view_.tail.offsets != nullptr) {
        stored = view_.tail.rows + static_cast<std::size_t>(static_cast<std::uint32_t>(block.from + row)) *
                                       (D * view_.tail.elementBytes);
      }
#pragma unroll
      for (int k = 0; k < D; ++k) {
        std::uint32_t value = 0;
        if (k == axis) value = block.axis;
        if (k > axis) value = stored != nullptr ? element(stored, k) : solution(block, row, k);
        maxima[k] = max(maxima[k], value);
      }
    }
  }

  [[nodiscard]] __device__ std::uint32_t solution(const RowBlock& block, std::uint32_t row, int k) const {
    return k == D - 2 ? block.from - row * view_.pair.firstStep : block.y + row * view_.pair.secondStep;
  }
  [[nodiscard]] __device__ std::uint32_t element(const std::byte* row, int k) const {
    switch (view_.tail.elementBytes) {
      case 1: return __ldg(reinterpret_cast<const std::uint8_t*>(row) + k);
      case 2: return __ldg(reinterpret_cast<const std::uint16_t*>(row) + k);
      case 4: return __ldg(reinterpret_cast<const std::uint32_t*>(row) + k);
      default: return __ldg(reinterpret_cast<const std::uint32_t*>(row) + std::size_t{2} * k);
    }
  }

  const View& view_;
  const SinkView& sink_;
  std::uint64_t* words_;
  ReduceShared& shared_;
  RowWindow& window_;
};

template <int D>
struct WarpStep<factorizations::Ranked<D, std::uint32_t>, factorizations::Reduce<D, std::uint32_t>> {
  static constexpr bool kExists = D >= 3;
  static constexpr bool kPreferred = true;
  static constexpr unsigned kBlocks = 1;
  using W = factorizations::Ranked<D, std::uint32_t>;
  using S = factorizations::Reduce<D, std::uint32_t>;
  using Shared = ReduceShared;

  static bool available(const typename W::View& view) { return view.tail.tail != 0; }
  static __device__ void prepare(const typename W::View& view, Shared& shared) {
    if (view.tail.valueKind != factorizations::TailValues::length) return;
    for (std::uint32_t bin = threadIdx.x; bin < Shared::kBins; bin += blockDim.x) shared.histogram[bin] = 0;
  }
  static __device__ Turn advance(const typename W::View& view, const typename S::View& sink,
                                 const SinkMemory& memory, Shared& shared, typename W::Slice& slice,
                                 Budget& budget) {
    if (slice.first >= slice.last) return Turn::exhausted;
    const std::uint64_t count = min(min(slice.last - slice.first, budget.left), kMaximumRowsOfTurn);
    WarpReduction<D>(view, sink, memory, shared).run(slice.first, slice.first + count);
    slice.first += count;
    budget.left -= count;
    return slice.first == slice.last ? Turn::exhausted : Turn::budgetSpent;
  }
  static __device__ void finish(const typename S::View& sink, const SinkMemory& memory, Shared& shared) {
    if (sink.lengths < 0) return;
    for (std::uint32_t bin = threadIdx.x; bin < Shared::kBins; bin += blockDim.x) {
      const std::uint32_t rows = shared.histogram[bin];
      if (rows != 0) mergeWord<Merge::add>(memory.words + sink.lengths + bin, rows);
    }
  }
};

}  // namespace slicepool::cuda
