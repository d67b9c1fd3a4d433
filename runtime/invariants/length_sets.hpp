// Length sets of 0 .. n, one after another, as rows of bits: the lengths of n are those of the n - g_i, each
// plus one. Called by delta_set.cpp and elements.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace slicepool::invariants {

/// The lengths of one integer; empty when it has no factorization.
class LengthSet {
 public:
  explicit LengthSet(const std::vector<std::uint64_t>& words) : words_(&words) {}

  /// each(length), ascending.
  template <class Each>
  void forLengths(const Each& each) const {
    for (std::size_t at = 0; at < words_->size(); ++at)
      for (std::uint64_t bits = (*words_)[at]; bits != 0; bits &= bits - 1)
        each(at * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }
  /// each(gap) for neighbours.
  template <class Each>
  void forGaps(const Each& each) const {
    bool any = false;
    std::uint64_t before = 0;
    forLengths([&](std::uint64_t length) {
      if (any) each(length - before);
      any = true;
      before = length;
    });
  }

 private:
  const std::vector<std::uint64_t>* words_;
};

/// each(n, lengths of n) for n = 0 .. last. O(d last^2 / (64 g_1)) for the least generator g_1, with rows for
/// the last g_d integers in memory. Throws LimitError.
void forLengthSets(const std::vector<std::uint64_t>& generators, std::uint64_t last, std::size_t memoryLimit,
                   const std::function<void(std::uint64_t, const LengthSet&)>& each);

}  // namespace slicepool::invariants
