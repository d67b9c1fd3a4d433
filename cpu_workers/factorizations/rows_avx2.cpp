// The row kernels for CPUs with AVX2; compiled with its instructions, called only where the CPU has them.
#define SLICEPOOL_VECTOR_BYTES 32
#define SLICEPOOL_KERNEL_NAMESPACE avx2
#include "cpu_workers/factorizations/rows_kernels.hpp"
