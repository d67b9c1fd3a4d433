// Time that has passed, as reports give it.
#pragma once

#include <chrono>

namespace slicepool {

[[nodiscard]] inline double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace slicepool
