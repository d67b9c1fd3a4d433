// Lattice enumeration for CPUs with AVX-512; compiled with its instructions, called only where the CPU has
// them.
#define SLICEPOOL_KERNEL_NAMESPACE avx512
#include "cpu_workers/lattice/expand_kernels.hpp"
#include "cpu_workers/lattice/walk_kernels.hpp"

namespace slicepool::avx512 {

LatticeKernels latticeKernels(const char* name) { return {name, walkLattice, expandLattice}; }

}  // namespace slicepool::avx512
