// Loops over index ranges by several CPU cores: oneTBB, or plain threads in a build with
// SLICEPOOL_THREAD_ARENA. For setup work such as filling tables; runs use cpu_workers.hpp. Called by
// runtime/.
#pragma once

#include <cstdint>
#include <functional>

namespace slicepool {

/// Executes `work` in the calling thread; parallelFor inside it uses up to `threads` threads, the caller
/// included. More threads than cores is legal. Rethrows what `work` throws; throws LimitError when the system
/// does not grant the threads.
void inArena(int threads, const std::function<void()>& work);

/// body(first, last) for disjoint ranges of about `grain` indices that together are [begin, end); returns
/// when all are done. In the arena of the surrounding inArena. Exceptions of `body` are rethrown, one if
/// there are several. A guard of the set-up (setup_stop.hpp) is asked before each range.
void parallelFor(std::uint64_t begin, std::uint64_t end, std::uint64_t grain,
                 const std::function<void(std::uint64_t, std::uint64_t)>& body);

/// work(i) for all i < count, each a task of its own, by up to `threads` threads; a single thread or task
/// needs no arena.
void forEachIndex(int threads, std::uint64_t count, const std::function<void(std::uint64_t)>& work);

}  // namespace slicepool
