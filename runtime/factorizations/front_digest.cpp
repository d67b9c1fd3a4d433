// See front_digest.hpp.
#include "runtime/factorizations/front_digest.hpp"

#include <filesystem>
#include <span>

#include "runtime/factorizations/manifest.hpp"
#include "runtime/io/file_hash.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/zstd_frames.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using factorizations::FrameDecoder;

void addText(FileHash& hash, const std::string& text) {
  hash.update(std::as_bytes(std::span<const char>(text.data(), text.size())));
}

void addPlainRows(FileHash& hash, const RegularFile& file) {
  file.read(
      0, file.bytes(), [&](std::span<const std::byte> piece) { hash.update(piece); });
}

void addCompressedRows(FileHash& hash, const RegularFile& file) {
  FrameDecoder decoder;
  file.read(0, file.bytes(), [&](std::span<const std::byte> piece) {
    decoder.decode(piece, [&](std::span<const std::byte> plain) { hash.update(plain); });
  });
  if (!decoder.atEnd()) throw Error("is not whole frames of Zstandard");
}

}  // namespace

std::string factorizationsDigest(const std::string& path) {
  if (!path.ends_with(".manifest.json")) return hashOfFile(RegularFile(path));
  FileHash hash;
  const factorizations::Manifest manifest = factorizations::readManifest(path);
  for (const auto& shard : manifest.shards) {
    const std::filesystem::path name(shard.file);
    if (name.filename() != name) throw Error("names " + shard.file + ", which is no name of a file");
    addText(hash, shard.file + " " + shard.firstRank.str() + ":" + shard.endRank.str() + "\n");
    try {
      const RegularFile file((std::filesystem::path(path).parent_path() / name).string());
      if (shard.file.ends_with(".zst"))
        addCompressedRows(hash, file);
      else
        addPlainRows(hash, file);
    } catch (const Error& error) {
      throw Error(shard.file + " " + error.what());
    }
  }
  return hash.digits();
}

}  // namespace slicepool::config
