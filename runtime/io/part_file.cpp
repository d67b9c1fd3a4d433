// See part_file.hpp.
#include "runtime/io/part_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/io/descriptor.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/output_place.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr std::uint64_t kCopiedTogether = std::uint64_t{4} << 20;

[[noreturn]] void failOn(const std::string& what, const std::string& path, int code) {
  throwFileError(what + " " + path, code);
}

}  // namespace

void requireDiskSpace(const std::string& path, std::uint64_t bytes) {
  const PathFacts facts = factsOf(path);
  if (facts.kind != PathKind::file && facts.kind != PathKind::absent) return;  // written in place
  struct statvfs info {};
  const std::string folder = folderOf(facts.path);
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
      inPlace_(other.inPlace_),
      keepPart_(other.keepPart_),
      published_(std::exchange(other.published_, true)) {}

PartFile PartFile::create(const std::string& path, std::uint64_t finalBytes, Reservation reservation) {
  PartFile file(placeOf(path, OutputNeed::file).path);
  file.make();
  if (finalBytes != 0) file.reserve(finalBytes, reservation);
  return file;
}

PartFile PartFile::createText(const std::string& path) {
  const OutputPlace place = placeOf(path, OutputNeed::text);
  PartFile file(place.path);
  if (!place.inPlace) {
    file.make();
    return file;
  }
  file.inPlace_ = true;
  file.partPath_ = place.path;
  file.keepPart_ = true;
  file.descriptor_ = openInPlace(place);
  return file;
}

/// A new file, not an old one cut to nothing: that may have other names, or a process that still writes it.
void PartFile::make() {
  keepPart_ = true;  // until it is ours
  for (;;) {
    const bool fresh = openPart(O_CREAT | O_EXCL);
    if (!fresh && errno != EEXIST) failOn("cannot create", partPath_, errno);
    if (!fresh && !openPart(0)) {
      if (errno == ENOENT) continue;  // it has just been removed
      failOn("cannot create", partPath_, errno);
    }
    requirePart();
    const bool named = namesFile(partPath_, descriptor_);
    if (fresh && named) break;
    if (named && ::unlink(partPath_.c_str()) != 0) failOn("cannot replace", partPath_, errno);
    ::close(std::exchange(descriptor_, -1));
  }
  keepPart_ = false;
}

bool PartFile::openPart(int flags) {
  constexpr int kSafe = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  descriptor_ = ::open(partPath_.c_str(), O_RDWR | flags | kSafe, 0666);
  return descriptor_ >= 0;
}

/// A second lock beside that of output_guard: also for names that no request has, such as those of shards.
/// The system drops it when the file is closed.
void PartFile::requirePart() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) failOn("cannot look at", partPath_, errno);
  if (!S_ISREG(status.st_mode)) failOn("no regular file:", partPath_, EINVAL);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw ConfigError("output", "\"" + partPath_ + "\", which another process is writing",
                    "a file that no other run writes");
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
                     " bytes cannot be reserved: " + std::generic_category().message(code));
  }
  // Neither of the two: a file system on which nothing can be reserved.
  if (code != 0 && code != EOPNOTSUPP && code != EINVAL) failOn("cannot reserve", partPath_, code);
}

PartFile PartFile::reopen(const std::string& path, std::uint64_t bytes, bool grows, const Check& check) {
  const std::string real = placeOf(path, OutputNeed::file).path;
  std::error_code none;
  if (!std::filesystem::exists(real + ".part", none) && std::filesystem::is_regular_file(real, none))
    return copyBack(real, bytes, grows, check);
  PartFile file = reopenPart(real, bytes, grows);
  check(file);
  if (grows && ftruncate(file.descriptor_, static_cast<off_t>(bytes)) != 0)
    failOn("cannot size", file.partPath_, errno);
  return file;
}

PartFile PartFile::reopenPart(const std::string& path, std::uint64_t bytes, bool grows) {
  PartFile file(path);
  file.keepPart_ = true;  // a checkpoint counts on it
  if (!file.openPart(0)) {
    throw CheckpointError("resume: the unfinished output " + file.partPath_ + " cannot be opened: " +
                          std::generic_category().message(errno) + "; remove the checkpoint to start anew");
  }
  file.requirePart();
  file.requireLength(bytes, grows);
  return file;
}

