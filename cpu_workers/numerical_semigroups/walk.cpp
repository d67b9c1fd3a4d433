// Implementation of walk.hpp: the choice of an instruction set.
#include "cpu_workers/numerical_semigroups/walk.hpp"

#include <cstdlib>
#include <cstring>

namespace slicepool {

#if defined(__x86_64__)
namespace bmi2 {
Turn walkGenusTree(int genus, numerical_semigroups::SearchSlice<1>& slice, Budget& budget,
                   numerical_semigroups::LevelCounts& counts);
}
#endif

bool genusTreeByPlainStep() {
  static const bool plain = [] {
    const char* wanted = std::getenv("SLICEPOOL_SIMD");
    return wanted != nullptr && std::strcmp(wanted, "portable") == 0;
  }();
  return plain;
}

WalkGenusTree genusTreeWalk() {
  static const WalkGenusTree chosen = []() -> WalkGenusTree {
    if (genusTreeByPlainStep()) return nullptr;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
      return bmi2::walkGenusTree;
#endif
    return nullptr;
  }();
  return chosen;
}

}  // namespace slicepool
