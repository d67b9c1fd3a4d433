// See part_file.hpp.
#include "runtime/factorizations/part_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "runtime/core/whole_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

[[noreturn]] void failOn(const std::string& what, const std::string& path, int code) {
  const std::string message = what + " " + path + ": " + std::strerror(code);
  if (isDiskFull(code)) throw LimitError(message);
  throw Error(message);
}

}  // namespace

PartFile::PartFile(std::string path) : path_(std::move(path)), partPath_(path_ + ".part") {}

PartFile::PartFile(PartFile&& other) noexcept
    : path_(std::move(other.path_)),
      partPath_(std::move(other.partPath_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      keepPart_(other.keepPart_),
      published_(std::exchange(other.published_, true)) {}

PartFile PartFile::create(std::string path, std::uint64_t finalBytes) {
  PartFile file(std::move(path));
  file.descriptor_ = ::open(file.partPath_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.descriptor_ < 0) {
    file.keepPart_ = true;  // not ours
    failOn("cannot create", file.partPath_, errno);
  }
  if (finalBytes != 0) file.reserve(finalBytes);
  if (const int code = syncFolderOf(file.path_); code != 0) failOn("cannot create", file.partPath_, code);
  return file;
}

void PartFile::reserve(std::uint64_t bytes) const {
  const auto length = static_cast<off_t>(bytes);
  // Not posix_fallocate: where the file system cannot reserve, that writes every block instead.
  const int code = fallocate(descriptor_, 0, 0, length) == 0 ? 0 : errno;
  if (isDiskFull(code)) {
    throw LimitError("output " + path_ + ": " + std::to_string(bytes) +
                     " bytes cannot be reserved: " + std::strerror(code));
  }
  if (code != 0 && ftruncate(descriptor_, length) != 0) failOn("cannot size", partPath_, errno);
}

PartFile PartFile::reopen(std::string path, std::uint64_t bytes, bool grows) {
  PartFile file(std::move(path));
  file.keepPart_ = true;  // a checkpoint counts on it
  // Killed after the file got its name and before a checkpoint said so: it is unfinished again.
  std::error_code none;
  if (!std::filesystem::exists(file.partPath_, none)) {
    const auto length = std::filesystem::file_size(file.path_, none);
    if (!none && length >= bytes) (void)std::rename(file.path_.c_str(), file.partPath_.c_str());
  }
  file.descriptor_ = ::open(file.partPath_.c_str(), O_RDWR | O_CLOEXEC);
  if (file.descriptor_ < 0) {
    throw CheckpointError("resume: the unfinished output " + file.partPath_ +
                          " cannot be opened: " + std::strerror(errno));
  }
  file.requireLength(bytes, grows);
  return file;
}

void PartFile::requireLength(std::uint64_t bytes, bool grows) const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) failOn("cannot look at", partPath_, errno);
  const auto found = static_cast<std::uint64_t>(status.st_size);
  if (found < bytes || (!grows && found != bytes)) {
    throw CheckpointError("resume: " + partPath_ + " is not the unfinished output of this request (" +
                          std::to_string(found) + " bytes, expected " + std::to_string(bytes) + ")");
  }
  if (grows && ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
    failOn("cannot size", partPath_, errno);
}

void PartFile::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written =
        pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      failOn("cannot write " + std::to_string(bytes.size() - done) + " bytes at offset " +
                 std::to_string(offset + done) + " of",
             partPath_, errno);
    }
    done += static_cast<std::size_t>(written);
  }
  // Only advice: dirty pages do not pile up until a sync has to wait for all of them.
  (void)sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes.size()),
                        SYNC_FILE_RANGE_WRITE);
}

void PartFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) failOn("cannot read", partPath_, count < 0 ? errno : EIO);
    done += static_cast<std::size_t>(count);
  }
}

void PartFile::sync() const {
  if (fdatasync(descriptor_) != 0) failOn("cannot write", partPath_, errno);
}

void PartFile::publish() {
  if (fsync(descriptor_) != 0) failOn("cannot write", partPath_, errno);
  ::close(std::exchange(descriptor_, -1));
  if (std::rename(partPath_.c_str(), path_.c_str()) != 0)
    failOn("cannot rename " + partPath_ + " to", path_, errno);
  published_ = true;
  if (const int code = syncFolderOf(path_); code != 0) failOn("cannot write", path_, code);
}

PartFile::~PartFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!published_ && !keepPart_) unlink(partPath_.c_str());
}

}  // namespace slicepool::factorizations
