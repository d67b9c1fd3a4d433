// Kernels of the no-three-in-line search: sizes 17 to 32.
#include "factories.hpp"
#include "kernels/core/register.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "slicepool/three_in_line/steps/search.hpp"
#include "warps.cuh"

namespace slicepool::cuda {

void registerThreeInLineWide() {
  using namespace three_in_line;
  const AddKernels add;
  add.operator()<Search<Wide<20>>, Tally>();
  add.operator()<Search<Wide<20>>, CollectSolutions>();
  add.operator()<Search<Wide<24>>, Tally>();
  add.operator()<Search<Wide<24>>, CollectSolutions>();
  add.operator()<Search<Wide<28>>, Tally>();
  add.operator()<Search<Wide<28>>, CollectSolutions>();
  add.operator()<Search<Wide<32>>, Tally>();
  add.operator()<Search<Wide<32>>, CollectSolutions>();
}

}  // namespace slicepool::cuda
