// See part_file.hpp.
#include "runtime/core/part_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "runtime/core/durable_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

[[noreturn]] void failOn(const std::string& what, const std::string& path, int code) {
  throwFileError(what + " " + path, code);
}

}  // namespace

void requireDiskSpace(const std::string& path, std::uint64_t bytes) {
  struct statvfs info {};
  const std::string folder = folderOf(path);
  if (statvfs(folder.c_str(), &info) != 0) failOn("cannot look at the disk under", folder, errno);
  const auto freeBytes = static_cast<unsigned __int128>(info.f_bavail) * info.f_frsize;
  if (freeBytes >= bytes) return;
  throw LimitError("output " + path + ": " + std::to_string(bytes) + " bytes needed, " +
                   std::to_string(static_cast<std::uint64_t>(freeBytes)) + " bytes free on its disk");
}

FileMapping::FileMapping(int descriptor, std::uint64_t bytes, const std::string& path)
    : path_(path), bytes_(bytes) {
  void* const begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (begin == MAP_FAILED) failOn("cannot map", path, errno);
  begin_ = static_cast<std::byte*>(begin);
}

void FileMapping::sync() const {
  if (begin_ != nullptr && msync(begin_, bytes_, MS_SYNC) != 0) failOn("cannot write", path_, errno);
}

void FileMapping::close() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
  begin_ = nullptr;
}

PartFile::PartFile(std::string path) : path_(std::move(path)), partPath_(path_ + ".part") {}

PartFile::PartFile(PartFile&& other) noexcept
    : path_(std::move(other.path_)),
      partPath_(std::move(other.partPath_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      keepPart_(other.keepPart_),
      published_(std::exchange(other.published_, true)) {}

PartFile PartFile::create(std::string path, std::uint64_t finalBytes, Reservation reservation) {
  PartFile file(std::move(path));
  file.descriptor_ = ::open(file.partPath_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.descriptor_ < 0) {
    file.keepPart_ = true;  // not ours
    failOn("cannot create", file.partPath_, errno);
  }
  if (finalBytes != 0) file.reserve(finalBytes, reservation);
  return file;
}

void PartFile::reserve(std::uint64_t bytes, Reservation reservation) const {
  const auto length = static_cast<off_t>(bytes);
  int code = fallocate(descriptor_, 0, 0, length) == 0 ? 0 : errno;
  if (code != 0 && !isDiskFull(code)) {
    if (ftruncate(descriptor_, length) != 0) failOn("cannot size", partPath_, errno);
    code = 0;
    // Where the file system cannot reserve, this writes every block.
    if (reservation == Reservation::guaranteed) code = posix_fallocate(descriptor_, 0, length);
  }
  if (isDiskFull(code)) {
    throw LimitError("output " + path_ + ": " + std::to_string(bytes) +
                     " bytes cannot be reserved: " + std::strerror(code));
  }
  // Neither of the two: a file system on which nothing can be reserved.
  if (code != 0 && code != EOPNOTSUPP && code != EINVAL) failOn("cannot reserve", partPath_, code);
}

PartFile PartFile::reopen(std::string path, std::uint64_t bytes, bool grows) {
  PartFile file(std::move(path));
  file.keepPart_ = true;  // a checkpoint counts on it
  file.descriptor_ = ::open(file.partPath_.c_str(), O_RDWR | O_CLOEXEC);
  if (file.descriptor_ < 0) {
    throw CheckpointError("resume: the unfinished output " + file.partPath_ +
                          " cannot be opened: " + std::strerror(errno));
  }
  file.requireLength(bytes, grows);
  return file;
}

void PartFile::takeBack(const std::string& path, std::uint64_t bytes) {
  std::error_code none;
  if (std::filesystem::exists(path + ".part", none)) return;
  const auto length = std::filesystem::file_size(path, none);
  if (!none && length >= bytes) (void)std::rename(path.c_str(), (path + ".part").c_str());
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
}

void PartFile::startWriteback(std::uint64_t offset, std::uint64_t bytes) const {
  (void)sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
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

FileMapping PartFile::map(std::uint64_t bytes) const { return {descriptor_, bytes, partPath_}; }

void PartFile::keepPart() {
  if (const int code = syncFolderOf(path_); code != 0) failOn("cannot write", partPath_, code);
  keepPart_ = true;
}

void PartFile::publish() {
  ::close(std::exchange(descriptor_, -1));
  if (std::rename(partPath_.c_str(), path_.c_str()) != 0)
    failOn("cannot rename " + partPath_ + " to", path_, errno);
  published_ = true;
}

void PartFile::publishDurably() {
  sync();
  publish();
  if (const int code = syncFolderOf(path_); code != 0) failOn("cannot write", path_, code);
}

PartFile::~PartFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!published_ && !keepPart_) unlink(partPath_.c_str());
}

}  // namespace slicepool
