// Writes rows of `ranked` at their final place, by warps, as aligned vectors of 16 bytes: a lane puts
// together one vector from the one or more blocks that it spans, each the sum of a stored tail (or a
// progression) and a prefix. Specialises WarpStep.
#pragma once

#include <cstdint>

#include "kernels/core/warp_step.cuh"
#include "ranked_windows.cuh"
#include "row_patterns.cuh"
#include "slicepool/factorizations/sinks.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"
#include "warp_linear.cuh"

namespace slicepool::cuda {

/// Patterns per phase and windows per warp, for one block of threads.
template <int D>
struct RowPatterns {
  static constexpr int kMaximumWarps = 8;
  alignas(16) Words axis[D];    ///< one more on the axis
  alignas(16) Words first[D];   ///< one more for x of a progression
  alignas(16) Words second[D];  ///< one more for y
  alignas(16) Words ramp[D];    ///< what later rows of a progression have more than the first of the 16 bytes
  alignas(16) Words carriedRamp[D];  ///< the same with carries between fields, which cancel in a whole row
  alignas(16) Words head[kMaximumWarps][D];  ///< the prefix without its axis, of every warp
  RowWindow windows[kMaximumWarps];
};

template <int D>
class RowWriter {
 public:
  using View = factorizations::RankedView<D, std::uint32_t>;

