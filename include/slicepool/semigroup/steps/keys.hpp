// Keys of elements: what distinguishes them. ImageKeys are the images of the base points, PackedKeys the
// whole element of up to 16 points in one word. Both compute the key of a product x.g from that of x alone,
// so that a candidate needs no memory of its own. Used by exploration.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/platform.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

/// Images of `width` base points, `sizeof(Point)` bytes each; Point is the narrowest unsigned type for n - 1.
template <class Point>
struct ImageKeys {
  const Point* generators;  ///< [generator][point]: images
  Point* rows;              ///< [element][base point]: images
  std::uint32_t points;     ///< n
  std::uint32_t width;      ///< number of base points
  std::uint32_t sources;    ///< the first so many base points must agree on every edge; 0: nothing to check
  std::uint64_t hashMask;   ///< all ones; fewer to provoke collisions

  [[nodiscard]] SLICEPOOL_INLINE const Point* row(Element x) const {
    return rows + static_cast<std::uint64_t>(x) * width;
  }
  [[nodiscard]] SLICEPOOL_INLINE const Point* generator(std::uint32_t g) const {
    return generators + static_cast<std::uint64_t>(g) * points;
  }
  [[nodiscard]] SLICEPOOL_INLINE const void* address(Element x) const { return row(x); }

