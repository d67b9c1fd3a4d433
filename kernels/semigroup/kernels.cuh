// Kernels of the phases of an exploration. Where the loops of a CPU worker go over elements, a kernel gives
// every entry of a row a thread (slicepool/semigroup/steps/entries.hpp), so that neighbours read one row;
// blocks of winners are counted and numbered by a warp each. Included by device.cuh.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "slicepool/detail/lanes.hpp"
#include "slicepool/semigroup/steps/entries.hpp"
#include "slicepool/semigroup/steps/sinks.hpp"

namespace slicepool::cuda {

namespace sg = slicepool::semigroup;

inline constexpr unsigned kStageThreads = 256;

/// Merges a number that each thread found into a word, with one addition for each warp. All threads of the
/// block.
__device__ inline void addFound(std::uint64_t* words, std::uint64_t found) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2)
    found += __shfl_down_sync(kFullMask, found, distance);
  if (threadIdx.x % kWarpSize == 0 && found != 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(words + sg::kFoundWord),
              static_cast<unsigned long long>(found));
  }
}

__device__ inline void addFailure(std::uint64_t* words, std::uint64_t code) {
  atomicAdd(reinterpret_cast<unsigned long long*>(words + sg::kFailuresWord), 1ULL);
  atomicMin(reinterpret_cast<unsigned long long*>(words + sg::kFirstFailureWord),
            static_cast<unsigned long long>(code));
}

/// `entry(view, x, g)` for all entries of rows [begin, end).
struct ExpandEntry {
  template <class Keys>
  __device__ void operator()(const sg::View<Keys>& view, sg::Element x, std::uint32_t g,
                             std::uint64_t*) const {
    sg::expandEntry(view, x, g);
  }
};
struct DeriveEntry {
  template <class Keys>
  __device__ void operator()(const sg::View<Keys>& view, sg::Element x, std::uint32_t g,
                             std::uint64_t* words) const {
    sg::deriveEntry(
        view, x, g, [&](sg::Element at, std::uint32_t by) { addFailure(words, sg::failureCode(at, by, 0)); });
  }
};
struct LeftEntry {
  template <class Keys>
  __device__ void operator()(const sg::View<Keys>& view, sg::Element x, std::uint32_t g,
                             std::uint64_t*) const {
    sg::leftEntry(view, x, g);
  }
};

template <class Entry, class Keys>
__global__ void __launch_bounds__(kStageThreads)
    overEntries(sg::View<Keys> view, sg::Element begin, std::uint64_t entries, std::uint64_t* words) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < entries; i += stride) {
    // A piece has fewer than 2^32 entries: 32-bit divisions are several times faster.
    const auto index = static_cast<std::uint32_t>(i);
    const std::uint32_t row = index / view.generators;
    Entry{}(view, begin + row, index - row * view.generators, words);
  }
}

/// Condition (1) of check.hpp for elements [begin, end): a block of threads takes some elements at a time, so
/// that the rows it reads several times stay in its cache.
template <class Keys>
__global__ void __launch_bounds__(kStageThreads)
    checkStage(sg::View<Keys> view, sg::Element begin, sg::Element end, std::uint64_t* words) {
  constexpr std::uint32_t kTogether = 16;
  const std::uint32_t g = view.generators;
  for (std::uint64_t first = begin + std::uint64_t{blockIdx.x} * kTogether; first < end;
       first += std::uint64_t{gridDim.x} * kTogether) {
    const std::uint32_t count = end - first < kTogether ? static_cast<std::uint32_t>(end - first) : kTogether;
    for (std::uint64_t i = threadIdx.x; i < std::uint64_t{count} * g * g; i += blockDim.x) {
      const auto row = static_cast<std::uint32_t>(i / g);  // (element, f)
      const auto by = static_cast<std::uint32_t>(i % g);
      const auto x = static_cast<sg::Element>(first + row / g);
      if (!sg::commutes(view, x, by, row % g)) addFailure(words, sg::failureCode(x, by, row % g));
    }
  }
}

