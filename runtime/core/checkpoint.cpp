// Reads checkpoints and looks after their files. See checkpoint.hpp.
#include "runtime/core/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cpu_workers/core/parallel.hpp"
#include "runtime/core/checkpoint_layout.hpp"
#include "runtime/core/slice_packing.hpp"
#include "runtime/io/block_codec.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool {
namespace {

using namespace checkpoint_layout;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw CheckpointError("checkpoint " + path + ": " + why);
}

/// A checkpoint whose hash was found right, read from its header on.
class CheckedFile {
 public:
  explicit CheckedFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) refuse(path, "cannot be opened");
    char magic[kMagicBytes];
    file_.read(magic, sizeof magic);
    const std::string_view family(magic, kFamily.size());
    if (file_.gcount() != static_cast<std::streamsize>(sizeof magic) || family != kFamily)
      refuse(path, "not a slicepool checkpoint");
    const char format = magic[kFamily.size()];
    if (format != kFormat && format >= '1' && format <= '9') {
      refuse(path, std::string("made by ") + (format < kFormat ? "an older" : "a newer") +
                       " slicepool: format " + format + "; this program reads format " + kFormat);
    }
    if (format != kFormat) refuse(path, "not a slicepool checkpoint");
    checkHash(magic);
    file_.clear();
    file_.seekg(kMagicBytes);
  }

  void read(void* data, std::size_t size) {
    if (size > left_) refuse(path_, "the file is truncated");
    file_.read(static_cast<char*>(data), static_cast<std::streamsize>(size));
    if (file_.gcount() != static_cast<std::streamsize>(size)) refuse(path_, "cannot be read");
    left_ -= size;
  }
  /// Bytes before the hash.
  [[nodiscard]] std::uint64_t left() const { return left_; }

 private:
  void checkHash(const char* magic) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, magic, kMagicBytes);
    std::vector<char> piece(kBlockBytes);
    // The last eight bytes read are held back: they may be the hash.
    char last[sizeof(std::uint64_t)];
    file_.read(last, sizeof last);
    bool whole = file_.gcount() == static_cast<std::streamsize>(sizeof last);
    while (whole) {
      file_.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      const auto size = static_cast<std::size_t>(file_.gcount());
      if (size == 0) break;
      XXH3_64bits_update(&state, last, sizeof last <= size ? sizeof last : size);
      if (size >= sizeof last) {
        XXH3_64bits_update(&state, piece.data(), size - sizeof last);
        std::memcpy(last, piece.data() + size - sizeof last, sizeof last);
      } else {
        std::memmove(last, last + size, sizeof last - size);
        std::memcpy(last + sizeof last - size, piece.data(), size);
      }
      left_ += size;
    }
    std::uint64_t stored = 0;
    std::memcpy(&stored, last, sizeof stored);
    if (!whole || stored != XXH3_64bits_digest(&state))
      refuse(path_, "the content does not match its hash (damaged or truncated)");
  }

  const std::string& path_;
  std::ifstream file_;
  std::uint64_t left_ = 0;
};

struct FileHeader : CheckpointHeader {
  std::uint64_t slices = 0;
  std::uint64_t words = 0;
  std::uint64_t consumerBytes = 0;
  Compression compression = Compression::none;
  std::string packing;
};

FileHeader readHeader(const std::string& path, CheckedFile& file) {
  std::uint64_t length = 0;
  file.read(&length, sizeof length);
  if (length > file.left() || length > kMaximumHeader) refuse(path, "the file is truncated");
  std::string text(length, '\0');
  file.read(text.data(), text.size());
  try {
    const auto json = nlohmann::json::parse(text);
    FileHeader header;
    if (json.at("format") != 2 || json.size() != 12) refuse(path, "bad header: not of format 2");
    header.workload = json.at("workload");
    header.identity = json.at("identity");
    header.packing = json.at("packing");
    const std::string compression = json.at("compression");
    header.compression = compression == "zstd" ? Compression::zstd : Compression::none;
    if (compression != compressionName(header.compression))
      refuse(path, "compressed by " + compression + ", which this program does not know");
    const auto unsignedOf = [&](const char* key) -> std::uint64_t {
      if (!json.at(key).is_number_unsigned()) refuse(path, std::string("bad header: ") + key);
      return json.at(key);
    };
    header.sliceBytes = unsignedOf("slice_bytes");
    header.slices = unsignedOf("slices");
    header.words = unsignedOf("words");
    header.consumerBytes = unsignedOf("consumer_bytes");
    header.shared = unsignedOf("shared");
    header.steps = json.at("steps");
    header.seconds = json.at("seconds");
    return header;
  } catch (const nlohmann::json::exception& error) {
    refuse(path, std::string("bad header: ") + error.what());
  }
}

/// The next block, decompressed; `head` says what it is.
struct StoredBlock {
  BlockHead head;
  std::vector<std::byte> stored;
};

StoredBlock readBlock(const std::string& path, CheckedFile& file) {
  StoredBlock block;
  file.read(&block.head, sizeof block.head);
  if (block.head.stored > file.left() || block.head.content > kMaximumBlock ||
      block.head.slices > kBlockSlices)
    refuse(path, "a block is longer than the file");
  block.stored.resize(block.head.stored);
  file.read(block.stored.data(), block.stored.size());
  return block;
}

