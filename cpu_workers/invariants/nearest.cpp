// Implementation of nearest.hpp: the choice of an instruction set.
#include "cpu_workers/invariants/nearest.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace slicepool {

namespace portable {
NearestKernels nearestKernels(const char* name);
}
namespace avx2 {
NearestKernels nearestKernels(const char* name);
}
namespace avx512 {
NearestKernels nearestKernels(const char* name);
}

namespace {

bool cpuHas(const char* name) {
  if (std::strcmp(name, "portable") == 0) return true;
#if defined(__x86_64__)
  if (std::strcmp(name, "avx2") == 0) return __builtin_cpu_supports("avx2");
  if (std::strcmp(name, "avx512") == 0) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
  }
#endif
  return false;
}

NearestKernels kernelsNamed(const char* name) {
#if defined(__x86_64__)
  if (std::strcmp(name, "avx512") == 0) return avx512::nearestKernels(name);
  if (std::strcmp(name, "avx2") == 0) return avx2::nearestKernels(name);
#endif
  return portable::nearestKernels(name);
}

}  // namespace

const NearestKernels& nearestKernels() {
  static const NearestKernels chosen = [] {
    const char* wanted = std::getenv("SLICEPOOL_SIMD");
    if (wanted != nullptr && cpuHas(wanted)) return kernelsNamed(wanted);
    for (const char* name : {"avx512", "avx2"})
      if (cpuHas(name)) return kernelsNamed(name);
    return kernelsNamed("portable");
  }();
  return chosen;
}

}  // namespace slicepool