  /// By all threads of the block.
  static __device__ void prepare(const View& view, RowPatterns<D>& patterns) {
    const int axis = D - view.tail.tail - 1;
    const int shift = elementShift(view);
    const auto steps = [&](int c, int row) -> std::uint32_t {
      const auto r = static_cast<std::uint32_t>(row);
      if (c == D - 2) return 0U - r * view.pair.firstStep;
      return c == D - 1 ? r * view.pair.secondStep : 0U;
    };
    const auto unit = [&](int which, int phase, int word) {
      return patternWord<D>(phase, word, shift, [which](int c, int) { return c == which ? 1 : 0; });
    };
    // Stored tails need the first pattern only.
    const int words = D * 4 * (view.tail.offsets != nullptr ? 1 : 5);
    for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x)) {
      const int phase = i / 4 % D;
      const int word = i % 4;
      switch (i / (D * 4)) {
        case 0: patterns.axis[phase].w[word] = unit(axis, phase, word); break;
        case 1: patterns.first[phase].w[word] = unit(D - 2, phase, word); break;
        case 2: patterns.second[phase].w[word] = unit(D - 1, phase, word); break;
        case 3: patterns.ramp[phase].w[word] = patternWord<D>(phase, word, shift, steps); break;
        default: patterns.carriedRamp[phase].w[word] = patternWord<D, true>(phase, word, shift, steps); break;
      }
    }
  }

  __device__ RowWriter(const View& view, RowPatterns<D>& patterns, std::byte* base, std::uint64_t begin)
      : view_(view),
        patterns_(patterns),
        head_(patterns.head[threadIdx.x / kWarpSize]),
        window_(patterns.windows[threadIdx.x / kWarpSize]),
        base_(base),
        begin_(begin),
        shift_(elementShift(view)),
        rowBytes_(D << shift_),
        stepBytes_(stepBytes(D << shift_)),
        adder_(shift_) {}

  [[nodiscard]] __device__ RowWindow& window() { return window_; }

  /// By all lanes of the warp.
  __device__ void beginPrefix(const WarpPrefix<D>& prefix) {
    const int axis = D - view_.tail.tail - 1;
    __syncwarp();
    for (int i = static_cast<int>(threadIdx.x % kWarpSize); i < D * 4; i += kWarpSize) {
      head_[i / 4].w[i % 4] = patternWord<D>(
          i / 4, i % 4, shift_, [&](int c, int) { return c < axis ? prefix.coordinates()[c] : 0U; });
    }
    __syncwarp();
  }

  /// By all lanes of the warp.
  __device__ void write(const WindowRange& range) const {
    // Places are bytes behind the first row of the window.
    std::byte* const to = base_ + (range.rank - begin_) * rowBytes_;
    const int lead = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 16);
    const int end = static_cast<int>(range.rows) * rowBytes_;
    if (end >= static_cast<int>(range.blocks) * kLongBlock)
      writeLongBlocks(to, lead, end);
    else
      writeShortBlocks(to, lead, end);
    writeBorders(to, lead, end);
  }

 private:
  static constexpr int kWarpBytes = kWarpSize * 16;
  /// Mean bytes of a block from which the set-up of each one pays.
  static constexpr int kLongBlock = 300;

  static __device__ int elementShift(const View& view) { return __ffs(view.tail.elementBytes) - 1; }
  /// The most bytes that are a whole number of rows and at most 32 vectors.
  static __device__ int stepBytes(int rowBytes) {
    const int vectors = rowBytes >> min(__ffs(rowBytes) - 1, 4);  // that are whole rows; odd, or at most 8
    return kWarpSize / vectors * vectors * 16;
  }
  [[nodiscard]] __device__ int startOf(int index) const {
    return static_cast<int>(window_.blocks[index].start) * rowBytes_;
  }
  [[nodiscard]] __device__ const std::byte* source(const RowBlock& block, int at) const {
    return view_.tail.rows +
           (static_cast<std::int64_t>(static_cast<std::int32_t>(block.from)) * rowBytes_ + at);
  }

  /// Vectors that lie within one block, the lanes side by side over all blocks of the window.
  __device__ __forceinline__ void writeShortBlocks(std::byte* to, int lead, int end) const {
    int index = 0;
    int at = static_cast<int>(threadIdx.x % kWarpSize) * 16 - lead;
    if (at < 0) at += kWarpBytes;
    for (; at + 16 <= end; at += kWarpBytes) {
      index = blockOf(window_, index, (static_cast<std::uint32_t>(at) >> shift_) / D);
      if (at + 16 > startOf(index + 1)) continue;
      storeVector(to + at, vectorAt(index, at));
    }
  }

  /// The same block by block. Lanes stay at one phase: a step of the warp is a whole number of rows, for
  /// which some lanes may have to pause.
  __device__ __forceinline__ void writeLongBlocks(std::byte* to, int lead, int end) const {
    const auto lane = static_cast<int>(threadIdx.x % kWarpSize);
    int begin = 0;
    for (int index = 0; begin < end; ++index) {
      const RowBlock block = window_.blocks[index];
      const int next = startOf(index + 1);
      // From the first vector that begins in the block to the last one that ends in it.
      const int last = ((next + lead) & ~15) - lead;
      const int at = ((begin + lead + 15) & ~15) - lead + lane * 16;
      begin = next;
      if (lane * 16 >= stepBytes_ || at >= last) continue;
      const std::uint32_t element = static_cast<std::uint32_t>(at) >> shift_;
      const std::uint32_t phase = element % D;
      Words words = loadWords(&head_[phase]);
      accumulate(words, loadWords(&patterns_.axis[phase]), block.axis);
      if (view_.tail.offsets != nullptr)
        addStored(to, at, last, source(block, at), words);
      else
        addProgression(to, at, last, block, phase, element / D, words);
    }
  }

  /// Vectors at, at + stepBytes_, .. below `last`: what is stored at `from` plus `prefix`. Nothing carries
  /// over, because all fields are coordinates of rows.
  __device__ __forceinline__ void addStored(std::byte* to, int at, int last, const std::byte* from,
                                            const Words& prefix) const {
    const auto offset = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from)) % 16U;
    const unsigned bits = 8 * (offset % 4);
    // The offset is the same for all vectors of a block: no lane takes another way.
    switch (offset / 4) {
      case 0: return addStoredAt<0>(to, at, last, from, bits, prefix);
      case 1: return addStoredAt<1>(to, at, last, from, bits, prefix);
      case 2: return addStoredAt<2>(to, at, last, from, bits, prefix);
      default: return addStoredAt<3>(to, at, last, from, bits, prefix);
    }
  }

  template <int kWord>
  __device__ __forceinline__ void addStoredAt(std::byte* to, int at, int last, const std::byte* from,
                                              unsigned bits, const Words& prefix) const {
    for (; at < last; at += stepBytes_, from += stepBytes_) {
      const Straddle s = loadStraddle(from);
      const std::uint32_t w[8] = {s.low.x, s.low.y, s.low.z, s.low.w, s.high.x, s.high.y, s.high.z, s.high.w};
      Words words = prefix;
#pragma unroll
      for (int i = 0; i < 4; ++i) words.w[i] += __funnelshift_r(w[kWord + i], w[kWord + i + 1], bits);
      storeVector(to + at, words);
    }
  }

  __device__ __forceinline__ void addProgression(std::byte* to, int at, int last, const RowBlock& block,
                                                 std::uint32_t phase, std::uint32_t row, Words words) const {
    const Words first = loadWords(&patterns_.first[phase]);
    const Words second = loadWords(&patterns_.second[phase]);
    accumulate(words, first, block.from - row * view_.pair.firstStep);
    accumulate(words, second, block.y + row * view_.pair.secondStep);
    accumulate(words, loadWords(&patterns_.carriedRamp[phase]), 1);
    const std::uint32_t rows = static_cast<std::uint32_t>(stepBytes_ >> shift_) / D;
    Words step{};
    accumulate(step, first, 0U - rows * view_.pair.firstStep);
    accumulate(step, second, rows * view_.pair.secondStep);
    for (; at < last; at += stepBytes_) {
      storeVector(to + at, words);
      accumulate(words, step, 1);
    }
  }

  static __device__ __forceinline__ void storeVector(std::byte* to, const Words& words) {
    __stcs(reinterpret_cast<uint4*>(to), make_uint4(words.w[0], words.w[1], words.w[2], words.w[3]));
  }

  /// Vectors in which a block begins, or the window ends: a lane for each border.
  __device__ __forceinline__ void writeBorders(std::byte* to, int lead, int end) const {
    const auto lane = static_cast<int>(threadIdx.x % kWarpSize);
    const int border = startOf(lane);
    const int at = ((border + lead) & ~15) - lead;
    if (at == border) return;
    // The first border inside a vector stands for all of them.
    if (lane > 0 && startOf(lane - 1) > at) return;
    int index = lane > 0 ? lane - 1 : 0;
    Words words = vectorAt(index, at);
    for (int filled = startOf(index + 1); filled < at + 16 && filled < end; filled = startOf(index + 1)) {
      ++index;
      if (startOf(index + 1) == filled) continue;
      mergeBehind(words, vectorAt(index, at), filled - at);
    }
    storePart(to + at, words, at < 0 ? static_cast<unsigned>(-at) : 0U,
              at + 16 <= end ? 16U : static_cast<unsigned>(end - at));
  }

  [[nodiscard]] __device__ Words vectorAt(int index, int at) const {
    const RowBlock block = window_.blocks[index];
    Straddle straddle{};
    if (view_.tail.offsets != nullptr) straddle = loadStraddle(source(block, at));
    return vectorOf(block, at, straddle);
  }

  /// The 16 bytes at place `at`, as if all were of this block.
  __device__ __forceinline__ Words vectorOf(const RowBlock& block, int at, const Straddle& straddle) const {
    constexpr int kRowsInFront = 16;  // a vector begins at most 15 coordinates in front of the window
    const auto element = static_cast<std::uint32_t>((at >> shift_) + kRowsInFront * D);
    const std::uint32_t phase = element % D;
    Words words = loadWords(&head_[phase]);
    accumulate(words, loadWords(&patterns_.axis[phase]), block.axis);
    if (view_.tail.offsets != nullptr) {
      adder_.add(words, shifted(straddle, source(block, at)));
    } else {
      const std::uint32_t row = element / D - kRowsInFront;
      const std::uint32_t field = shift_ >= 2 ? 0xffffffffU : (1U << (8U << shift_)) - 1U;
      Words solution{};
      accumulate(solution, loadWords(&patterns_.first[phase]),
                 (block.from - row * view_.pair.firstStep) & field);
      accumulate(solution, loadWords(&patterns_.second[phase]),
                 (block.y + row * view_.pair.secondStep) & field);
      adder_.add(solution, loadWords(&patterns_.ramp[phase]));
      adder_.add(words, solution);
    }
    return words;
  }

  const View& view_;
  RowPatterns<D>& patterns_;
  Words* head_;
  RowWindow& window_;
  std::byte* base_;
  std::uint64_t begin_;
  int shift_;
  int rowBytes_;
  int stepBytes_;
  FieldAdder adder_;
};

