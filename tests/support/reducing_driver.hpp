// Drives a problem without an engine: whole, or in small turns and by random splits. Keeps what its sink
// collects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/slice_driver.hpp"

namespace slicepool::test {

class ReducingDriver final : public SliceDriver {
 public:
  explicit ReducingDriver(const Problem& problem, bool fast = false) : SliceDriver(problem, 1, fast) {}

  ReducingDriver& runWhole() {
    for (Slice slice : roots())
      while (turn(slice, ~std::uint64_t{0}) != Turn::exhausted) {}
    return *this;
  }

  /// Slices are also packed and unpacked now and then, as a checkpoint does.
  ReducingDriver& runInPieces(std::mt19937_64& random) {
    std::vector<Slice> waiting = roots();
    while (!waiting.empty()) {
      std::swap(waiting[random() % waiting.size()], waiting.back());
      Slice& slice = waiting.back();
      const auto choice = random() % 8;
      if (choice == 0) {
        Slice given;
        if (split(slice, given)) waiting.push_back(std::move(given));
      } else if (choice == 1) {
        std::vector<std::byte> packed;
        problem().packSlice(slice.data(), packed);
        Slice again(slice.size());
        if (!problem().unpackSlice(packed, again.data())) throw std::logic_error("a slice was not unpacked");
        slice = std::move(again);
      } else if (turn(slice, random() % 30) == Turn::exhausted) {
        waiting.pop_back();
      }
    }
    return *this;
  }

  /// What was collected, sorted; each is the bytes of a set of gaps.
  [[nodiscard]] std::vector<std::vector<std::byte>> collected() const {
    auto sorted = collected_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  void keep(const std::byte* result) override {
    collected_.emplace_back(result, result + problem().resultBytes());
  }

  std::vector<std::vector<std::byte>> collected_;
};

}  // namespace slicepool::test
