// Numbers and bytes as checkpoints store slices: written one after the other, read back strictly. Used by
// W::pack and W::unpack (workload.hpp) and by the runtime. Host only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace slicepool {

/// Appends to a vector that it does not own.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  void byte(unsigned value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void raw(const void* data, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  /// Seven bits a byte, the lowest first.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<unsigned>(value & 0x7f) | 0x80U);
    byte(static_cast<unsigned>(value));
  }
  /// Small absolute values are short.
  void signedNumber(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  /// The highest byte first, so that bytes are ordered as the numbers are.
  void bigEndian(std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) byte(value >> shift & 0xffU);
  }

 private:
  std::vector<std::byte>& bytes_;
};

/// Reads what a ByteWriter wrote. Past the end everything is zero and good() is false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }

  unsigned byte() {
    const auto one = take(1);
    return one.empty() ? 0 : static_cast<unsigned>(one.front());
  }
  void raw(void* data, std::size_t size) {
    const auto from = take(size);
    if (!from.empty()) std::memcpy(data, from.data(), size);
  }
  /// The next `size` bytes; none when there are fewer.
  std::span<const std::byte> take(std::size_t size) {
    good_ = good_ && size <= bytes_.size();
    if (!good_) return {};
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned next = byte();
      if (shift > 63 || (shift == 63 && next > 1)) good_ = false;
      if (!good_) return 0;
      value |= static_cast<std::uint64_t>(next & 0x7fU) << shift;
      if (next < 0x80) return value;
    }
  }
  std::int64_t signedNumber() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  std::uint32_t bigEndian() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

}  // namespace slicepool
