// See window_checkpoint.hpp.
#include "runtime/factorizations/window_checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr const char* kFormat = "slicepool-windows-1";

}  // namespace

void writeWindowCheckpoint(const std::string& path, const WindowCheckpoint& checkpoint) {
  const std::string text = nlohmann::json{{"format", kFormat},
                                          {"identity", checkpoint.identity},
                                          {"next_rank", checkpoint.nextRank},
                                          {"output_bytes", checkpoint.outputBytes},
                                          {"words", checkpoint.words},
                                          {"steps", checkpoint.steps}}
                               .dump(1) +
                           "\n";
  const std::string temporary = path + ".tmp";
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const bool written = descriptor >= 0 &&
                       ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(descriptor) == 0;
  int code = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  if (written) code = errno;
  throw CheckpointError("checkpoint " + path + ": cannot be written: " + std::strerror(code));
}

WindowCheckpoint readWindowCheckpoint(const std::string& path, const std::string& identity) {
  std::ifstream file(path);
  if (!file) throw CheckpointError("checkpoint " + path + ": cannot be opened");
  WindowCheckpoint checkpoint;
  try {
    const auto json = nlohmann::json::parse(file);
    if (json.at("format") != kFormat) throw CheckpointError("checkpoint " + path + ": unknown format");
    checkpoint.identity = json.at("identity");
    checkpoint.nextRank = json.at("next_rank");
    checkpoint.outputBytes = json.at("output_bytes");
    checkpoint.words = json.at("words").get<std::vector<std::uint64_t>>();
    checkpoint.steps = json.at("steps");
  } catch (const nlohmann::json::exception& error) {
    throw CheckpointError("checkpoint " + path + ": damaged: " + error.what());
  }
  if (checkpoint.identity != identity) {
    throw CheckpointError("checkpoint " + path + " belongs to another request: it has " +
                          checkpoint.identity + "; this request is " + identity);
  }
  return checkpoint;
}

bool isWindowCheckpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CheckpointError("checkpoint " + path + ": cannot be opened");
  return file.peek() == '{';
}

}  // namespace slicepool::factorizations
