// The interface between the search of many lattices (runtime/lattice/many_lattices.cpp) and what searches a
// group of them at once: a GPU (kernels/lattice/searcher.cu), or its emulator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <typeindex>
#include <utility>

#include "slicepool/detail/registry.hpp"

namespace slicepool::lattice {

/// One lattice of a group, with integer norms. With a target its last row is the target less a vector of the
/// lattice, and the shortest vector with x_{d-1} = 1 is looked for.
struct SearcherItem {
  std::uint64_t first = 0;  ///< of its numbers: those of WarpShortestShape
  std::int32_t dimension = 0;
  std::int32_t target = 0;   ///< 1: there is one, and r_{d-1} > 0 is added to each squared norm
  double squaredRadius = 0;  ///< nothing longer is looked for
  /// Within this one first, and then, where nothing is, within the other; 0: there is none.
  double firstSquaredRadius = 0;
  /// A vector of squared norm n has a computed one between n - 1/4 and n * room + error, for all n within the
  /// radius.
  double room = 1;
  double error = 0;
  double centre = 0;        ///< with a target: c_{d-2} for x_{d-1} = 1
  double squaredNorm = 0;   ///< afterwards: of the shortest vector within the radius; 0: there is none
  std::uint64_t nodes = 0;  ///< afterwards: accepted
};

/// What never asks to stop.
inline const std::atomic<bool> kNeverStopped{false};

/// One caller at a time.
class LatticeSearcher {
 public:
  virtual ~LatticeSearcher() = default;
  /// Finds a shortest vector of each item. `coefficients`: WarpShortestShape::kMaximumDimension for each
  /// item, of which x_0 .. x_{d-1} are written where there is one. False where it has not come to the end
  /// because of `stop`, which is asked every few milliseconds: items are undefined then. Throws DeviceError,
  /// LimitError.
  virtual bool search(std::span<const double> numbers, std::span<SearcherItem> items,
                      std::span<std::int16_t> coefficients,
                      const std::atomic<bool>& stop = kNeverStopped) = 0;
};

/// For the GPU with this number. Throws DeviceError.
using LatticeSearcherMaker = std::function<std::unique_ptr<LatticeSearcher>(int deviceIndex)>;

inline void registerLatticeSearcherMaker(LatticeSearcherMaker maker) {
  registerMaker(typeid(LatticeSearcher), std::move(maker));
}

/// Without a GPU: the same lattices by the same steps, lane by lane (runtime/lattice/emulated_searcher.cpp).
[[nodiscard]] std::unique_ptr<LatticeSearcher> makeEmulatedSearcher();

}  // namespace slicepool::lattice
