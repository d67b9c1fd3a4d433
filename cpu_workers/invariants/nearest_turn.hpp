// Problems of nearest factorizations whose turns on a CPU worker go by nearest.hpp. Steps and results are
// those of the plain step. Included by runtime/invariants/nearest_problem.cpp.
#pragma once

#include <cstring>
#include <type_traits>

#include "cpu_workers/invariants/nearest.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/invariants/sinks.hpp"
#include "slicepool/invariants/steps/nearest.hpp"

namespace slicepool::invariants {

template <class Coordinate>
class NearestProblem final : public TypedProblem<NearestSearch<Coordinate>, LeastDistances> {
 public:
  using Base = TypedProblem<NearestSearch<Coordinate>, LeastDistances>;
  using Base::Base;

  Turn advanceFast(std::byte* bytes, Budget& budget, const SinkMemory& memory) const override {
    return this->template advanceWith<&byVectors>(bytes, budget, memory);
  }

 private:
  static Turn byVectors(const NearestView<Coordinate>& view, NearestSlice& slice, Budget& budget,
                        LeastDistances::Emitter& emit) {
    return NearestSearch<Coordinate>::advanceBy(
        view, slice, budget, emit,
        [&](std::uint32_t row, std::uint32_t begin, std::uint32_t end, Nearest& best) {
          if constexpr (std::is_same_v<Coordinate, std::uint16_t>)
            nearestKernels().narrow(view, row, begin, end, best);
          else
            nearestKernels().wide(view, row, begin, end, best);
        });
  }
};

}  // namespace slicepool::invariants
