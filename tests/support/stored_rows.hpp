// What an enumeration stores, read back or made by means of its own: arrays of .npy files, Zstandard frames,
// the hash of a file. Used by the tests of outputs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef SLICEPOOL_HAVE_ZSTD
#include <zstd.h>
#endif

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace slicepool::testing {

inline std::string storedBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// XXH3 (64-bit) of a file, in one piece.
inline std::string storedHash(const std::string& path) {
  const std::string bytes = storedBytes(path);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
  return text;
}

/// Rows as they follow the header of an .npy file: little-endian elements of `elementBytes` bytes.
inline std::string arrayOfRows(const std::vector<std::vector<std::uint64_t>>& rows, unsigned elementBytes) {
  std::string bytes;
  for (const auto& row : rows) {
    for (const std::uint64_t a : row)
      for (unsigned byte = 0; byte < elementBytes; ++byte) bytes += static_cast<char>(a >> (8 * byte));
  }
  return bytes;
}

/// What follows the header of an .npy file of format 1.0.
inline std::string arrayOf(const std::string& npy) {
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(npy.at(8))) +
                      256 * static_cast<std::size_t>(static_cast<unsigned char>(npy.at(9)));
  return npy.substr(10 + length);
}

#ifdef SLICEPOOL_HAVE_ZSTD
struct Decompressed {
  std::string bytes;
  int frames = 0;
};

/// Frame after frame, each of which must state its size.
inline Decompressed decompress(const std::string& compressed) {
  Decompressed result;
  for (std::size_t at = 0; at < compressed.size(); ++result.frames) {
    const char* frame = compressed.data() + at;
    const std::size_t length = ZSTD_findFrameCompressedSize(frame, compressed.size() - at);
    if (ZSTD_isError(length) != 0) throw std::runtime_error("not a frame");
    std::string content(static_cast<std::size_t>(ZSTD_getFrameContentSize(frame, length)), '\0');
    const std::size_t size = ZSTD_decompress(content.data(), content.size(), frame, length);
    if (ZSTD_isError(size) != 0 || size != content.size()) throw std::runtime_error("a damaged frame");
    result.bytes += content;
    at += length;
  }
  return result;
}
#endif

}  // namespace slicepool::testing
