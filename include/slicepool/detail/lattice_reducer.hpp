// The interface between the search of many lattices (runtime/lattice/many_lattices.cpp) and what reduces a
// group of them at once: a GPU (kernels/lattice/reducer.cu), or its emulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <typeindex>
#include <utility>

#include "slicepool/detail/registry.hpp"

namespace slicepool::lattice {

/// One lattice of a group.
struct ReducerItem {
  std::uint32_t first = 0;  ///< of its entries, which lie row by row without gaps
  std::int16_t rows = 0;
  std::int16_t columns = 0;
  std::uint32_t reduced = 0;  ///< afterwards: 1, or 0 where its entries are as they were
};

/// One caller at a time.
class LatticeReducer {
 public:
  virtual ~LatticeReducer() = default;
  /// Replaces the entries of each item by another basis of the same lattice that is reduced about as well as
  /// by LLL, or leaves them. Bounds of shapes and entries: slicepool/lattice/steps/warp_reduction.hpp. Throws
  /// DeviceError, LimitError.
  virtual void reduce(std::span<std::int32_t> entries, std::span<ReducerItem> items) = 0;
};

/// For the GPU with this number. Throws DeviceError.
using LatticeReducerMaker = std::function<std::unique_ptr<LatticeReducer>(int deviceIndex)>;

inline void registerLatticeReducerMaker(LatticeReducerMaker maker) {
  registerMaker(typeid(LatticeReducer), std::move(maker));
}

/// Without a GPU: the same lattices by the same steps, lane by lane (runtime/lattice/emulated_reducer.cpp).
[[nodiscard]] std::unique_ptr<LatticeReducer> makeEmulatedReducer();

}  // namespace slicepool::lattice
