// See durable_file.hpp.
#include "runtime/io/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/io/output_place.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {

bool isDiskFull(int code) { return code == ENOSPC || code == EFBIG || code == EDQUOT; }

void throwFileError(const std::string& what, int code) {
  const std::string message = what + ": " + std::generic_category().message(code);
  if (isDiskFull(code)) throw LimitError(message);
  throw Error(message);
}

void requireFolder(const std::string& path, const std::string& field) {
  const std::string folder = folderOf(path);
  struct stat status {};
  int code = ::stat(folder.c_str(), &status) == 0 ? 0 : errno;
  if (code == 0 && !S_ISDIR(status.st_mode)) code = ENOTDIR;
  if (code == 0 && ::access(folder.c_str(), W_OK | X_OK) != 0) code = errno;
  if (code == 0) return;
  throw ConfigError(field, "\"" + path + "\"",
                    "a file in a folder that can be written (" + folder + ": " +
                        std::generic_category().message(code) + ")");
}

std::string folderOf(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

int writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int syncFolderOf(const std::string& path) {
  const int descriptor = ::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int code = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return code == EINVAL ? 0 : code;  // file systems that keep names without being asked
}

namespace {

/// New, and never through a link: what an earlier process left under this name goes first.
int makeTemporary(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int descriptor = ::open(path.c_str(), kFlags, 0666);
  if (descriptor >= 0 || errno != EEXIST) return descriptor;
  return ::unlink(path.c_str()) == 0 ? ::open(path.c_str(), kFlags, 0666) : -1;
}

/// The file that a path means, or why there is none to replace.
int resolveFile(std::string& path) {
  const PathFacts facts = factsOf(path);
  if (facts.kind == PathKind::folder) return EISDIR;
  if (facts.kind == PathKind::unknown && facts.error != 0) return facts.error;
  if (facts.kind != PathKind::file && facts.kind != PathKind::absent) return EINVAL;
  path = facts.path;
  return 0;
}

[[noreturn]] void failToWrite(const std::string& what, const std::string& path, std::size_t bytes, int code) {
  throwFileError(what + " " + path + ": its " + std::to_string(bytes) + " bytes cannot be written", code);
}

}  // namespace

FileReplacement::FileReplacement(std::string path) : path_(std::move(path)) {
  code_ = resolveFile(path_);
  if (code_ != 0) return;
  temporary_ = path_ + ".tmp";
  descriptor_ = makeTemporary(temporary_);
  if (descriptor_ < 0) code_ = errno;
  made_ = code_ == 0;
}

FileReplacement::~FileReplacement() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (made_ && !placed_) ::unlink(temporary_.c_str());
}

void FileReplacement::write(std::string_view bytes) {
  if (code_ == 0) code_ = writeAll(descriptor_, bytes);
}

int FileReplacement::commit() {
  if (code_ == 0 && ::fsync(descriptor_) != 0) code_ = errno;
  if (code_ == 0 && ::close(std::exchange(descriptor_, -1)) != 0) code_ = errno;
  if (code_ == 0 && std::rename(temporary_.c_str(), path_.c_str()) != 0) code_ = errno;
  if (code_ != 0) return code_;
  placed_ = true;
  return code_ = syncFolderOf(path_);
}

int replaceFile(const std::string& path, std::string_view content) {
  FileReplacement replacement(path);
  replacement.write(content);
  return replacement.commit();
}

void replaceFileOrThrow(const std::string& what, const std::string& path, std::string_view content) {
  if (const int code = replaceFile(path, content); code != 0) failToWrite(what, path, content.size(), code);
}

void writeTextOrThrow(const std::string& what, const std::string& path, std::string_view content) {
  const OutputPlace place = placeOf(path, OutputNeed::text, what);
  if (!place.inPlace) return replaceFileOrThrow(what, place.path, content);
  const int descriptor = openInPlace(place);
  int code = writeAll(descriptor, content);
  if (::close(descriptor) != 0 && code == 0) code = errno;
  if (code != 0) failToWrite(what, path, content.size(), code);
}

}  // namespace slicepool
