// See whole_file.hpp.
#include "runtime/core/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

std::string folderOf(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

int writeAll(int descriptor, const char* data, std::size_t size) {
  while (size != 0) {
    const ssize_t written = ::write(descriptor, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

bool isDiskFull(int code) { return code == ENOSPC || code == EFBIG || code == EDQUOT; }

int syncFolderOf(const std::string& path) {
  const int descriptor = ::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int code = fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return code == EINVAL ? 0 : code;  // file systems that keep names without being asked
}

int replaceFile(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  int code = writeAll(descriptor, text.data(), text.size());
  if (code == 0 && fsync(descriptor) != 0) code = errno;
  ::close(descriptor);
  if (code == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) code = errno;
  if (code != 0) {
    unlink(temporary.c_str());
    return code;
  }
  return syncFolderOf(path);
}

void writeWholeFile(const std::string& what, const std::string& path, const std::string& text) {
  const int code = replaceFile(path, text);
  if (code == 0) return;
  const std::string message = what + " " + path + ": cannot be written: " + std::strerror(code);
  if (isDiskFull(code)) throw LimitError(message);
  throw Error(message);
}

void requireFolder(const std::string& path, const std::string& field) {
  const std::string folder = folderOf(path);
  struct stat status {};
  int code = stat(folder.c_str(), &status) == 0 ? 0 : errno;
  if (code == 0 && !S_ISDIR(status.st_mode)) code = ENOTDIR;
  if (code == 0 && access(folder.c_str(), W_OK | X_OK) != 0) code = errno;
  if (code == 0) return;
  throw ConfigError(field, "\"" + path + "\"",
                    "a file in a folder that can be written (" + folder + ": " + std::strerror(code) + ")");
}

}  // namespace slicepool