/// What is counted or inserted element by element.
template <class Keys>
__global__ void __launch_bounds__(kStageThreads)
    overElements(sg::View<Keys> view, sg::Phase phase, sg::Element begin, sg::Element end,
                 std::uint64_t* words) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t found = 0;
  for (std::uint64_t i = begin + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += stride) {
    const auto x = static_cast<sg::Element>(i);
    switch (phase) {
      case sg::Phase::rehash: sg::insertSettled(view.table, view.keys.hashOf(x), x); break;
      case sg::Phase::measure: found += sg::productsOf(view, x, x + 1); break;
      case sg::Phase::rules: found += sg::rulesOf(view, x); break;
      case sg::Phase::idempotents: found += sg::isIdempotent(view, x) ? 1 : 0; break;
      case sg::Phase::idempotentsEverywhere: found += sg::isIdempotentEverywhere(view, x) ? 1 : 0; break;
      case sg::Phase::checkRules:
        sg::checkRulesOf(view, x, [&](sg::Element at, std::uint32_t g, std::uint32_t) {
          addFailure(words, sg::failureCode(at, g, 0));
        });
        break;
      default: break;
    }
  }
  addFound(words, found);
}

/// The entries of one block of the stage, a warp at a time, in the order of candidates.
struct BlockEntries {
  sg::Element begin;
  std::uint32_t entries;
  std::uint32_t firstCandidate;
  template <class Keys>
  __device__ BlockEntries(const sg::View<Keys>& view, std::uint32_t block) {
    begin = view.stageBegin + block * sg::kBlock;
    const sg::Element end = begin + sg::kBlock < view.stageEnd ? begin + sg::kBlock : view.stageEnd;
    entries = (end - begin) * view.generators;
    firstCandidate = (begin - view.stageBegin) * view.generators;
  }
};

/// A warp counts the winners of a block.
template <class Keys>
__global__ void __launch_bounds__(kStageThreads)
    countBlocks(sg::View<Keys> view, std::uint32_t first, std::uint32_t last) {
  const unsigned lane = threadIdx.x % kWarpSize;
  const std::uint32_t warps = gridDim.x * blockDim.x / kWarpSize;
  for (std::uint32_t block = first + (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize; block < last;
       block += warps) {
    const BlockEntries of(view, block);
    const std::uint32_t* row = view.rightRow(of.begin);
    std::uint32_t winners = 0;
    for (std::uint32_t i = lane; i < of.entries; i += kWarpSize)
      winners += sg::isWinner(view, row[i], of.firstCandidate + i) ? 1 : 0;
    winners = __reduce_add_sync(kFullMask, winners);
    if (lane == 0) view.blockWinners[block] = winners;
  }
}

/// A warp numbers the winners of a block, in the order of candidates, and makes their elements.
template <class Keys>
__global__ void __launch_bounds__(kStageThreads)
    numberBlocks(sg::View<Keys> view, std::uint32_t first, std::uint32_t last) {
  const unsigned lane = threadIdx.x % kWarpSize;
  const std::uint32_t warps = gridDim.x * blockDim.x / kWarpSize;
  for (std::uint32_t block = first + (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize; block < last;
       block += warps) {
    const BlockEntries of(view, block);
    std::uint32_t* row = view.rightRow(of.begin);
    sg::Element next = view.blockWinners[block];
    for (std::uint32_t at = 0; at < of.entries; at += kWarpSize) {
      const std::uint32_t i = at + lane;
      const bool wins = i < of.entries && sg::isWinner(view, row[i], of.firstCandidate + i);
      const unsigned winners = __ballot_sync(kFullMask, wins);
      if (wins) {
        const sg::Element y = next + static_cast<unsigned>(__popc(winners & ((1U << lane) - 1)));
        std::uint64_t* slot = view.table.slots + sg::elementOf(row[i]);
        storeRelaxed(slot, sg::settledSlot(loadRelaxed(slot), y));
        row[i] = sg::kTree | y;
        sg::addElement(view, of.begin + i / view.generators, i % view.generators, y);
      }
      next += static_cast<unsigned>(__popc(winners));
    }
  }
}

/// Bit i of `bits`: whether entry `first` + i of the right graph is a tree edge. A warp makes a word.
template <class Keys>
__global__ void __launch_bounds__(kStageThreads)
    packTreeEdges(sg::View<Keys> view, std::uint64_t first, std::uint32_t count, std::uint32_t* bits) {
  const std::uint32_t* entries = view.right + first;
  const std::uint32_t whole = (count + kWarpSize - 1) / kWarpSize * kWarpSize;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < whole; i += gridDim.x * blockDim.x) {
    const unsigned word = __ballot_sync(kFullMask, i < count && sg::isTree(entries[i]));
    if (i % kWarpSize == 0) bits[i / kWarpSize] = word;
  }
}

/// One thread looks an element up by its key.
template <class Keys>
__global__ void findElement(sg::View<Keys> view, std::uint64_t hash, const sg::Image* images,
                            sg::Element* found) {
  *found = sg::findSettled(
      view.table, hash, [&](sg::Element x) { return sg::keyIs(view, x, images); });
}

}  // namespace slicepool::cuda
