// Memory of small_lattice.hpp and the choice of an instruction set.
#include "cpu_workers/lattice/small_lattice.hpp"

#include <cstring>

#include "cpu_workers/lattice/walk.hpp"

namespace slicepool {

namespace portable {
SmallLatticeKernels smallLatticeKernels(const char* name);
}
namespace avx2 {
SmallLatticeKernels smallLatticeKernels(const char* name);
}
namespace avx512 {
SmallLatticeKernels smallLatticeKernels(const char* name);
}

void SmallLattice::resize(int rows, int width) {
  dimension = rows;
  columns = width;
  wide = false;
  hasRows = true;
  certificate = {};
  stride_ = (rows + 7) / 8 * 8;
  rowStride_ = (width + 7) / 8 * 8;
  const std::size_t square = index(stride_, stride_);
  rows_.assign(index(rows, rowStride_), 0);
  for (auto* matrix : {&gram_, &projections_, &columns_, &mu_, &inverse_}) matrix->assign(square, 0);
  for (auto* list : {&inverseNorms, &rowMaxima, &weights, &sums})
    list->assign(static_cast<std::size_t>(stride_), 0);
  norms_.assign(static_cast<std::size_t>(stride_), 1);
  valid.assign(static_cast<std::size_t>(stride_), 0);
  if (wideGram_.size() < square) wideGram_.resize(square);
}

const SmallLatticeKernels* smallLatticeKernelsNamed(const char* name) {
  static const SmallLatticeKernels kPortable = portable::smallLatticeKernels("portable");
  if (latticeKernelsNamed(name) == nullptr) return nullptr;
#if defined(__x86_64__)
  static const SmallLatticeKernels kAvx2 = avx2::smallLatticeKernels("avx2");
  static const SmallLatticeKernels kAvx512 = avx512::smallLatticeKernels("avx512");
  if (std::strcmp(name, "avx2") == 0) return &kAvx2;
  if (std::strcmp(name, "avx512") == 0) return &kAvx512;
#endif
  return &kPortable;
}

const SmallLatticeKernels& smallLatticeKernels() {
  static const SmallLatticeKernels& chosen = *smallLatticeKernelsNamed(latticeKernels().name);
  return chosen;
}

}  // namespace slicepool
