// See lattice_lines.hpp.
#include "runtime/lattice/lattice_lines.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr std::size_t kReadBytes = 1U << 18;
constexpr int kWaitMilliseconds = 100;

}  // namespace

LatticeLines::LatticeLines(const std::string& path, const std::atomic<bool>& stop)
    : path_(path), file_(path == "-" ? "/dev/stdin" : path, O_RDONLY), stop_(stop) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError("batch", fmt::format("{} ({})", inQuotes(path, 200), why),
                      "a file of JSON Lines that can be read, or - for standard input");
  };
  if (path.find('\0') != std::string::npos) refuse("a name with a zero byte");
  if (file_.get() < 0) refuse(std::generic_category().message(errno));
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) refuse(std::generic_category().message(errno));
  if (S_ISDIR(status.st_mode)) refuse("a folder");
  if (S_ISREG(status.st_mode)) fileBytes_ = static_cast<std::uint64_t>(status.st_size);
}

bool LatticeLines::readMore() {
  if (ended_ || stopped_) return false;
  if (begin_ != 0) {
    block_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  pollfd waiting{file_.get(), POLLIN, 0};
  for (;;) {
    if (stop_.load()) {
      stopped_ = true;
      return false;
    }
    const int ready = ::poll(&waiting, 1, kWaitMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const std::size_t before = block_.size();
    block_.resize(before + kReadBytes);
    const ssize_t got = ::read(file_.get(), block_.data() + before, kReadBytes);
    const int error = errno;
    block_.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0 && (error == EINTR || error == EAGAIN)) continue;
    if (got < 0)
      throw Error(fmt::format("{}: cannot be read: {}", path_, std::generic_category().message(error)));
    ended_ = got == 0;
    return got > 0;
  }
}

void LatticeLines::take(std::size_t length, bool cut, LineGroup& group) {
  if (!cut) group.bytes.append(block_, begin_, length);
  group.ends.push_back(group.bytes.size());
  group.tooLong.push_back(cut);
  ++number_;
}

bool LatticeLines::next(std::size_t most, std::size_t bytes, LineGroup& group) {
  group.clear(number_);
  while (group.size() < most && (group.bytes.size() < bytes || group.size() == 0)) {
    const std::size_t end = block_.find('\n', scanned_);
    if (end != std::string::npos) {
      take(end - begin_, passing_, group);
      passing_ = false;
      begin_ = scanned_ = end + 1;
      continue;
    }
    scanned_ = block_.size();
    if (scanned_ - begin_ > kLongestLine || passing_) {
      passing_ = true;
      begin_ = scanned_;
    }
    // What is there goes on before one waits for more.
    if (group.size() != 0) return true;
    if (readMore()) continue;
    if (stopped_) return false;
    // The last line may have no end.
    if (begin_ != block_.size() || passing_) take(block_.size() - begin_, passing_, group);
    begin_ = scanned_ = block_.size();
    passing_ = false;
    return group.size() != 0;
  }
  return true;
}

}  // namespace slicepool::lattice
