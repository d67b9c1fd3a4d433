// See lattice_lines.hpp.
#include "runtime/lattice/lattice_lines.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

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

void LineBuffer::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  const std::size_t capacity = std::max(bytes, capacity_ + capacity_ / 2);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ != 0) std::memcpy(larger.get(), bytes_.get(), size_);
  bytes_ = std::move(larger);
  capacity_ = capacity;
}

void LineBuffer::assign(std::string_view bytes) {
  if (bytes.size() > capacity_) {
    size_ = 0;
    reserve(bytes.size());
  }
  if (!bytes.empty()) std::memmove(bytes_.get(), bytes.data(), bytes.size());
  size_ = bytes.size();
}

bool LatticeLines::isReady(int milliseconds) const {
  pollfd waiting{file_.get(), POLLIN, 0};
  const int ready = ::poll(&waiting, 1, milliseconds);
  return ready > 0 || (ready < 0 && errno != EINTR);
}

/// False at the end, and when stopped.
bool LatticeLines::readMore(std::size_t bytes) {
  block_.reserve(block_.size() + bytes);
  while (!ended_ && !stopped_) {
    if (stop_.load()) {
      stopped_ = true;
      break;
    }
    if (!isReady(kWaitMilliseconds)) continue;
    const ssize_t got = ::read(file_.get(), block_.data() + block_.size(), bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0)
      throw Error(fmt::format("{}: cannot be read: {}", path_, std::generic_category().message(errno)));
    ended_ = got == 0;
    readBytes_ += static_cast<std::uint64_t>(got);
    block_.setSize(block_.size() + static_cast<std::size_t>(got));
    return got > 0;
  }
  return false;
}

/// The next line whose end has been read.
bool LatticeLines::takeLine(LineGroup& group) {
  const std::size_t end = block_.view().find('\n', scanned_);
  const bool last = end == std::string_view::npos;
  // The last line may have no end.
  if (last && !(ended_ && (begin_ != block_.size() || passed_ != 0))) {
    scanned_ = block_.size();
    return false;
  }
  const std::size_t behind = last ? block_.size() : end;
  const bool tooLong = passed_ != 0 || behind - begin_ > kLongestLine;
  group.lines.push_back({begin_, tooLong ? begin_ : behind, tooLong});
  begin_ = scanned_ = last ? behind : behind + 1;
  group.taken += begin_ - group.lines.back().begin + passed_;
  passed_ = 0;
  ++number_;
  return true;
}

/// Lines lie in the block. It goes with them, unless less is to be copied the other way.
void LatticeLines::handOver(LineGroup& group) {
  const std::size_t from = group.lines.front().begin;
  const std::string_view rest = block_.view().substr(begin_);
  if (rest.size() <= begin_ - from) {
    std::swap(group.bytes, block_);
    block_.assign(rest);
    scanned_ -= begin_;
    begin_ = 0;
    return;
  }
  group.bytes.assign(block_.view().substr(from, begin_ - from));
  group.shift(from);
}

/// Makes room for more, where lines that were handed over lay.
void LatticeLines::dropBefore(std::size_t offset, LineGroup& group) {
  if (offset == 0) return;
  block_.assign(block_.view().substr(offset));
  group.shift(offset);
  begin_ -= offset;
  scanned_ -= offset;
}

bool LatticeLines::next(std::size_t most, std::size_t bytes, LineGroup& group) {
  group.first = number_;
  group.taken = 0;
  group.lines.clear();
  while (group.size() < most && (group.size() == 0 || begin_ - group.lines.front().begin < bytes)) {
    if (takeLine(group)) continue;
    // What is there goes on before one waits for more.
    if (group.size() != 0 && (ended_ || stopped_ || !isReady(0))) break;
    dropBefore(group.size() == 0 ? begin_ : group.lines.front().begin, group);
    if (scanned_ - begin_ > kLongestLine || passed_ != 0) {
      passed_ += scanned_ - begin_;
      block_.setSize(begin_);
      scanned_ = begin_;
    }
    if (!readMore(std::max(kReadBytes, bytes)) && !ended_) break;
    if (ended_ && begin_ == block_.size() && passed_ == 0) break;
  }
  if (group.size() == 0) return false;
  handOver(group);
  return true;
}

}  // namespace slicepool::lattice
