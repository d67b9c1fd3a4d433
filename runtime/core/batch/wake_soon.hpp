// For threads that sleep most of the time and are waited for when they wake up. Used by the batch driver.
#pragma once

namespace slicepool {

/// Asks the scheduler to run this thread soon after each wake-up, beside threads that compute all the time:
/// it gets the shortest time slice, 0.1 ms (Linux 6.12 or newer; elsewhere nothing happens). Without that the
/// driver of a GPU waited up to 10 ms for a core beside 15 CPU workers on 16 cores.
void wakeSoon() noexcept;

}  // namespace slicepool
