// Kernels of the no-three-in-line search: sizes 1 to 10.
#include "factories.hpp"
#include "kernels/core/register.hpp"
#include "slicepool/three_in_line/sinks.hpp"
#include "slicepool/three_in_line/steps/search.hpp"

namespace slicepool::cuda {

void registerThreeInLineSmall() {
  using namespace three_in_line;
  const AddKernels add;
  add.operator()<Search<Packed<1>>, Tally>();
  add.operator()<Search<Packed<1>>, CollectSolutions>();
  add.operator()<Search<Packed<2>>, Tally>();
  add.operator()<Search<Packed<2>>, CollectSolutions>();
  add.operator()<Search<Packed<3>>, Tally>();
  add.operator()<Search<Packed<3>>, CollectSolutions>();
  add.operator()<Search<Packed<4>>, Tally>();
  add.operator()<Search<Packed<4>>, CollectSolutions>();
  add.operator()<Search<Packed<5>>, Tally>();
  add.operator()<Search<Packed<5>>, CollectSolutions>();
}

}  // namespace slicepool::cuda
