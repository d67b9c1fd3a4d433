// The thread counts worth trying in tests: none to spare, a pair, odd, a prime, more than there are cores.
#pragma once

#include <vector>

namespace slicepool::test {

inline std::vector<int> threadCounts() { return {1, 2, 3, 7, 16}; }

}  // namespace slicepool::test
