// What the engine's checkpoints do with rows that workers write at their places themselves. Called by
// enumeration.cpp.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/factorizations/npy.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {

/// Makes mapped rows durable before each checkpoint that counts them as done.
class SyncedFile final : public ResultConsumer {
 public:
  explicit SyncedFile(const NpyFile& file) : file_(file) {}
  void consume(const std::byte*, std::size_t) override {}
  [[nodiscard]] std::vector<std::byte> save() const override {
    file_.sync();
    return {};
  }

 private:
  const NpyFile& file_;
};

/// Rows in memory travel with the checkpoint.
class SavedRows final : public ResultConsumer {
 public:
  SavedRows(std::byte* rows, std::size_t bytes) : rows_(rows), bytes_(bytes) {}
  void consume(const std::byte*, std::size_t) override {}
  [[nodiscard]] std::vector<std::byte> save() const override { return {rows_, rows_ + bytes_}; }
  void restore(const std::vector<std::byte>& blob) override {
    if (blob.size() != bytes_) {
      throw CheckpointError("checkpoint: it has " + std::to_string(blob.size()) +
                            " bytes of rows, expected " + std::to_string(bytes_));
    }
    if (!blob.empty()) std::memcpy(rows_, blob.data(), blob.size());
  }

 private:
  std::byte* rows_;
  std::size_t bytes_;
};

}  // namespace slicepool::factorizations
