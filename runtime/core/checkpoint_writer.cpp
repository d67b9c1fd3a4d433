// Writes checkpoints (checkpoint.hpp).
#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cpu_workers/core/parallel.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/checkpoint_layout.hpp"
#include "runtime/core/slice_packing.hpp"
#include "runtime/io/block_codec.hpp"
#include "runtime/io/durable_file.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool {
namespace {

using namespace checkpoint_layout;

/// A file that is hashed on its way.
class HashedFile {
 public:
  explicit HashedFile(const std::string& path) : file_(path) { XXH3_64bits_reset(&state_); }
  void write(const void* data, std::size_t size) {
    if (size == 0) return;
    XXH3_64bits_update(&state_, data, size);
    file_.write({static_cast<const char*>(data), size});
    bytes_ += size;
  }
  /// 0, or an errno.
  [[nodiscard]] int finish() {
    const std::uint64_t hash = XXH3_64bits_digest(&state_);
    write(&hash, sizeof hash);
    return file_.commit();
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  FileReplacement file_;
  XXH3_state_t state_;
  std::uint64_t bytes_ = 0;
};

/// What becomes a block.
struct Part {
  std::span<const std::byte> bytes;
  bool isSlices = false;
};

void appendParts(std::vector<Part>& parts, std::span<const std::byte> bytes, std::size_t each,
                 bool isSlices) {
  for (std::size_t at = 0; at < bytes.size(); at += each)
    parts.push_back({bytes.subspan(at, std::min(each, bytes.size() - at)), isSlices});
}

struct Block {
  BlockHead head;
  std::vector<std::byte> stored;
};

Block makeBlock(const Part& part, const Problem* problem, std::size_t sliceBytes) {
  std::vector<std::byte> packed;
  if (part.isSlices) packed = packSlices(problem, sliceBytes, part.bytes);
  const std::span<const std::byte> content = part.isSlices ? std::span<const std::byte>(packed) : part.bytes;
  Block block;
  block.stored = compressed(content, availableCompression());
  block.head = {content.size(), block.stored.size(), part.isSlices ? part.bytes.size() / sliceBytes : 0};
  return block;
}

}  // namespace

std::uint64_t writeCheckpoint(const std::string& path, const Checkpoint& checkpoint,
                              const std::vector<SliceSpan>& more, const Problem* problem, int threads) {
  const std::size_t sliceBytes = std::max<std::size_t>(1, checkpoint.sliceBytes);
  std::vector<Part> parts;
  const auto words = std::as_bytes(std::span(checkpoint.words));
  appendParts(parts, words, kBlockBytes, false);
  appendParts(parts, checkpoint.consumer, kBlockBytes, false);
  appendParts(parts, checkpoint.slices, kBlockSlices * sliceBytes, true);
  std::size_t slices = checkpoint.slices.size() / sliceBytes;
  for (const SliceSpan& span : more) {
    appendParts(parts, span.slices, kBlockSlices * sliceBytes, true);
    slices += span.slices.size() / sliceBytes;
  }
  const std::string header =
      nlohmann::json{
          {"format", 2},
          {"workload", checkpoint.workload},
          {"identity", checkpoint.identity},
          {"compression", compressionName(availableCompression())},
          {"packing", problem != nullptr ? problem->packing() : "memory"},
          {"slice_bytes", checkpoint.sliceBytes},
          {"slices", slices},
          {"words", checkpoint.words.size()},
          {"consumer_bytes", checkpoint.consumer.size()},
          {"shared", checkpoint.shared},
          {"steps", checkpoint.steps},
          {"seconds", checkpoint.seconds},
      }
          .dump();
  HashedFile file(path);
  file.write(kFamily.data(), kFamily.size());
  file.write(&kFormat, 1);
  const std::uint64_t length = header.size();
  file.write(&length, sizeof length);
  file.write(header.data(), header.size());
  // Some blocks at a time, so that not all of them are in memory.
  const std::size_t together = 2 * static_cast<std::size_t>(std::max(1, threads));
  std::vector<Block> blocks(together);
  for (std::size_t first = 0; first < parts.size(); first += together) {
    const std::size_t some = std::min(together, parts.size() - first);
    forEachIndex(threads, some,
                 [&](std::uint64_t i) { blocks[i] = makeBlock(parts[first + i], problem, sliceBytes); });
    for (std::size_t i = 0; i < some; ++i) {
      file.write(&blocks[i].head, sizeof(BlockHead));
      file.write(blocks[i].stored.data(), blocks[i].stored.size());
    }
  }
  if (const int code = file.finish(); code != 0) throwUnwrittenCheckpoint(path, file.bytes(), code);
  return file.bytes();
}

void throwUnwrittenCheckpoint(const std::string& path, std::uint64_t bytes, int code) {
  const std::string message = "checkpoint " + path + ": its " + std::to_string(bytes) +
                              " bytes cannot be written: " + std::generic_category().message(code);
  if (isDiskFull(code)) throw LimitError(message);
  throw CheckpointError(message);
}

bool IntervalSaves::attempt(const std::function<void()>& save,
                            const std::function<void(const std::string&)>& warn) {
  std::string why;
  try {
    save();
    return true;
  } catch (const LimitError& error) {
    why = error.what();
  } catch (const CheckpointError& error) {
    why = error.what();
  }
  if (!warned_) warn(why + "; the run goes on and tries again at every interval");
  warned_ = true;
  return false;
}

}  // namespace slicepool
