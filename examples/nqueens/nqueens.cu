// Lends the n-queens workload to the GPU: instantiates the batch kernel and registers it.
#include <slicepool/cuda/workload.cuh>

#include "nqueens.hpp"

SLICEPOOL_CUDA_WORKLOAD(NQueens, slicepool::Count);
