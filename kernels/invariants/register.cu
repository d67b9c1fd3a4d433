// The kernels of nearest factorizations: a thread for each slice, by the plain step.
#include <cstdint>

#include "kernels/core/register.hpp"
#include "slicepool/invariants/sinks.hpp"
#include "slicepool/invariants/steps/nearest.hpp"

namespace slicepool::cuda::invariants {

void registerKernels() {
  using namespace slicepool::invariants;
  slicepool::registerKernels<NearestSearch<std::uint16_t>, LeastDistances>();
  slicepool::registerKernels<NearestSearch<std::uint32_t>, LeastDistances>();
}

}  // namespace slicepool::cuda::invariants
