// See checkpoint.hpp. Layout: 8-byte magic, u64 header length, JSON header, payload (slices, words, consumer
// blob), u64 XXH3 hash of everything before it. All integers little-endian.
#include "runtime/core/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/core/durable_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr char kMagic[8] = {'S', 'L', 'P', 'C', 'K', 'P', 'T', '1'};

void append(std::string& blob, const void* data, std::size_t size) {
  blob.append(static_cast<const char*>(data), size);
}

std::string serialise(const Checkpoint& checkpoint) {
  const nlohmann::json header = {
      {"version", 1},
      {"workload", checkpoint.workload},
      {"identity", checkpoint.identity},
      {"slice_bytes", checkpoint.sliceBytes},
      {"slices", checkpoint.slices.size() / std::max<std::size_t>(1, checkpoint.sliceBytes)},
      {"words", checkpoint.words.size()},
      {"consumer_bytes", checkpoint.consumer.size()},
      {"shared", checkpoint.shared},
      {"steps", checkpoint.steps},
      {"seconds", checkpoint.seconds},
  };
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string blob;
  append(blob, kMagic, sizeof kMagic);
  append(blob, &length, sizeof length);
  blob += text;
  append(blob, checkpoint.slices.data(), checkpoint.slices.size());
  append(blob, checkpoint.words.data(), checkpoint.words.size() * sizeof(std::uint64_t));
  append(blob, checkpoint.consumer.data(), checkpoint.consumer.size());
  const std::uint64_t hash = XXH3_64bits(blob.data(), blob.size());
  append(blob, &hash, sizeof hash);
  return blob;
}

/// Reads consecutive pieces of a blob and checks that they are there.
class Reader {
 public:
  Reader(const std::string& path, const std::string& blob) : path_(path), blob_(blob) {}
  void read(void* into, std::size_t size) {
    if (size > blob_.size() - at_) throw CheckpointError("checkpoint " + path_ + ": the file is truncated");
    if (size != 0) std::memcpy(into, blob_.data() + at_, size);
    at_ += size;
  }
  [[nodiscard]] std::size_t left() const { return blob_.size() - at_; }

 private:
  const std::string& path_;
  const std::string& blob_;
  std::size_t at_ = 0;
};

void checkHash(const std::string& path, const std::string& blob) {
  std::uint64_t stored = 0;
  if (blob.size() < sizeof kMagic + 2 * sizeof stored ||
      std::memcmp(blob.data(), kMagic, sizeof kMagic) != 0) {
    throw CheckpointError("checkpoint " + path + ": not a slicepool checkpoint (version 1)");
  }
  std::memcpy(&stored, blob.data() + blob.size() - sizeof stored, sizeof stored);
  if (stored != XXH3_64bits(blob.data(), blob.size() - sizeof stored)) {
    throw CheckpointError("checkpoint " + path +
                          ": the content does not match its hash (damaged or truncated)");
  }
}

}  // namespace

void writeCheckpoint(const std::string& path, const Checkpoint& checkpoint) {
  const std::string blob = serialise(checkpoint);
  if (const int code = replaceFile(path, blob); code != 0) throwUnwrittenCheckpoint(path, blob.size(), code);
}

void throwUnwrittenCheckpoint(const std::string& path, std::uint64_t bytes, int code) {
  const std::string message = "checkpoint " + path + ": its " + std::to_string(bytes) +
                              " bytes cannot be written: " + std::strerror(code);
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

Checkpoint readCheckpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CheckpointError("checkpoint " + path + ": cannot be opened");
  const std::string blob((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  checkHash(path, blob);
  try {
    Reader reader(path, blob);
    char magic[sizeof kMagic];
    std::uint64_t length = 0;
    reader.read(magic, sizeof magic);
    reader.read(&length, sizeof length);
    if (length > reader.left()) throw CheckpointError("checkpoint " + path + ": the file is truncated");
    std::string text(length, '\0');
    reader.read(text.data(), text.size());
    const auto header = nlohmann::json::parse(text);
    Checkpoint checkpoint;
    checkpoint.workload = header.at("workload");
    checkpoint.identity = header.at("identity");
    checkpoint.sliceBytes = header.at("slice_bytes");
    checkpoint.shared = header.at("shared");
    checkpoint.steps = header.at("steps");
    checkpoint.seconds = header.at("seconds");
    checkpoint.slices.resize(header.at("slices").get<std::size_t>() * checkpoint.sliceBytes);
    checkpoint.words.resize(header.at("words").get<std::size_t>());
    checkpoint.consumer.resize(header.at("consumer_bytes").get<std::size_t>());
    reader.read(checkpoint.slices.data(), checkpoint.slices.size());
    reader.read(checkpoint.words.data(), checkpoint.words.size() * sizeof(std::uint64_t));
    reader.read(checkpoint.consumer.data(), checkpoint.consumer.size());
    return checkpoint;
  } catch (const nlohmann::json::exception& error) {
    throw CheckpointError("checkpoint " + path + ": bad header: " + error.what());
  }
}

Checkpoint readCheckpointOf(const std::string& path, const std::string& workload,
                            const std::string& identity) {
  Checkpoint checkpoint = readCheckpoint(path);
  if (checkpoint.workload == workload && checkpoint.identity == identity) return checkpoint;
  throw CheckpointError("checkpoint " + path + " belongs to another request: it has " + checkpoint.workload +
                        " " + checkpoint.identity + "; this request is " + workload + " " + identity);
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
    // What is no file under this name is somebody else's.
    const bool file = !path.empty() && std::filesystem::symlink_status(path, ignored).type() ==
                                           std::filesystem::file_type::regular;
    if (file) std::filesystem::remove(path, ignored);
  }
}

}  // namespace slicepool
