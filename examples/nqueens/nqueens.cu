// Lends both n-queens searches to the GPU: instantiates the batch kernels and registers them.
#include <slicepool/cuda/workload.cuh>

#include "counted_queens.hpp"
#include "nqueens.hpp"

SLICEPOOL_CUDA_WORKLOAD(NQueens, slicepool::Count);
SLICEPOOL_CUDA_WORKLOAD(CountedQueens, slicepool::Count);