/// Rows [first, last) to `base`, which is the place of rank `begin`; `mix`, if any, takes them too. By all
/// lanes of a warp.
template <int D>
__device__ void expandRows(const factorizations::RankedView<D, std::uint32_t>& view, RowPatterns<D>& patterns,
                           std::byte* base, std::uint64_t begin, std::uint64_t first, std::uint64_t last,
                           WarpMix<D>* mix) {
  RowWriter<D> writer(view, patterns, base, begin);
  forWindows<D>(
      view, writer.window(), first, last,
      [&](const WarpPrefix<D>& prefix) {
        writer.beginPrefix(prefix);
        if (mix != nullptr) mix->beginPrefix(prefix);
      },
      [&](const WindowRange& range) {
        writer.write(range);
        if (mix != nullptr) mix->add(writer.window(), range);
      });
}

template <int D>
struct WarpStep<factorizations::Ranked<D, std::uint32_t>, factorizations::PlaceRows<D, std::uint32_t>> {
  static constexpr bool kExists = D >= 3;
  static constexpr bool kPreferred = true;
  static constexpr unsigned kBlocks = 1;
  using W = factorizations::Ranked<D, std::uint32_t>;
  using S = factorizations::PlaceRows<D, std::uint32_t>;
  using Shared = RowPatterns<D>;

  static bool available(const typename W::View& view) { return view.tail.tail != 0; }
  static __device__ void prepare(const typename W::View& view, Shared& shared) {
    RowWriter<D>::prepare(view, shared);
  }
  static __device__ void finish(const typename S::View&, const SinkMemory&, Shared&) {}
  static __device__ Turn advance(const typename W::View& view, const typename S::View& sink,
                                 const SinkMemory& memory, Shared& shared, typename W::Slice& slice,
                                 Budget& budget) {
    if (slice.first >= slice.last) return Turn::exhausted;
    const std::uint64_t count = min(min(slice.last - slice.first, budget.left), kMaximumRowsOfTurn);
    WarpMix<D> mix(view);
    const bool mixes = sink.fingerprint >= 0;
    expandRows<D>(view, shared, sink.base, sink.begin, slice.first, slice.first + count,
                  mixes ? &mix : nullptr);
    slice.first += count;
    budget.left -= count;
    if (mixes) mix.flush(memory.words + sink.fingerprint);
    if (threadIdx.x % kWarpSize == 0) mergeWord<Merge::add>(memory.words, count);
    return slice.first == slice.last ? Turn::exhausted : Turn::budgetSpent;
  }
};

}  // namespace slicepool::cuda
