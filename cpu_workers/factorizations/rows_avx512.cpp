// The row kernels for CPUs with AVX-512; compiled with its instructions, called only where the CPU has them.
#define SLICEPOOL_VECTOR_BYTES 64
#define SLICEPOOL_KERNEL_NAMESPACE avx512
#include "cpu_workers/factorizations/rows_kernels.hpp"
