// The interface between makeLeafTableOnGpu (slicepool/factorizations/steps/tables.hpp) and the kernels that
// fill a leaf table (kernels/factorizations/leaf_table.cu).
#pragma once

#include <functional>
#include <typeindex>
#include <utility>

#include "slicepool/detail/registry.hpp"
#include "slicepool/factorizations/steps/tables.hpp"

namespace slicepool::factorizations {

/// As makeLeafTableOnGpu.
using LeafTableMaker =
    std::function<LeafTable(const std::vector<std::uint64_t>& generators, unsigned dimension,
                            std::uint64_t limit, int deviceIndex, std::size_t memoryLimit)>;

inline void registerLeafTableMaker(LeafTableMaker maker) {
  registerMaker(typeid(LeafTable), std::move(maker));
}

}  // namespace slicepool::factorizations
