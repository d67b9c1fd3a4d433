// The owners of the keys of an exploration: generators in the form of the step functions, and one key per
// element (slicepool/semigroup/steps/keys.hpp). Used by staged_explorer.hpp.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "cpu_workers/core/parallel.hpp"
#include "runtime/core/grow_array.hpp"
#include "runtime/semigroup/generators.hpp"
#include "slicepool/semigroup/steps/keys.hpp"

namespace slicepool::semigroup {

[[nodiscard]] inline std::uint64_t hashMaskOf(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

template <class Point>
class ImageKeyStore {
 public:
  using Keys = ImageKeys<Point>;

  ImageKeyStore(const Generators& generators, unsigned hashBits)
      : points_(generators.points), hashMask_(hashMaskOf(hashBits)) {
    generators_.resize(generators.images.size() * points_);
    for (std::size_t g = 0; g < generators.images.size(); ++g) {
      const auto& images = generators.images[g];
      parallelFor(0, points_, kTogether, [&](std::uint64_t first, std::uint64_t last) {
        for (; first < last; ++first) generators_[g * points_ + first] = static_cast<Point>(images[first]);
      });
    }
  }
  /// Starts over with the identity alone.
  void reset(std::span<const Image> base, std::uint32_t sources) {
    width_ = static_cast<std::uint32_t>(base.size());
    sources_ = sources;
    resize(1);
    for (std::uint32_t i = 0; i < width_; ++i) rows_[i] = static_cast<Point>(base[i]);
  }
  /// Of the keys of an exploration that comes from elsewhere: their width and sources.
  void takeShape(const Keys& keys) {
    width_ = keys.width;
    sources_ = keys.sources;
  }
  void resize(std::size_t elements) { rows_.resize(elements * width_); }
  [[nodiscard]] std::size_t keyBytes() const { return width_ * sizeof(Point); }
  [[nodiscard]] std::byte* bytes() { return reinterpret_cast<std::byte*>(rows_.data()); }
  [[nodiscard]] const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(rows_.data()); }
  [[nodiscard]] Keys keys() {
    return {generators_.data(), rows_.data(), points_, width_, sources_, hashMask_};
  }
  /// Hash of the key that a transformation would have.
  [[nodiscard]] std::uint64_t hashOf(std::span<const Image> images) const {
    return view().hashBy([&](std::uint32_t i) { return static_cast<Point>(images[rows_[i]]); });
  }

 private:
  [[nodiscard]] Keys view() const { return {nullptr, nullptr, points_, width_, sources_, hashMask_}; }

  static constexpr std::uint64_t kTogether = 1U << 16;

  GrowArray<Point> generators_;
  GrowArray<Point> rows_;
  std::uint32_t points_;
  std::uint32_t width_ = 0;
  std::uint32_t sources_ = 0;
  std::uint64_t hashMask_;
};

class PackedKeyStore {
 public:
  using Keys = PackedKeys;

  PackedKeyStore(const Generators& generators, unsigned hashBits)
      : points_(generators.points), hashMask_(hashMaskOf(hashBits)) {
    for (const auto& images : generators.images) generators_.push_back(packed(images));
  }
  void reset(std::span<const Image>, std::uint32_t) {
    Transformation identity(points_);
    std::iota(identity.begin(), identity.end(), 0U);
    resize(1);
    rows_[0] = packed(identity);
  }
  void takeShape(const Keys&) {}
  void resize(std::size_t elements) { rows_.resize(elements); }
  [[nodiscard]] std::size_t keyBytes() const { return sizeof(std::uint64_t); }
  [[nodiscard]] std::byte* bytes() { return reinterpret_cast<std::byte*>(rows_.data()); }
  [[nodiscard]] const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(rows_.data()); }
  [[nodiscard]] Keys keys() { return {generators_.data(), rows_.data(), points_, points_, 0, hashMask_}; }
  [[nodiscard]] std::uint64_t hashOf(std::span<const Image> images) const {
    return Keys{nullptr, nullptr, points_, points_, 0, hashMask_}.hashOfKey(packed(images));
  }

 private:
  static std::uint64_t packed(std::span<const Image> images) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < images.size(); ++i) word |= std::uint64_t{images[i]} << (4 * i);
    return word;
  }

  std::vector<std::uint64_t> generators_;
  GrowArray<std::uint64_t> rows_;
  std::uint32_t points_;
  std::uint64_t hashMask_;
};

}  // namespace slicepool::semigroup
