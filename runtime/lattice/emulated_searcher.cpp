// The search of many lattices as a GPU does it, on the host: one lattice after the other, the lanes of a warp
// as loops. See slicepool/detail/lattice_searcher.hpp.
#include <atomic>
#include <cstddef>
#include <vector>

#include "slicepool/detail/lattice_searcher.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"

namespace slicepool::lattice {
namespace {

class EmulatedSearcher final : public LatticeSearcher {
 public:
  bool search(std::span<const double> numbers, std::span<SearcherItem> items,
              std::span<std::int16_t> coefficients, const std::atomic<bool>& stop) override {
    const auto stopped = [&stop] { return stop.load(std::memory_order_relaxed); };
    for (std::size_t i = 0; i < items.size() && !stopped(); ++i) {
      SearcherItem& item = items[i];
      const WarpShortestShape shape{item.dimension};
      fit(shared_, shape.sharedBytes());
      fit(memory_, shape.memoryBytes());
      const double* const own = numbers.data() + item.first;
      std::int16_t* const found = coefficients.data() + i * WarpShortestShape::kMaximumDimension;
      if (item.dimension <= 32)
        run<32>(item, own, found, stopped);
      else
        run<64>(item, own, found, stopped);
    }
    return !stopped();
  }

 private:
  static void fit(std::vector<FourWords>& memory, std::size_t bytes) {
    memory.resize((bytes + sizeof(FourWords) - 1) / sizeof(FourWords));
  }
  template <int kCapacity, class Stopped>
  void run(SearcherItem& item, const double* numbers, std::int16_t* found, const Stopped& stopped) {
    const WarpShortest<HostLanes, kCapacity> warp(reinterpret_cast<std::byte*>(shared_.data()),
                                                  reinterpret_cast<std::byte*>(memory_.data()));
    const auto answer = warp.run(item, numbers, found, stopped);
    item.squaredNorm = static_cast<double>(answer.squaredNorm);
    item.nodes = answer.nodes;
  }

  std::vector<FourWords> shared_, memory_;
};

}  // namespace

std::unique_ptr<LatticeSearcher> makeEmulatedSearcher() { return std::make_unique<EmulatedSearcher>(); }

}  // namespace slicepool::lattice
