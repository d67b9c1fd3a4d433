// See record_log.hpp. Layout, integers little-endian: 8 characters of the format; two slots of 32 bytes
// (number of the commit, end of what it covers, chain there, hash of these three); 64-bit length of the
// header; the header; 64-bit hash of format, length and header; records. A record: 64-bit length, hash of the
// payload, chain (hash of these two, seeded with the chain before); the payload. Commits write the slots in
// turn, so that one of them is always whole. Hashes are XXH3.
#include "runtime/io/record_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/core/checkpoint.hpp"
#include "runtime/io/descriptor.hpp"
#include "runtime/io/durable_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kFormatBytes = 8;
constexpr std::size_t kSlots = 2;
constexpr std::size_t kSlotBytes = 32;
constexpr std::size_t kLengthAt = kFormatBytes + kSlots * kSlotBytes;
constexpr std::size_t kHeaderAt = kLengthAt + 8;
constexpr std::size_t kRecordBytes = 24;

void put(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

std::uint64_t numberAt(const std::byte* bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

std::uint64_t headerHash(std::string_view format, std::string_view header) {
  std::string bytes(format);
  const std::uint64_t length = header.size();
  put(bytes, &length, sizeof length);
  bytes += header;
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t chainOf(std::uint64_t length, std::uint64_t hash, std::uint64_t before) {
  const std::uint64_t both[2] = {length, hash};
  return XXH3_64bits_withSeed(both, sizeof both, before);
}

/// Bytes [begin, begin + size) of an open file; 0, or the errno of what failed; EIO where the file ends.
int readAt(int descriptor, std::byte* into, std::uint64_t begin, std::uint64_t size) {
  while (size != 0) {
    const ssize_t got =
        ::pread(descriptor, into, std::min<std::uint64_t>(size, 1U << 30), static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO;
    into += got;
    begin += static_cast<std::uint64_t>(got);
    size -= static_cast<std::uint64_t>(got);
  }
  return 0;
}

int writeAt(int descriptor, std::string_view bytes, std::uint64_t begin) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    begin += static_cast<std::uint64_t>(written);
  }
  return 0;
}

}  // namespace

struct RecordLog::Slot {
  std::uint64_t sequence = 0;
  std::uint64_t end = 0;
  std::uint64_t chain = 0;

  [[nodiscard]] std::uint64_t hash(std::uint64_t seed) const {
    const std::uint64_t all[3] = {sequence, end, chain};
    return XXH3_64bits_withSeed(all, sizeof all, seed);
  }
  [[nodiscard]] std::string bytes(std::uint64_t seed) const {
    const std::uint64_t all[4] = {sequence, end, chain, hash(seed)};
    return {reinterpret_cast<const char*>(all), sizeof all};
  }
  /// The last commit; false when no slot is whole.
  static bool newest(const std::byte* slots, std::uint64_t seed, Slot& found) {
    bool any = false;
    for (std::size_t i = 0; i < kSlots; ++i) {
      const std::byte* at = slots + i * kSlotBytes;
      const Slot slot{numberAt(at), numberAt(at + 8), numberAt(at + 16)};
      if (slot.hash(seed) != numberAt(at + 24) || (any && slot.sequence < found.sequence)) continue;
      found = slot;
      any = true;
    }
    return any;
  }
};

RecordLog::RecordLog(std::string path, std::string_view format)
    : path_(std::move(path)), format_(format.substr(0, kFormatBytes)) {}

void RecordLog::refuse(const std::string& why) const {
  throw CheckpointError("checkpoint " + path_ + ": " + why);
}

RecordLogContent RecordLog::read() {
  const Descriptor file(path_, O_RDONLY | O_NONBLOCK);  // a pipe is refused, not waited for
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
    refuse(std::string("cannot be opened: ") + std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode)) refuse("is not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  RecordLogContent content;
  content.bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  const std::byte* bytes = content.bytes.get();
  if (const int code = readAt(file.get(), content.bytes.get(), 0, size); code != 0)
    refuse(std::string("cannot be read: ") + std::generic_category().message(code));

  const std::string found(reinterpret_cast<const char*>(bytes), std::min<std::uint64_t>(size, kFormatBytes));
  if (found != format_) {
    const bool text = std::all_of(found.begin(), found.end(), [](char c) { return c >= ' ' && c <= '~'; });
    refuse("its format is " + (text && !found.empty() ? "\"" + found + "\"" : "none of slicepool's") +
           "; accepted: format " + format_ + " (checkpoints of other versions cannot be gone on with)");
  }
  const char* const damaged = "the content does not match its hash (damaged or truncated)";
  if (size < kHeaderAt + 8 || numberAt(bytes + kLengthAt) > size - kHeaderAt - 8) refuse(damaged);
  content.header.assign(reinterpret_cast<const char*>(bytes + kHeaderAt), numberAt(bytes + kLengthAt));
  seed_ = headerHash(format_, content.header);
  end_ = kHeaderAt + content.header.size() + 8;
  Slot slot;
  if (numberAt(bytes + end_ - 8) != seed_ || !Slot::newest(bytes + kFormatBytes, seed_, slot))
    refuse(damaged);
  chain_ = seed_;
  sequence_ = slot.sequence;
  bool committed = slot.end == end_ && slot.chain == chain_;
  while (size - end_ >= kRecordBytes) {
    const std::uint64_t length = numberAt(bytes + end_);
    const std::uint64_t hash = numberAt(bytes + end_ + 8);
    const std::uint64_t chain = chainOf(length, hash, chain_);
    if (chain != numberAt(bytes + end_ + 16) || length > size - end_ - kRecordBytes) break;
    const std::span record(bytes + end_ + kRecordBytes, length);
    if (XXH3_64bits(record.data(), record.size()) != hash) break;
    content.records.push_back(record);
    chain_ = chain;
    end_ += kRecordBytes + length;
    committed = committed || (slot.end == end_ && slot.chain == chain_);
  }
  // What follows the last whole record was being written when the process was killed, or is damaged.
  if (!committed) refuse(damaged);
  return content;
}

std::string RecordLog::encoded(std::span<const std::vector<std::byte>> records) {
  std::string bytes;
  std::size_t size = 0;
  for (const auto& record : records) size += kRecordBytes + record.size();
  bytes.reserve(size);
  for (const auto& record : records) {
    const std::uint64_t length = record.size();
    const std::uint64_t hash = XXH3_64bits(record.data(), record.size());
    chain_ = chainOf(length, hash, chain_);
    for (const std::uint64_t number : {length, hash, chain_}) put(bytes, &number, sizeof number);
    put(bytes, record.data(), record.size());
  }
  return bytes;
}

void RecordLog::start(std::string_view header, std::span<const std::vector<std::byte>> records) {
  RecordLog next(path_, format_);
  next.seed_ = next.chain_ = headerHash(format_, header);
  next.sequence_ = 1;
  const std::uint64_t length = header.size();
  std::string tail;
  put(tail, &length, sizeof length);
  tail += header;
  put(tail, &next.seed_, sizeof next.seed_);
  tail += next.encoded(records);
  next.end_ = kLengthAt + tail.size();
  const std::string slot = Slot{next.sequence_, next.end_, next.chain_}.bytes(next.seed_);
  std::string content = format_;
  content.append(next.sequence_ % kSlots * kSlotBytes, '\0');
  content += slot;
  content.resize(kLengthAt, '\0');
  content += tail;
  if (const int code = replaceFile(path_, content); code != 0)
    throwUnwrittenCheckpoint(path_, content.size(), code);
  *this = std::move(next);
}

void RecordLog::append(std::span<const std::vector<std::byte>> records) {
  RecordLog next = *this;
  const std::string bytes = next.encoded(records);
  next.end_ = end_ + bytes.size();
  ++next.sequence_;
  const Descriptor file(path_, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
    throwUnwrittenCheckpoint(path_, bytes.size(), errno);
  // The slots say that this is still the file that was read or written last.
  std::array<std::byte, kLengthAt> front{};
  Slot slot;
  const bool known = S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) >= end_ &&
                     readAt(file.get(), front.data(), 0, front.size()) == 0 &&
                     Slot::newest(front.data() + kFormatBytes, seed_, slot) && slot.sequence == sequence_;
  if (!known) refuse("was changed by something else");
  const int code = next.appendTo(file.get(), bytes);
  if (code == 0) {
    *this = std::move(next);
    return;
  }
  (void)!::ftruncate(file.get(), static_cast<off_t>(end_));  // room for others on a full disk
  throwUnwrittenCheckpoint(path_, bytes.size(), code);
}

/// The records, then, once they are on the disk, the slot that counts on them.
int RecordLog::appendTo(int descriptor, const std::string& bytes) {
  const std::uint64_t begin = end_ - bytes.size();
  if (::ftruncate(descriptor, static_cast<off_t>(begin)) != 0) return errno;
  int code = writeAt(descriptor, bytes, begin);
  if (code == 0 && ::fdatasync(descriptor) != 0) code = errno;
  const std::string slot = Slot{sequence_, end_, chain_}.bytes(seed_);
  if (code == 0) code = writeAt(descriptor, slot, kFormatBytes + sequence_ % kSlots * kSlotBytes);
  if (code == 0 && ::fdatasync(descriptor) != 0) code = errno;
  return code;
}

}  // namespace slicepool
