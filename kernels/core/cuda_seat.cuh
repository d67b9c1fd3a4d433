// What a CUDA device needs whatever its problem is, and keeps for the next one: streams, events, pinned
// memory. Lent by sessions to CudaDeviceBase, one device at a time.
#pragma once

#include <cstddef>

#include "device_buffer.cuh"
#include "pinned_ring.cuh"
#include "slicepool/detail/batch_device.hpp"
#include "slicepool/detail/device_seat.hpp"

namespace slicepool::cuda {

class CudaSeat final : public DeviceSeat {
 public:
  /// Of one batch.
  struct Slot {
    PinnedBuffer summary;  ///< a DeviceState, written by the copy that ends a launch
    Event started{Event::Timing::yes};
    Event finished{Event::Timing::yes};
    Event copied;      ///< behind the rows that a launch copies
    Event settled;     ///< behind what the copies of slices wait for
    Event downloaded;  ///< behind these copies
    Stream stream;
    Stream copies;  ///< of slices while a launch runs
  };

  /// Throws DeviceError for a number that no GPU has, CudaError.
  explicit CudaSeat(int index);
  ~CudaSeat() override;

  [[nodiscard]] std::size_t hostBytes() const override;
  /// Waits for everything that its device has queued. When some of it has failed the context is lost, and the
  /// seat and the memory cache with it.
  void settle() noexcept;

  // For the device that has it. The number comes first: it selects the GPU for what follows.
  const int device;
  const SelectedDevice selected;
  PinnedRing ring;
  Event ready;  ///< behind tables and state, which go through the stream of the first batch
  Slot slots[kBatchSlots];
};

}  // namespace slicepool::cuda
