// See regular_file.hpp.
#include "runtime/io/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "runtime/io/file_hash.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr std::uint64_t kReadTogether = std::uint64_t{4} << 20;

}  // namespace

RegularFile::RegularFile(const std::string& path)
    // Without O_NONBLOCK a FIFO would wait for its writer.
    : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  struct stat status {};
  if (descriptor_ < 0)
    throw Error(std::string("cannot be opened: ") + std::generic_category().message(errno));
  const bool regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!regular) {
    ::close(descriptor_);
    throw Error("is not a regular file");
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

RegularFile::~RegularFile() { ::close(descriptor_); }

void RegularFile::read(std::uint64_t begin, std::uint64_t end,
                       const std::function<void(std::span<const std::byte>)>& piece) const {
  std::vector<std::byte> buffer(std::min(kReadTogether, end - begin));
  while (begin < end) {
    const ssize_t count =
        ::pread(descriptor_, buffer.data(), std::min<std::uint64_t>(buffer.size(), end - begin),
                static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(std::string("cannot be read: ") + std::generic_category().message(errno));
    if (count == 0) throw Error("cannot be read beyond " + std::to_string(begin) + " bytes");
    piece(std::span(buffer).first(static_cast<std::size_t>(count)));
    begin += static_cast<std::uint64_t>(count);
  }
}

std::string readRegularFile(const std::string& path) {
  const RegularFile file(path);
  std::string content;
  content.reserve(file.bytes());
  file.read(0, file.bytes(), [&](std::span<const std::byte> piece) {
    content.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return content;
}

std::string hashOfFile(const RegularFile& file) {
  FileHash hash;
  file.read(0, file.bytes(), [&](std::span<const std::byte> piece) { hash.update(piece); });
  return hash.digits();
}

}  // namespace slicepool
