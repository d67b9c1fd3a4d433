// See durable_file.hpp.
#include "runtime/core/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "slicepool/core/error.hpp"

namespace slicepool {

bool isDiskFull(int code) { return code == ENOSPC || code == EFBIG || code == EDQUOT; }

void throwFileError(const std::string& what, int code) {
  const std::string message = what + ": " + std::strerror(code);
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
                    "a file in a folder that can be written (" + folder + ": " + std::strerror(code) + ")");
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

int replaceFile(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".tmp";
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  int code = writeAll(descriptor, content);
  if (code == 0 && ::fsync(descriptor) != 0) code = errno;
  ::close(descriptor);
  if (code == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return syncFolderOf(path);
  ::unlink(temporary.c_str());
  return code;
}

void replaceFileOrThrow(const std::string& what, const std::string& path, std::string_view content) {
  const int code = replaceFile(path, content);
  if (code != 0) throwFileError(what + " " + path + ": cannot be written", code);
}

}  // namespace slicepool