  /// Four, eight or two images at a time are one word of the hash; `image(i)` is image number i.
  template <class ImageAt>
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t hashBy(const ImageAt& image) const {
    constexpr std::uint32_t kTogether = 8 / sizeof(Point);
    std::uint64_t hash = kRowHashOffset;
    std::uint32_t i = 0;
    while (i < width) {
      std::uint64_t word = 0;
      const std::uint32_t end = i + kTogether < width ? i + kTogether : width;
      for (; i < end; ++i) word = (word << (8 * sizeof(Point) & 63U)) | image(i);
      hash = (hash ^ word) * 0x9fb21c651e98df25ULL;
      hash ^= hash >> 32;
    }
    return mix64(hash) & hashMask;
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t hashOf(Element x) const {
    const Point* of = row(x);
    return hashBy([&](std::uint32_t i) { return of[i]; });
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t hashOfProduct(Element x, std::uint32_t g) const {
    const Point* of = row(x);
    const Point* by = generator(g);
    return hashBy([&](std::uint32_t i) { return by[of[i]]; });
  }
  [[nodiscard]] SLICEPOOL_INLINE bool productIs(Element x, std::uint32_t g, Element y) const {
    const Point* of = row(x);
    const Point* by = generator(g);
    const Point* other = row(y);
    for (std::uint32_t i = 0; i < width; ++i)
      if (by[of[i]] != other[i]) return false;
    return true;
  }
  [[nodiscard]] SLICEPOOL_INLINE bool productsEqual(Element x, std::uint32_t g, Element y,
                                                    std::uint32_t h) const {
    const Point* of = row(x);
    const Point* by = generator(g);
    const Point* ofOther = row(y);
    const Point* byOther = generator(h);
    for (std::uint32_t i = 0; i < width; ++i)
      if (by[of[i]] != byOther[ofOther[i]]) return false;
    return true;
  }
  SLICEPOOL_INLINE void storeProduct(Element x, std::uint32_t g, Element y) const {
    const Point* of = row(x);
    const Point* by = generator(g);
    Point* into = rows + static_cast<std::uint64_t>(y) * width;
    for (std::uint32_t i = 0; i < width; ++i) into[i] = by[of[i]];
  }
  /// Whether x.g and y agree at the source points.
  [[nodiscard]] SLICEPOOL_INLINE bool sourcesAgree(Element x, std::uint32_t g, Element y) const {
    const Point* of = row(x);
    const Point* by = generator(g);
    const Point* other = row(y);
    for (std::uint32_t i = 0; i < sources; ++i)
      if (by[of[i]] != other[i]) return false;
    return true;
  }
  /// The image of one point under a generator.
  [[nodiscard]] SLICEPOOL_INLINE Image imageOf(Image point, std::uint32_t g) const {
    return generator(g)[point];
  }
  /// Bytes of a key, and of `count` generators.
  [[nodiscard]] SLICEPOOL_INLINE std::size_t rowBytes() const { return width * sizeof(Point); }
  [[nodiscard]] SLICEPOOL_INLINE std::size_t generatorBytes(std::uint32_t count) const {
    return std::size_t{count} * points * sizeof(Point);
  }
  /// The same keys in other memory.
  [[nodiscard]] ImageKeys at(const void* otherGenerators, void* otherRows) const {
    ImageKeys other = *this;
    other.generators = static_cast<const Point*>(otherGenerators);
    other.rows = static_cast<Point*>(otherRows);
    return other;
  }
  [[nodiscard]] SLICEPOOL_INLINE Image stored(Element x, std::uint32_t i) const { return row(x)[i]; }
};

/// Elements of at most 16 points, four bits for each image: the key is the element.
struct PackedKeys {
  const std::uint64_t* generators;  ///< packed
  std::uint64_t* rows;              ///< [element]
  std::uint32_t points;             ///< n
  std::uint32_t width;              ///< n: all points are base points
  std::uint32_t sources;            ///< 0: an element that is its own key needs no check
  std::uint64_t hashMask;

  [[nodiscard]] SLICEPOOL_INLINE const void* address(Element x) const { return rows + x; }
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t product(Element x, std::uint32_t g) const {
    const std::uint64_t of = rows[x];
    const std::uint64_t by = generators[g];
    std::uint64_t result = 0;
    for (std::uint32_t shift = 0; shift < 4 * points; shift += 4)
      result |= (by >> (4 * (of >> shift & 15U)) & 15U) << shift;
    return result;
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t hashOfKey(std::uint64_t key) const {
    return mix64(key ^ kRowHashOffset) & hashMask;
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t hashOf(Element x) const { return hashOfKey(rows[x]); }
  [[nodiscard]] SLICEPOOL_INLINE std::uint64_t hashOfProduct(Element x, std::uint32_t g) const {
    return hashOfKey(product(x, g));
  }
  [[nodiscard]] SLICEPOOL_INLINE bool productIs(Element x, std::uint32_t g, Element y) const {
    return product(x, g) == rows[y];
  }
  [[nodiscard]] SLICEPOOL_INLINE bool productsEqual(Element x, std::uint32_t g, Element y,
                                                    std::uint32_t h) const {
    return product(x, g) == product(y, h);
  }
  SLICEPOOL_INLINE void storeProduct(Element x, std::uint32_t g, Element y) const { rows[y] = product(x, g); }
  [[nodiscard]] SLICEPOOL_INLINE bool sourcesAgree(Element, std::uint32_t, Element) const { return true; }
  [[nodiscard]] SLICEPOOL_INLINE std::size_t rowBytes() const { return sizeof(std::uint64_t); }
  [[nodiscard]] SLICEPOOL_INLINE std::size_t generatorBytes(std::uint32_t count) const {
    return std::size_t{count} * sizeof(std::uint64_t);
  }
  [[nodiscard]] PackedKeys at(const void* otherGenerators, void* otherRows) const {
    PackedKeys other = *this;
    other.generators = static_cast<const std::uint64_t*>(otherGenerators);
    other.rows = static_cast<std::uint64_t*>(otherRows);
    return other;
  }
  [[nodiscard]] SLICEPOOL_INLINE Image imageOf(Image point, std::uint32_t g) const {
    return static_cast<Image>(generators[g] >> (4 * point) & 15U);
  }
  [[nodiscard]] SLICEPOOL_INLINE Image stored(Element x, std::uint32_t i) const {
    return static_cast<Image>(rows[x] >> (4 * i) & 15U);
  }
};

}  // namespace slicepool::semigroup