void decompressInto(const std::string& path, const StoredBlock& block, Compression compression,
                    std::span<std::byte> bytes) {
  if (!decompress(block.stored, compression, bytes)) refuse(path, "a block cannot be decompressed");
}

/// `bytes` bytes in blocks; memory grows with what is there, not with what the header claims.
std::vector<std::byte> readBytes(const std::string& path, CheckedFile& file, std::uint64_t bytes,
                                 Compression compression) {
  std::vector<std::byte> all;
  while (all.size() < bytes) {
    const StoredBlock block = readBlock(path, file);
    if (block.head.slices != 0 || block.head.content == 0 || block.head.content > bytes - all.size())
      refuse(path, "a block is not what the header says");
    const std::size_t before = all.size();
    all.resize(before + block.head.content);
    decompressInto(path, block, compression, std::span(all).subspan(before));
  }
  return all;
}

void readSlices(const std::string& path, CheckedFile& file, const FileHeader& header, const Problem* problem,
                int threads, std::vector<std::byte>& slices) {
  const std::size_t together = 2 * static_cast<std::size_t>(std::max(1, threads));
  for (std::uint64_t done = 0; done < header.slices;) {
    std::vector<StoredBlock> blocks;
    std::vector<std::size_t> begins;
    while (done < header.slices && blocks.size() < together) {
      blocks.push_back(readBlock(path, file));
      const std::uint64_t count = blocks.back().head.slices;
      if (count == 0 || count > header.slices - done) refuse(path, "a block is not what the header says");
      begins.push_back(slices.size());
      slices.resize(slices.size() + count * header.sliceBytes);
      done += count;
    }
    forEachIndex(threads, blocks.size(), [&](std::uint64_t i) {
      std::vector<std::byte> packed(blocks[i].head.content);
      decompressInto(path, blocks[i], header.compression, packed);
      const auto into = std::span(slices).subspan(begins[i], blocks[i].head.slices * header.sliceBytes);
      if (!unpackSlices(problem, header.sliceBytes, packed, into))
        refuse(path, "its slices do not belong to this problem");
    });
  }
}

bool isOf(const CheckpointHeader& header, const std::string& workload, const std::string& identity) {
  return header.workload == workload && header.identity == identity;
}

[[noreturn]] void refuseOther(const std::string& path, const CheckpointHeader& header,
                              const std::string& workload, const std::string& identity) {
  throw CheckpointError("checkpoint " + path + " belongs to another request: it has " + header.workload +
                        " " + header.identity + "; this request is " + workload + " " + identity);
}

}  // namespace

Checkpoint readCheckpoint(const std::string& path, const Problem* problem, int threads) {
  CheckedFile file(path);
  const FileHeader header = readHeader(path, file);
  if (header.compression != Compression::none && header.compression != availableCompression())
    refuse(path, "it is compressed by zstd, and this build has no libzstd (SLICEPOOL_ZSTD)");
  Checkpoint checkpoint;
  static_cast<CheckpointHeader&>(checkpoint) = header;
  const std::string packing = problem != nullptr ? problem->packing() : "memory";
  if (header.slices != 0 && header.packing != packing) {
    refuse(path,
           "its slices are packed as \"" + header.packing + "\"; this program unpacks \"" + packing + "\"");
  }
  if (header.slices != 0 && header.sliceBytes == 0) refuse(path, "bad header: slice_bytes");
  if (header.words > kMaximumBlock) refuse(path, "bad header: words");
  const auto words = readBytes(path, file, header.words * sizeof(std::uint64_t), header.compression);
  checkpoint.words.resize(header.words);
  if (!words.empty()) std::memcpy(checkpoint.words.data(), words.data(), words.size());
  checkpoint.consumer = readBytes(path, file, header.consumerBytes, header.compression);
  readSlices(path, file, header, problem, threads, checkpoint.slices);
  if (file.left() != 0) refuse(path, "it has bytes after its last block");
  return checkpoint;
}

CheckpointHeader readCheckpointHeader(const std::string& path) {
  CheckedFile file(path);
  return readHeader(path, file);
}

CheckpointHeader readCheckpointHeaderOf(const std::string& path, const std::string& workload,
                                        const std::string& identity) {
  CheckpointHeader header = readCheckpointHeader(path);
  if (!isOf(header, workload, identity)) refuseOther(path, header, workload, identity);
  return header;
}

bool checkpointIsThere(const std::string& path, const std::string& savers) {
  if (path.empty()) {
    throw ConfigError("resume", "auto without a checkpoint",
                      "auto with " + savers + ", or the name of a checkpoint");
  }
  return std::filesystem::exists(path);
}

void removeCheckpoints(const std::vector<std::string>& paths) noexcept {
  std::error_code ignored;
  for (const auto& path : paths) {
    // What is no file under this name was not made by slicepool.
    const bool file = !path.empty() && std::filesystem::symlink_status(path, ignored).type() ==
                                           std::filesystem::file_type::regular;
    if (file) std::filesystem::remove(path, ignored);
  }
}

}  // namespace slicepool
