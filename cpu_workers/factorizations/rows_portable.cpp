// The row kernels for every CPU: vectors of 16 bytes, which all 64-bit instruction sets have.
#define SLICEPOOL_VECTOR_BYTES 16
#define SLICEPOOL_KERNEL_NAMESPACE portable
#include "cpu_workers/factorizations/rows_kernels.hpp"
