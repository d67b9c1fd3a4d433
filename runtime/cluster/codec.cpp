// See codec.hpp.
#include "runtime/cluster/codec.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "cpu_workers/core/cpu_workers.hpp"
#include "cpu_workers/core/parallel.hpp"
#include "runtime/core/slice_packing.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cluster {
namespace {

/// "slicepl1": what a message begins with.
constexpr std::uint64_t kFirstWord = 0x316c706563696c73;

/// Writes what it is given.
class MessageWriter {
 public:
  template <class T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  void operator()(const std::string& text) { range(text); }
  template <class T>
  void operator()(const std::vector<T>& values) {
    range(values);
  }
  /// Has the same number of elements on the other side. Returns it.
  template <class T>
  std::size_t count(const std::vector<T>& elements) {
    (*this)(static_cast<std::uint64_t>(elements.size()));
    return elements.size();
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  template <class Range>
  void range(const Range& values) {
    (*this)(static_cast<std::uint64_t>(values.size()));
    const auto* from = reinterpret_cast<const std::byte*>(values.data());
    bytes_.insert(bytes_.end(), from, from + values.size() * sizeof(*values.data()));
  }

  std::vector<std::byte> bytes_;
};

/// Reads into what it is given.
class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, next(sizeof value), sizeof value);
  }
  void operator()(std::string& text) { range(text); }
  template <class T>
  void operator()(std::vector<T>& values) {
    range(values);
  }
  template <class T>
  std::size_t count(std::vector<T>& elements) {
    // Each takes a number at least, so that a damaged one asks for no memory.
    elements.resize(number(sizeof(std::uint64_t)));
    return elements.size();
  }
  /// Of things that take `least` bytes each.
  [[nodiscard]] std::size_t number(std::size_t least) {
    std::uint64_t number = 0;
    (*this)(number);
    if (number > bytes_.size() / least) refuse();
    return number;
  }
  void end() const {
    if (!bytes_.empty()) refuse();
  }
  [[noreturn]] static void refuse() {
    throw Error(
        "a message of another rank is damaged, or its slicepool is another build: start the same one on "
        "every rank");
  }

 private:
  template <class Range>
  void range(Range& values) {
    constexpr std::size_t kElement = sizeof(*values.data());
    values.resize(number(kElement));
    if (!values.empty()) std::memcpy(values.data(), next(values.size() * kElement), values.size() * kElement);
  }
  [[nodiscard]] const std::byte* next(std::size_t count) {
    if (count > bytes_.size()) refuse();
    const std::byte* from = bytes_.data();
    bytes_ = bytes_.subspan(count);
    return from;
  }

  std::span<const std::byte> bytes_;
};

void passFlag(MessageWriter& to, bool flag) { to(static_cast<std::uint8_t>(flag)); }
void passFlag(MessageReader& from, bool& flag) {
  std::uint8_t byte = 0;
  from(byte);
  flag = byte != 0;
}

// What follows names the fields once, for both directions: `io` is a writer, and what it is given is
// constant, or a reader.

template <class Io, class Worker>
void passWorker(Io& io, Worker& worker) {
  io(worker.name), io(worker.kind), io(worker.device);
  io(worker.steps), io(worker.results), io(worker.turns), io(worker.splits), io(worker.busySeconds);
}

template <class Io, class Report>
void passReport(Io& io, Report& report) {
  io(report.splits), io(report.peakHostBytes), io(report.peakDeviceBytes);
  for (std::size_t i = 0, count = io.count(report.workers); i < count; ++i) passWorker(io, report.workers[i]);
  for (std::size_t i = 0, count = io.count(report.warnings); i < count; ++i) io(report.warnings[i]);
}

/// All but the slices.
template <class Io, class Content>
void passContent(Io& io, Content& content) {
  io(content.workload), io(content.identity), io(content.sliceBytes);
  io(content.steps), io(content.seconds), io(content.words), io(content.consumer);
}

void readFirstWord(MessageReader& from) {
  std::uint64_t first = 0;
  from(first);
  if (first != kFirstWord) MessageReader::refuse();
}

/// What every message begins with.
template <class Io, class Sent>
void passHeading(Io& io, Sent& message) {
  io(message.kind), io(message.version), io(message.identity), io(message.search);
}

/// All but the slices.
template <class Io, class Sent>
void passMessage(Io& io, Sent& message) {
  passHeading(io, message);
  io(message.lease), io(message.seconds), io(message.steps), io(message.content.shared);
  passFlag(io, message.followed);
  if (message.kind == MessageKind::lease || message.kind == MessageKind::commit)
    passContent(io, message.content);
  if (message.kind == MessageKind::commit) passReport(io, message.report);
}

/// Slices are packed in blocks, by several threads: those of a GPU are tens of thousands, and to rebuild one
/// takes microseconds.
constexpr std::size_t kBlockSlices = 512;

std::size_t blocksOf(std::size_t slices) { return (slices + kBlockSlices - 1) / kBlockSlices; }

template <class Byte>
std::span<Byte> blockOf(std::span<Byte> slices, std::size_t sliceBytes, std::size_t block) {
  const std::size_t first = block * kBlockSlices * sliceBytes;
  return slices.subspan(first, std::min(kBlockSlices * sliceBytes, slices.size() - first));
}

int threadsFor(std::size_t blocks) {
  return static_cast<int>(std::clamp<std::size_t>(blocks, 1, static_cast<std::size_t>(availableCores())));
}

}  // namespace

std::vector<std::byte> encode(const Message& message, const Problem& problem) {
  const std::size_t bytes = problem.sliceBytes();
  const auto& slices = message.content.slices;
  const std::size_t count = slices.size() / bytes;
  std::vector<std::vector<std::byte>> blocks(blocksOf(count));
  forEachIndex(threadsFor(blocks.size()), blocks.size(), [&](std::uint64_t i) {
    blocks[i] = packSlices(&problem, bytes, blockOf(std::span(slices), bytes, i));
  });
  MessageWriter to;
  to(kFirstWord);
  passMessage(to, message);
  to(static_cast<std::uint64_t>(count));
  for (const auto& block : blocks) to(block);
  return to.take();
}

Message headingOf(std::span<const std::byte> bytes) {
  MessageReader from(bytes);
  readFirstWord(from);
  Message message;
  passHeading(from, message);
  if (message.kind > MessageKind::bye) MessageReader::refuse();
  return message;
}

Message decode(std::span<const std::byte> bytes, const Problem& problem) {
  MessageReader from(bytes);
  readFirstWord(from);
  Message message;
  passMessage(from, message);
  if (message.kind > MessageKind::bye) MessageReader::refuse();
  // A packed slice takes two bytes or more.
  const std::size_t count = from.number(2);
  std::vector<std::vector<std::byte>> blocks(blocksOf(count));
  for (auto& block : blocks) from(block);
  from.end();
  auto& slices = message.content.slices;
  slices.assign(count * problem.sliceBytes(), std::byte{0});
  std::atomic<bool> damaged{false};
  forEachIndex(threadsFor(blocks.size()), blocks.size(), [&](std::uint64_t i) {
    const auto into = blockOf(std::span(slices), problem.sliceBytes(), i);
    if (!unpackSlices(&problem, problem.sliceBytes(), blocks[i], into)) damaged = true;
  });
  if (damaged) MessageReader::refuse();
  return message;
}

}  // namespace slicepool::cluster
