// What a device needs for any problem and keeps for the next one: streams, events, pinned memory through
// which it copies. A session holds the seats that no run has and lends them to devices (batch_device.hpp), so
// that the second run on a GPU does not make them again.
#pragma once

#include <atomic>
#include <cstddef>

namespace slicepool {

/// Lent to one device at a time. A device waits for its work before it gives its seat back.
class DeviceSeat {
 public:
  DeviceSeat() = default;
  virtual ~DeviceSeat() = default;
  DeviceSeat(const DeviceSeat&) = delete;
  DeviceSeat& operator=(const DeviceSeat&) = delete;

  /// Bytes of host memory that it holds while no device has it.
  [[nodiscard]] virtual std::size_t hostBytes() const = 0;
  /// Its device has failed in a way that may go on: it is not lent again. Any thread.
  void discard() noexcept { usable_.store(false); }
  [[nodiscard]] bool usable() const noexcept { return usable_.load(); }

 private:
  std::atomic<bool> usable_{true};
};

}  // namespace slicepool
