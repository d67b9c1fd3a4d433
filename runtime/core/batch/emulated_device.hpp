// The lane emulator: executes batches of slices on the host with the plain step functions, one lane after
// another (or by Problem::advanceBatch), behind the same interface as a GPU. It is for tests (fault
// injection) and for looking at the balancing without a GPU; it never calls itself one. Made by the engine in
// mode `emulated`.
#pragma once

#include <memory>

#include "slicepool/core/options.hpp"
#include "slicepool/detail/batch_device.hpp"
#include "slicepool/detail/device_seat.hpp"

namespace slicepool {

/// `seat`: one of makeEmulatedSeat; empty: its own.
[[nodiscard]] std::unique_ptr<BatchDevice> makeEmulatedDevice(const Problem& problem,
                                                              const EmulatorOptions& options,
                                                              std::shared_ptr<DeviceSeat> seat = {});
/// The memory of an emulated device.
[[nodiscard]] std::unique_ptr<DeviceSeat> makeEmulatedSeat();

}  // namespace slicepool
