#pragma once
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/search.hpp"
namespace slicepool::lattice {
template <int kCapacity, class S>
class SearchProblem final : public TypedProblem<Search<kCapacity>, S> {
 public:
  using TypedProblem<Search<kCapacity>, S>::TypedProblem;
};
}  // namespace slicepool::lattice
