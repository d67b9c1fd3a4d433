// Problems of the lattice search: turns on a CPU worker go through search.hpp, launches of the lane
// emulator through the algorithm that was asked for. Results and nodes are those of the plain step. Included
// by search_problem.hpp.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "cpu_workers/lattice/search.hpp"
#include "cpu_workers/lattice/walk.hpp"
#include "runtime/lattice/compacted_batch.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/steps/search.hpp"

namespace slicepool::lattice {

/// What tests may change about a problem before it runs.
class FastProblem {
 public:
  /// Replaces the instruction set of advanceFast.
  void setKernels(const LatticeKernels& kernels) { kernels_ = &kernels; }

 protected:
  ~FastProblem() = default;
  [[nodiscard]] FastSearch& search(const SearchView& view) const {
    return FastSearch::ofThread(number_, view, *kernels_);
  }

 private:
  const LatticeKernels* kernels_ = &latticeKernels();
  std::uint64_t number_ = FastSearch::newNumber();
};

template <int kCapacity, class S>
class SearchProblem final : public TypedProblem<Search<kCapacity>, S>, public FastProblem {
 public:
  using W = Search<kCapacity>;
  using Base = TypedProblem<W, S>;
  using Base::Base;

  Turn advanceFast(std::byte* bytes, Budget& budget, const SinkMemory& memory) const override {
    typename W::Slice slice;
    std::memcpy(&slice, bytes, sizeof slice);
    if (slice.level == W::Slice::kNothing) return Turn::exhausted;
    typename S::Emitter emit(this->sinkView(), memory);
    FastSearch& search = this->search(this->view());
    search.load(slice.path, slice.level, slice.top, Radius::current(this->view(), emit).squared);
    Turn turn = Turn::exhausted;
    for (;;) {
      const LatticeStop stop = search.run(budget.left);
      if (stop == LatticeStop::nodes) turn = Turn::budgetSpent;
      if (stop != LatticeStop::vector) break;
      if (!emit(vectorAt(search))) {
        turn = Turn::sinkFull;
        break;
      }
      search.accept();
      if (this->view().shrinking) search.setRadius(Radius::current(this->view(), emit).squared);
    }
    for (int k = 0; k < this->view().dimension; ++k)
      if (search.nodes(k) != 0) emit.visited(k, search.nodes(k));
    emit.flush();
    slice.level = W::Slice::kNothing;
    if (turn != Turn::exhausted) {
      slice.level = static_cast<std::int16_t>(search.level());
      search.store(slice.path);
    }
    std::memcpy(bytes, &slice, sizeof slice);
    return turn;
  }

  std::optional<BatchTurn> advanceBatch(std::byte* slices, std::uint32_t live, std::uint32_t capacity,
                                        std::uint64_t budget, const SinkMemory& memory) const override {
    if (this->view().algorithm != Algorithm::compacted) return std::nullopt;
    return advanceCompacted<kCapacity, S>(this->view(), this->sinkView(), slices, live, capacity, budget,
                                          memory);
  }

 private:
  ShortVector<kCapacity> vectorAt(const FastSearch& search) const {
    ShortVector<kCapacity> found{};
    found.squaredNorm = search.norm();
    for (int k = 0; k < this->view().dimension; ++k)
      found.coefficients[k] = static_cast<std::int16_t>(search.coefficient(k));
    changeBasis(this->view(), this->view().change, found.coefficients);
    return found;
  }
};

}  // namespace slicepool::lattice
