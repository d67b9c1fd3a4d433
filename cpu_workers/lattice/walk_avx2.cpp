// Lattice enumeration for CPUs with AVX2; compiled with its instructions, called only where the CPU has them.
#define SLICEPOOL_KERNEL_NAMESPACE avx2
#include "cpu_workers/lattice/expand_kernels.hpp"
#include "cpu_workers/lattice/walk_kernels.hpp"

namespace slicepool::avx2 {

LatticeKernels latticeKernels(const char* name) { return {name, walkLattice, expandLattice}; }

}  // namespace slicepool::avx2
