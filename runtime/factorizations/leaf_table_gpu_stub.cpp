// Builds without CUDA: the table fill on a GPU exists and says that there is none.
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/tables.hpp"

#ifndef SLICEPOOL_HAVE_CUDA
namespace slicepool::factorizations {

LeafTable makeLeafTableOnGpu(const std::vector<std::uint64_t>&, unsigned, std::uint64_t, int, std::size_t) {
  throw DeviceError("filling a leaf table on a GPU: this build has no CUDA");
}

}  // namespace slicepool::factorizations
#endif
