// The distances of one factorization to many, by vectors. Results are those of the plain step
// (include/slicepool/invariants/steps/nearest.hpp).
//
// Called by cpu_workers/invariants/nearest_turn.hpp.
#pragma once

#include <cstdint>

#include "slicepool/invariants/steps/nearest.hpp"

namespace slicepool {

/// Columns begin .. end-1 of one tile against the query `row`; keeps the better one in `best`, of equal ones
/// the first.
template <class Coordinate>
using CompareColumns = void (*)(const invariants::NearestView<Coordinate>& view, std::uint32_t row,
                                std::uint32_t begin, std::uint32_t end, invariants::Nearest& best);

struct NearestKernels {
  CompareColumns<std::uint16_t> narrow = nullptr;
  CompareColumns<std::uint32_t> wide = nullptr;
  const char* name = "";
};

/// Of this CPU, or of SLICEPOOL_SIMD in the environment: portable, avx2 or avx512, where the CPU has it.
[[nodiscard]] const NearestKernels& nearestKernels();

}  // namespace slicepool