/// A copy under a name of its own becomes PATH.part when it is whole and checked: a process that is killed on
/// the way leaves everything to the next one.
PartFile PartFile::copyBack(const std::string& path, std::uint64_t bytes, bool grows, const Check& check) {
  const std::string partPath = path + ".part";
  const int source = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (source < 0) failOn("cannot open", path, errno);
  PartFile copy(path);
  copy.partPath_ = path;  // what is wrong is wrong with the source
  copy.descriptor_ = source;
  copy.keepPart_ = true;
  try {
    copy.requireLength(bytes, grows);
    check(copy);
  } catch (const CheckpointError& error) {
    throw CheckpointError("resume: the unfinished output " + partPath +
                          " is not there, and it is not under its final name: " + error.what());
  }
  copy.partPath_ = partPath + ".tmp";
  copy.keepPart_ = false;
  (void)::unlink(copy.partPath_.c_str());  // of an earlier process
  if (!copy.openPart(O_CREAT | O_EXCL)) {
    const int code = errno;
    copy.keepPart_ = true;  // not ours
    ::close(source);
    failOn("cannot create", copy.partPath_, code);
  }
  try {
    copy.requirePart();
    copy.copyFrom(source, bytes);
  } catch (...) {
    ::close(source);
    throw;
  }
  ::close(source);
  copy.sync();
  if (std::rename(copy.partPath_.c_str(), partPath.c_str()) != 0)
    failOn("cannot rename " + copy.partPath_ + " to", partPath, errno);
  copy.partPath_ = partPath;
  copy.keepPart();
  return copy;
}

void PartFile::copyFrom(int source, std::uint64_t bytes) const {
  off_t from = 0;
  off_t to = 0;
  const auto end = static_cast<off_t>(bytes);
  while (from < end) {
    // Shares the blocks where the file system can.
    const ssize_t count =
        copy_file_range(source, &from, descriptor_, &to, static_cast<std::size_t>(end - from), 0);
    if (count > 0 || (count < 0 && errno == EINTR)) continue;
    if (count < 0 && errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
      failOn("cannot write", partPath_, errno);
    break;
  }
  std::vector<std::byte> buffer(
      std::min<std::uint64_t>(kCopiedTogether, static_cast<std::uint64_t>(end - from)));
  while (from < end) {
    const auto wanted = std::min(buffer.size(), static_cast<std::size_t>(end - from));
    const ssize_t count = pread(source, buffer.data(), wanted, from);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) failOn("cannot read", path_, count < 0 ? errno : EIO);
    write(static_cast<std::uint64_t>(from), std::span(buffer).first(static_cast<std::size_t>(count)));
    from += count;
  }
}

void PartFile::refuse(const std::string& why) const {
  throw CheckpointError("resume: " + partPath_ + " is not the unfinished output of this request (" + why +
                        "); remove the checkpoint to start anew");
}

void PartFile::requireLength(std::uint64_t bytes, bool grows) const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) failOn("cannot look at", partPath_, errno);
  const auto found = static_cast<std::uint64_t>(status.st_size);
  if (found < bytes || (!grows && found != bytes))
    refuse(std::to_string(found) + " bytes, expected " + std::to_string(bytes));
}

void PartFile::hash(FileHash& into, std::uint64_t begin, std::uint64_t end) const {
  std::vector<std::byte> buffer(std::min(kCopiedTogether, end - begin));
  for (std::uint64_t at = begin; at < end; at += buffer.size()) {
    const std::span piece(buffer.data(), std::min<std::uint64_t>(buffer.size(), end - at));
    read(at, piece);
    into.update(piece);
  }
}

void PartFile::requireHash(FileHash& into, std::uint64_t begin, std::uint64_t end,
                           const std::string& expected) const {
  hash(into, begin, end);
  const std::string digits = into.digits();
  if (digits != expected) {
    refuse("its first " + std::to_string(end) + " bytes have hash " + digits + ", the checkpoint says " +
           expected);
  }
}

void PartFile::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  if (inPlace_) return writeInPlace(bytes);
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

void PartFile::writeInPlace(std::span<const std::byte> bytes) const {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const int code = writeAll(descriptor_, text); code != 0)
    failOn("cannot write " + std::to_string(bytes.size()) + " bytes to", path_, code);
}

void PartFile::startWriteback(std::uint64_t offset, std::uint64_t bytes) const {
  if (!inPlace_)
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
  if (!inPlace_ && fdatasync(descriptor_) != 0) failOn("cannot write", partPath_, errno);
}

FileMapping PartFile::map(std::uint64_t bytes) const { return {descriptor_, bytes, partPath_}; }

void PartFile::keepPart() {
  if (inPlace_) return;
  if (const int code = syncFolderOf(path_); code != 0) failOn("cannot write", partPath_, code);
  keepPart_ = true;
}

void PartFile::publish() {
  if (::close(std::exchange(descriptor_, -1)) != 0) failOn("cannot write", partPath_, errno);
  if (inPlace_) return;
  if (std::rename(partPath_.c_str(), path_.c_str()) != 0)
    failOn("cannot rename " + partPath_ + " to", path_, errno);
  published_ = true;
}

void PartFile::publishDurably() {
  sync();
  publish();
  if (inPlace_) return;
  if (const int code = syncFolderOf(path_); code != 0) failOn("cannot write", path_, code);
}

PartFile::~PartFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!published_ && !keepPart_) unlink(partPath_.c_str());
}

}  // namespace slicepool
