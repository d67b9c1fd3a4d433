// See block_codec.hpp.
#include "runtime/io/block_codec.hpp"

#include <cstring>

#ifdef SLICEPOOL_HAVE_ZSTD
#include <zstd.h>
#endif

#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

#ifdef SLICEPOOL_HAVE_ZSTD
constexpr int kLevel = 3;

std::vector<std::byte> zstdCompressed(std::span<const std::byte> bytes) {
  std::vector<std::byte> block(ZSTD_compressBound(bytes.size()));
  const std::size_t size = ZSTD_compress(block.data(), block.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0) throw Error(std::string("zstd: ") + ZSTD_getErrorName(size));
  block.resize(size);
  return block;
}
bool zstdDecompress(std::span<const std::byte> block, std::span<std::byte> bytes) {
  const std::size_t size = ZSTD_decompress(bytes.data(), bytes.size(), block.data(), block.size());
  return ZSTD_isError(size) == 0 && size == bytes.size();
}
#else
[[noreturn]] void noZstd() { throw Error("zstd: this build has no libzstd"); }
std::vector<std::byte> zstdCompressed(std::span<const std::byte>) { noZstd(); }
bool zstdDecompress(std::span<const std::byte>, std::span<std::byte>) { noZstd(); }
#endif

}  // namespace

Compression availableCompression() {
#ifdef SLICEPOOL_HAVE_ZSTD
  return Compression::zstd;
#else
  return Compression::none;
#endif
}

std::string compressionName(Compression compression) {
  return compression == Compression::zstd ? "zstd" : "none";
}

std::vector<std::byte> compressed(std::span<const std::byte> bytes, Compression compression) {
  if (compression == Compression::zstd) return zstdCompressed(bytes);
  return {bytes.begin(), bytes.end()};
}

bool decompress(std::span<const std::byte> block, Compression compression, std::span<std::byte> bytes) {
  if (compression == Compression::zstd) return zstdDecompress(block, bytes);
  if (block.size() != bytes.size()) return false;
  if (!bytes.empty()) std::memcpy(bytes.data(), block.data(), bytes.size());
  return true;
}

}  // namespace slicepool
