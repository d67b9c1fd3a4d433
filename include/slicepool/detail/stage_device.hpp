// The interface between the explorer of stages (runtime/semigroup/staged_explorer.hpp) and whatever holds an
// exploration and executes its rounds: the host with its CPU workers
// (runtime/semigroup/host_stage_device.hpp), a GPU with memory of its own (kernels/semigroup/device.cuh), or
// a stand-in for it on the host (runtime/semigroup/emulated_stage_device.hpp).
//
// An exploration starts on the host, where stages of a few products cost nothing. It moves to another device
// at the beginning of a stage and stays there: table, keys, columns and both graphs. One table, on one side:
// nothing of a round crosses the bus but its words. The host copies what it is asked for (download).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <utility>

#include "slicepool/detail/batch_device.hpp"
#include "slicepool/detail/registry.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/semigroup/steps/keys.hpp"
#include "slicepool/semigroup/steps/view.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

/// How far the columns of an exploration go.
struct Extent {
  Element elements = 0;  ///< elements with words and keys
  Element rows = 0;      ///< complete rows of the right graph
  Element leftRows = 0;  ///< complete rows of the left graph
};

/// Phases over ranges of the stage in work, independent of each other: between two barriers.
struct StageRound {
  std::span<const Slice> ranges;
  Element stageBegin = 0;  ///< the stage in work: elements [stageBegin, stageEnd)
  Element stageEnd = 0;
  std::uint64_t* words = nullptr;  ///< Tally: what was found is merged into them
  std::function<bool()> stopped;   ///< asked from time to time: whether the rest is not wanted any more
};

/// What was done of a round.
struct StageWork {
  bool whole = true;        ///< false: it was stopped, and nothing is known but that it may be repeated
  std::uint64_t steps = 0;  ///< indices; 0 when the device has accounted for its workers itself
  std::uint64_t turns = 0;
  double seconds = 0;
};

/// Calls come from one thread. Every failure of the device is an exception derived from DeviceError; after
/// one, the object may only be destroyed. LimitError: memory is short, nothing has changed.
template <class Keys>
class StageDevice {
 public:
  virtual ~StageDevice() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;
  /// "cpu", "gpu" or "emulated".
  [[nodiscard]] virtual const std::string& kind() const = 0;
  /// Bytes of device memory held by this object, and how many it may hold (0: any number).
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  [[nodiscard]] virtual std::size_t memoryLimit() const = 0;

  /// Takes an exploration over, at the beginning of a stage: copies of generators, keys, columns and rows up
  /// to `extent` of `host`, whose pointers are to host memory. What was here is forgotten; there is no table.
  virtual void upload(const View<Keys>& host, const Extent& extent) = 0;
  /// Copies everything between the two extents to the host.
  virtual void download(const View<Keys>& host, const Extent& from, const Extent& to) = 0;

  /// Tree bits of complete rows [begin, end) of the right graph, 32 to a word, from bit 0 on: whether an
  /// entry is a tree edge. What a checkpoint keeps of them.
  virtual void treeBits(Element begin, Element end, std::uint32_t* bits) = 0;

  /// Room for rows of both graphs. What is there stays.
  virtual void resizeRows(Element elements) = 0;
  /// Room for words and keys. What is there stays.
  virtual void resizeElements(Element elements) = 0;
  /// An empty table of `slots` slots, a power of two.
  virtual void newTable(std::uint64_t slots) = 0;

  /// Executes the phases of a round and merges their words. Phases without words may still be running on
  /// return; later calls come after them.
  virtual StageWork run(const StageRound& round) = 0;
  /// Turns numbers of winners of the first `blocks` blocks into numbers of first elements, counted from
  /// `next` on; returns the number after the last winner.
  virtual std::uint64_t numberBlocks(std::uint32_t blocks, Element next) = 0;
  /// The element whose key has this hash and these images of base points, or kNoElement. The table must be
  /// complete.
  [[nodiscard]] virtual Element find(std::uint64_t hash, const Image* images) = 0;
};

/// A round by a device that cannot be stopped within a launch: `launch(piece)` for pieces of some million
/// indices, with a look at `stopped` before each.
template <class Launch>
StageWork runInPieces(const StageRound& round, const Launch& launch) {
  constexpr std::uint64_t kPiece = 1U << 22;
  const auto start = std::chrono::steady_clock::now();
  StageWork work;
  for (const Slice& range : round.ranges) {
    for (Slice piece = range; work.whole && piece.begin < range.end; piece.begin = piece.end) {
      if (round.stopped()) {
        work.whole = false;
        break;
      }
      piece.end = std::min(range.end, piece.begin + kPiece);
      launch(piece);
      work.steps += piece.end - piece.begin;
      ++work.turns;
    }
  }
  work.seconds = secondsSince(start);
  return work;
}

/// `host` has the generators and is valid during the call.
template <class Keys>
using StageDeviceFactory =
    std::function<std::unique_ptr<StageDevice<Keys>>(const Keys& host, const DeviceOptions& options)>;

/// For registerCudaKernels().
template <class Keys>
void registerStageDevice(StageDeviceFactory<Keys> factory) {
  registerMaker(typeid(StageDevice<Keys>), std::move(factory));
}
/// Empty when no kernels were built.
template <class Keys>
[[nodiscard]] StageDeviceFactory<Keys> stageDeviceFactory() {
  return makerOf<StageDeviceFactory<Keys>>(typeid(StageDevice<Keys>));
}

}  // namespace slicepool::semigroup
