// The kernels of the dropped-in workload.
#include "kernels/core/register.hpp"
#include "slicepool/queens/steps/queens.hpp"

namespace slicepool::cuda::queens {

void registerKernels() { slicepool::registerKernels<slicepool::queens::Queens, Count>(); }

}  // namespace slicepool::cuda::queens
