// The reduction of many lattices as a GPU does it, on the host: one lattice after the other, the lanes of a
// warp as loops. See slicepool/detail/lattice_reducer.hpp.
#include <cstddef>
#include <vector>

#include "slicepool/detail/lattice_reducer.hpp"
#include "slicepool/lattice/steps/warp_reduction.hpp"

namespace slicepool::lattice {
namespace {

class EmulatedReducer final : public LatticeReducer {
 public:
  void reduce(std::span<std::int32_t> entries, std::span<ReducerItem> items) override {
    for (ReducerItem& item : items) {
      const WarpReductionShape shape{item.rows, item.columns};
      memory_.resize(shape.bytes() / sizeof(double));
      WarpReduction<HostLanes> reduction(shape, reinterpret_cast<std::byte*>(memory_.data()));
      item.reduced = reduction.run(entries.data() + item.first) ? 1 : 0;
    }
  }

 private:
  std::vector<double> memory_;
};

}  // namespace

std::unique_ptr<LatticeReducer> makeEmulatedReducer() { return std::make_unique<EmulatedReducer>(); }

}  // namespace slicepool::lattice
