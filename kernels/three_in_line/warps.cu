// The kernels of warps.cuh, apart from those with a thread for each slice, which take long to
// compile.
#include "warps.cuh"

namespace slicepool::cuda {

#define SLICEPOOL_INSTANTIATE(S)                                                             \
  template struct WarpLaunch<three_in_line::Search<three_in_line::S>, three_in_line::Tally>; \
  template struct WarpLaunch<three_in_line::Search<three_in_line::S>, three_in_line::CollectSolutions>;
SLICEPOOL_THREE_IN_LINE_WARPS(SLICEPOOL_INSTANTIATE)
#undef SLICEPOOL_INSTANTIATE

}  // namespace slicepool::cuda
