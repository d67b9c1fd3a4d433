// An array that grows without copying and without needing twice its memory: pages are mapped, remapped on
// growth, zero at first and only real once touched. For large columns of trivially copyable values (Linux).
// Used by the staged workloads.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace slicepool {

/// Pages behind GrowArray. Not thread-safe.
class GrowMemory {
 public:
  GrowMemory() = default;
  GrowMemory(GrowMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  GrowMemory& operator=(GrowMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~GrowMemory() { release(); }

  [[nodiscard]] void* data() const { return data_; }
  /// Makes room for `bytes` bytes; what is there stays, what is new is zero. Throws std::bad_alloc.
  void reserve(std::size_t bytes);
  void release() noexcept;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class T>
class GrowArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "pages are moved as bytes");

  /// Grows to `count` values; new ones are zero unless the array was larger before. Addresses change.
  void resize(std::size_t count) {
    memory_.reserve(count * sizeof(T));
    size_ = count;
  }
  /// Gives the memory back.
  void clear() {
    memory_.release();
    size_ = 0;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] const T* data() const { return static_cast<const T*>(memory_.data()); }
  [[nodiscard]] T& operator[](std::size_t index) { return data()[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data()[index]; }

 private:
  GrowMemory memory_;
  std::size_t size_ = 0;
};

}  // namespace slicepool
