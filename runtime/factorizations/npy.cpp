// See npy.hpp.
#include "runtime/factorizations/npy.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPreambleBytes = 10;  // magic (6), version (2), header length (2)

[[noreturn]] void failOn(const std::string& what, const std::string& path, int code) {
  throw Error(what + " " + path + ": " + std::strerror(code));
}

std::string directoryOf(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace

std::string npyType(unsigned elementBytes) {
  return elementBytes == 1 ? "|u1" : "<u" + std::to_string(elementBytes);
}

std::string npyHeader(std::uint64_t rows, unsigned dimension, unsigned elementBytes) {
  std::string text = "{'descr': '" + npyType(elementBytes) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(rows) + ", " + std::to_string(dimension) + "), }";
  const std::size_t unpadded = kPreambleBytes + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

void requireDiskSpace(const std::string& path, std::uint64_t bytes) {
  struct statvfs info {};
  const std::string directory = directoryOf(path);
  if (statvfs(directory.c_str(), &info) != 0) failOn("cannot look at the disk under", directory, errno);
  const auto freeBytes = static_cast<unsigned __int128>(info.f_bavail) * info.f_frsize;
  if (freeBytes >= bytes) return;
  throw LimitError("output " + path + ": " + std::to_string(bytes) + " bytes needed, " +
                   std::to_string(static_cast<std::uint64_t>(freeBytes)) + " bytes free on its disk");
}

NpyFile::NpyFile(std::string path, std::uint64_t rows, unsigned dimension, unsigned elementBytes, bool reopen)
    : path_(std::move(path)), partPath_(path_ + ".part") {
  const std::string header = npyHeader(rows, dimension, elementBytes);
  headerBytes_ = header.size();
  const auto bytes = static_cast<unsigned __int128>(rows) * dimension * elementBytes + headerBytes_;
  if (bytes > static_cast<unsigned __int128>(std::numeric_limits<std::int64_t>::max())) {
    throw LimitError("output " + path_ + ": " + std::to_string(rows) + " rows are more than a file holds");
  }
  fileBytes_ = static_cast<std::uint64_t>(bytes);
  try {
    if (reopen)
      open(header);
    else
      create(header);
    void* mapping = mmap(nullptr, fileBytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (mapping == MAP_FAILED) failOn("cannot map", partPath_, errno);
    mapping_ = static_cast<std::byte*>(mapping);
  } catch (...) {
    // A part file that was there before belongs to a checkpoint: leave it.
    if (!reopen && descriptor_ >= 0) unlink(partPath_.c_str());
    closeFile();
    throw;
  }
}

void NpyFile::create(const std::string& header) {
  requireDiskSpace(path_, fileBytes_);
  descriptor_ = ::open(partPath_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) failOn("cannot create", partPath_, errno);
  if (ftruncate(descriptor_, static_cast<off_t>(fileBytes_)) != 0) failOn("cannot size", partPath_, errno);
  // Blocks are reserved now: a full disk during the run would be a fatal signal in a mapped write.
  const int reserved = posix_fallocate(descriptor_, 0, static_cast<off_t>(fileBytes_));
  if (reserved == ENOSPC || reserved == EFBIG || reserved == EDQUOT) {
    throw LimitError("output " + path_ + ": " + std::to_string(fileBytes_) +
                     " bytes cannot be reserved: " + std::strerror(reserved));
  }
  if (reserved != 0 && reserved != EOPNOTSUPP && reserved != EINVAL)
    failOn("cannot reserve", partPath_, reserved);
  if (pwrite(descriptor_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
    failOn("cannot write", partPath_, errno);
  }
}

void NpyFile::open(const std::string& header) {
  descriptor_ = ::open(partPath_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw CheckpointError("resume: the unfinished output " + partPath_ +
                          " cannot be opened: " + std::strerror(errno));
  }
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) failOn("cannot look at", partPath_, errno);
  std::string found(header.size(), '\0');
  const bool sameHeader =
      pread(descriptor_, found.data(), found.size(), 0) == static_cast<ssize_t>(found.size()) &&
      found == header;
  if (static_cast<std::uint64_t>(status.st_size) != fileBytes_ || !sameHeader) {
    throw CheckpointError("resume: " + partPath_ + " is not the unfinished output of this request (" +
                          std::to_string(status.st_size) + " bytes, expected " + std::to_string(fileBytes_) +
                          ")");
  }
}

void NpyFile::sync() const {
  if (mapping_ != nullptr && msync(mapping_, fileBytes_, MS_SYNC) != 0)
    failOn("cannot write", partPath_, errno);
}

void NpyFile::publish() {
  if (mapping_ != nullptr) munmap(mapping_, fileBytes_);
  mapping_ = nullptr;
  closeFile();
  if (std::rename(partPath_.c_str(), path_.c_str()) != 0)
    failOn("cannot rename " + partPath_ + " to", path_, errno);
  published_ = true;
}

void NpyFile::closeFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

NpyFile::~NpyFile() {
  if (mapping_ != nullptr) munmap(mapping_, fileBytes_);
  closeFile();
  if (!published_ && !keepPart_) unlink(partPath_.c_str());
}

}  // namespace slicepool::factorizations
