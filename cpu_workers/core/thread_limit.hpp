// Whether the system grants threads, before an arena asks for them: oneTBB ends the process when it cannot
// have one. Called by the arenas.
#pragma once

namespace slicepool {

/// Makes and ends `threads` threads that exist at the same time, unless so many were granted before or
/// nothing limits them below that. Throws LimitError with the number that there is room for.
void requireThreads(int threads);

}  // namespace slicepool
