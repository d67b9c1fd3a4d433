// The lists of walk.hpp and the choice of an instruction set.
#include "cpu_workers/lattice/walk.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace slicepool {

namespace portable {
LatticeKernels latticeKernels(const char* name);
}
namespace avx2 {
LatticeKernels latticeKernels(const char* name);
}
namespace avx512 {
LatticeKernels latticeKernels(const char* name);
}

namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

void LatticeLists::Free::operator()(double* memory) const { ::operator delete[](memory, kAlignment); }

LatticeLists::LatticeLists(int dimension) : levels_(dimension) {
  constexpr std::size_t kColumns = 2 + kLatticeDepth;
  std::size_t total = kLatticeDepth * (kColumns + 2) * kCapacity;
  for (int level = 0; level < levels_; ++level) {
    at(level).stride = static_cast<std::size_t>(level + 7) / 8 * 8;
    total += kCapacity * (kColumns + at(level).stride);
  }
  memory_.reset(static_cast<double*>(::operator new[](total * sizeof(double), kAlignment)));
  double* free = memory_.get();
  const auto take = [&free](std::size_t count) {
    double* const begin = free;
    free += count;
    return begin;
  };
  const auto takeLinks = [&take](LatticeNodes& nodes) {
    nodes.coefficients = take(kCapacity);
    nodes.parents = reinterpret_cast<std::int64_t*>(take(kCapacity));
  };
  const auto takeColumns = [&take](LatticeNodes& nodes) {
    nodes.norms = take(kCapacity);
    nodes.centres = take(kCapacity);
    for (double*& sums : nodes.sums) sums = take(kCapacity);
  };
  for (LatticeNodes& generation : generations) {
    takeColumns(generation);
    takeLinks(generation);
  }
  for (int level = 0; level < levels_; ++level) {
    takeColumns(at(level).nodes);
    at(level).rows = take(kCapacity * at(level).stride);
  }
}

void LatticeLists::clear() {
  for (int level = 0; level < levels_; ++level) at(level).count = 0;
}

const LatticeKernels* latticeKernelsNamed(const char* name) {
  static const LatticeKernels kPortable = portable::latticeKernels("portable");
  if (std::strcmp(name, kPortable.name) == 0) return &kPortable;
#if defined(__x86_64__)
  if (std::strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    static const LatticeKernels kAvx2 = avx2::latticeKernels("avx2");
    return &kAvx2;
  }
  if (std::strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    static const LatticeKernels kAvx512 = avx512::latticeKernels("avx512");
    return &kAvx512;
  }
#endif
  return nullptr;
}

const LatticeKernels& latticeKernels() {
  static const LatticeKernels* const chosen = [] {
    const char* wanted = std::getenv("SLICEPOOL_SIMD");
    const LatticeKernels* found = wanted == nullptr ? nullptr : latticeKernelsNamed(wanted);
    for (const char* name : {"avx512", "avx2", "portable"})
      if (found == nullptr) found = latticeKernelsNamed(name);
    return found;
  }();
  return *chosen;
}

}  // namespace slicepool
