// The stack of a lane: its last frames in fast memory, the others beside it. Used by lanes of workloads
// (docs/adding-a-workload.md), on the host by tests and in kernels with shared memory.
#pragma once

#include "slicepool/core/platform.hpp"

namespace slicepool {

/// Frames, the last kFast of which (a power of two) are in a `Fast`: `Frame get(int place) const` and
/// `put(int place, const Frame&)` with places from 0 to kFast - 1. The lane counts its frames itself. O(1)
/// each.
template <class Frame, int kFast, class Fast>
class SpillingStack {
  static_assert(kFast > 0 && (kFast & (kFast - 1)) == 0);

 public:
  /// `others`: as many frames as there can be. An array of its own, so that this object can be in registers.
  SLICEPOOL_INLINE SpillingStack(const Fast& fast, Frame* others) : fast_(fast), others_(others) {}

  /// There are `frames` frames now. All of them are to be written.
  SLICEPOOL_INLINE void begin(int frames) { low_ = frames > kFast ? frames - kFast : 0; }
  /// Frame `i` becomes the last one, i being the number of frames before.
  SLICEPOOL_INLINE void push(int i, const Frame& frame) {
    if (i - low_ == kFast) {
      others_[low_] = fast_.get(low_ % kFast);
      ++low_;
    }
    fast_.put(i % kFast, frame);
  }
  /// Frame `i`, the last one, is no longer one.
  SLICEPOOL_INLINE Frame pop(int i) {
    if (i >= low_) return fast_.get(i % kFast);
    low_ = i;
    return others_[i];
  }
  [[nodiscard]] SLICEPOOL_INLINE Frame read(int i) const {
    return i >= low_ ? fast_.get(i % kFast) : others_[i];
  }
  SLICEPOOL_INLINE void write(int i, const Frame& frame) {
    if (i >= low_)
      fast_.put(i % kFast, frame);
    else
      others_[i] = frame;
  }

 private:
  Fast fast_;
  int low_ = 0;  ///< frames before this one are in others_
  Frame* others_;
};

/// Fast memory of one lane on the host.
template <class Frame, int kFast>
struct HostFrames {
  Frame frames[kFast];
  [[nodiscard]] Frame get(int place) const { return frames[place]; }
  void put(int place, const Frame& frame) { frames[place] = frame; }
};

}  // namespace slicepool
