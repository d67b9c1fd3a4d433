// What of oneTBB must not be under way while the process forks. Used by all files of this folder that call
// it, and by the handlers of forks in runtime/core/session.cpp.
#pragma once

#include <mutex>
#include <string_view>

namespace slicepool {

/// From here on a fork waits for what changeScheduler() guards. Handlers that are registered later run before
/// that, so that they may destroy arenas. Nothing where workers are plain threads.
void guardForks();

/// For the first use of oneTBB, and while an arena begins or ends: as long as it is held no thread can fork.
/// A child has neither the thread that holds a lock of the scheduler nor its end, and would wait for ever.
[[nodiscard]] std::unique_lock<std::mutex> changeScheduler();

/// Lets oneTBB look at the machine, once in a process. Before other calls of it.
void startScheduler();

/// Whether a list of nodes as the kernel writes it, such as "0-1,3", has one node.
[[nodiscard]] bool isOneNode(std::string_view nodes);
/// Whether the kernel says that this machine is one NUMA node. For others oneTBB loads hwloc, which reads the
/// whole topology: 3 ms of the 12 that the process of a small run takes.
[[nodiscard]] bool machineIsOneNode();

}  // namespace slicepool
