// A ResultConsumer that keeps everything, with save and restore, for tests.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "slicepool/core/engine.hpp"

namespace slicepool::test {

template <class R>
class Collector final : public ResultConsumer {
 public:
  void consume(const std::byte* data, std::size_t count) override {
    const std::size_t before = results.size();
    results.resize(before + count);
    std::memcpy(results.data() + before, data, count * sizeof(R));
  }
  [[nodiscard]] std::vector<std::byte> save() const override {
    std::vector<std::byte> blob(results.size() * sizeof(R));
    if (!blob.empty()) std::memcpy(blob.data(), results.data(), blob.size());
    return blob;
  }
  void restore(const std::vector<std::byte>& blob) override {
    results.resize(blob.size() / sizeof(R));
    if (!blob.empty()) std::memcpy(results.data(), blob.data(), blob.size());
  }
  [[nodiscard]] std::vector<R> sorted() const {
    auto copy = results;
    std::sort(copy.begin(), copy.end());
    return copy;
  }
  std::vector<R> results;
};

}  // namespace slicepool::test
