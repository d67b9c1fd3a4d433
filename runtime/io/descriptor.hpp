// Open files of this process. Used by the readers and writers of runtime/io.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace slicepool {

/// Closes its file at the end of its scope.
class Descriptor {
 public:
  /// Opens `path` with `flags` of open(2) and O_CLOEXEC. Where that fails, get() is -1 and errno says why. A
  /// new file may be read and written by all that the umask lets.
  Descriptor(const std::string& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode_t{0666})) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Whether `path` itself, not what a link there leads to, still names the file that is open.
[[nodiscard]] inline bool namesFile(const std::string& path, int descriptor) {
  struct stat named {};
  struct stat open {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

}  // namespace slicepool
