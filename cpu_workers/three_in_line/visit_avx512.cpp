// The visit of the no-three-in-line search for CPUs with AVX-512; compiled with its instructions, called only
// where the CPU has them.
#define SLICEPOOL_KERNEL_NAMESPACE avx512
#include "cpu_workers/three_in_line/visit_kernels.hpp"
