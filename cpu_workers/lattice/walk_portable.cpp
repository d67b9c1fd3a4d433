// Lattice enumeration for any CPU.
#define SLICEPOOL_KERNEL_NAMESPACE portable
#include "cpu_workers/lattice/walk_kernels.hpp"

namespace slicepool::portable {

LatticeKernels latticeKernels(const char* name) { return {name, walkLattice, nullptr}; }

}  // namespace slicepool::portable
