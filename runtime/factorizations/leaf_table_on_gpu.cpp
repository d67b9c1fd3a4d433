// Leaf tables filled on a GPU: whichever kernels were registered for it do it.
#include "slicepool/core/error.hpp"
#include "slicepool/detail/leaf_table_maker.hpp"

namespace slicepool::factorizations {

LeafTable makeLeafTableOnGpu(const std::vector<std::uint64_t>& generators, unsigned dimension,
                             std::uint64_t limit, int deviceIndex, std::size_t memoryLimit) {
  const auto make = makerOf<LeafTableMaker>(typeid(LeafTable));
  if (!make) throw DeviceError("filling a leaf table on a GPU: this program has no CUDA");
  return make(generators, dimension, limit, deviceIndex, memoryLimit);
}

}  // namespace slicepool::factorizations
