// How a test that cannot run here says so: CTest shows its file as skipped, and not as passed.
#pragma once

#include <cstdio>
#include <string>

namespace slicepool::test {

/// Set by the first test that skipped itself; main() turns it into the exit status that CTest knows.
inline bool someWereSkipped = false;

/// Prints why. The caller returns.
inline void skip(const std::string& why) {
  someWereSkipped = true;
  std::printf("[skipped] %s\n", why.c_str());
}

}  // namespace slicepool::test
