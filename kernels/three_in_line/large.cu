// Kernels of the no-three-in-line search: sizes 11 to 16.
#include "factories.hpp"
#include "kernels/core/register.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "slicepool/three_in_line/steps/search.hpp"
#include "warps.cuh"

namespace slicepool::cuda {

void registerThreeInLineLarge() {
  using namespace three_in_line;
  const AddKernels add;
  add.operator()<Search<Packed<6>>, Tally>();
  add.operator()<Search<Packed<6>>, CollectSolutions>();
  add.operator()<Search<Packed<7>>, Tally>();
  add.operator()<Search<Packed<7>>, CollectSolutions>();
  add.operator()<Search<Packed<8>>, Tally>();
  add.operator()<Search<Packed<8>>, CollectSolutions>();
}

}  // namespace slicepool::cuda
