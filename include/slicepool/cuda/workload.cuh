// What a user's .cu file includes to give a workload GPU support: `#include <slicepool/cuda/workload.cuh>`,
// and then SLICEPOOL_CUDA_WORKLOAD(MyWorkload, slicepool::Count);
#pragma once

#include "slicepool/detail/cuda/register.hpp"
