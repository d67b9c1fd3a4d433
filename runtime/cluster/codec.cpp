// See codec.hpp.
#include "runtime/cluster/codec.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/core/slice_packing.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cluster {
namespace {

/// "slicepl1": what a message begins with.
constexpr std::uint64_t kFirstWord = 0x316c706563696c73;

class MessageWriter {
 public:
  template <class T>
  void value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  /// Of trivially copyable elements, or of text.
  template <class Range>
  void range(const Range& values) {
    value(static_cast<std::uint64_t>(values.size()));
    const auto* from = reinterpret_cast<const std::byte*>(values.data());
    bytes_.insert(bytes_.end(), from, from + values.size() * sizeof(*values.data()));
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  void value(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, next(sizeof value), sizeof value);
  }
  template <class T>
  [[nodiscard]] T value() {
    T read{};
    value(read);
    return read;
  }
  template <class Range>
  void range(Range& values) {
    constexpr std::size_t kElement = sizeof(*values.data());
    const auto count = value<std::uint64_t>();
    if (count > bytes_.size() / kElement) refuse();
    values.resize(count);
    if (count != 0) std::memcpy(values.data(), next(count * kElement), count * kElement);
  }
  /// A number of things that take `least` bytes each.
  [[nodiscard]] std::size_t count(std::size_t least) {
    const auto count = value<std::uint64_t>();
    if (count > bytes_.size() / least) refuse();
    return count;
  }
  void end() const {
    if (!bytes_.empty()) refuse();
  }
  [[noreturn]] static void refuse() {
    throw Error("a message of another rank is damaged, or its slicepool is another version");
  }

 private:
  [[nodiscard]] const std::byte* next(std::size_t count) {
    if (count > bytes_.size()) refuse();
    const std::byte* from = bytes_.data();
    bytes_ = bytes_.subspan(count);
    return from;
  }

  std::span<const std::byte> bytes_;
};

void put(MessageWriter& to, const WorkerReport& worker) {
  to.range(worker.name);
  to.range(worker.kind);
  to.range(worker.device);
  for (const std::uint64_t number : {worker.steps, worker.results, worker.turns, worker.splits})
    to.value(number);
  to.value(worker.busySeconds);
}

void get(MessageReader& from, WorkerReport& worker) {
  from.range(worker.name);
  from.range(worker.kind);
  from.range(worker.device);
  for (auto* number : {&worker.steps, &worker.results, &worker.turns, &worker.splits}) from.value(*number);
  from.value(worker.busySeconds);
}

void put(MessageWriter& to, const RunReport& report) {
  to.value(report.splits);
  to.value(static_cast<std::uint64_t>(report.peakHostBytes));
  to.value(static_cast<std::uint64_t>(report.peakDeviceBytes));
  to.value(static_cast<std::uint64_t>(report.workers.size()));
  for (const auto& worker : report.workers) put(to, worker);
  to.value(static_cast<std::uint64_t>(report.warnings.size()));
  for (const auto& warning : report.warnings) to.range(warning);
}

void get(MessageReader& from, RunReport& report) {
  constexpr std::size_t kLeastWorker = 8 * sizeof(std::uint64_t);
  from.value(report.splits);
  report.peakHostBytes = from.value<std::uint64_t>();
  report.peakDeviceBytes = from.value<std::uint64_t>();
  report.workers.resize(from.count(kLeastWorker));
  for (auto& worker : report.workers) get(from, worker);
  report.warnings.resize(from.count(sizeof(std::uint64_t)));
  for (auto& warning : report.warnings) from.range(warning);
}

void put(MessageWriter& to, const Checkpoint& content, const Problem& problem) {
  to.range(content.workload);
  to.range(content.identity);
  to.value(static_cast<std::uint64_t>(content.sliceBytes));
  to.value(content.shared);
  to.value(content.steps);
  to.value(content.seconds);
  to.range(content.words);
  to.range(content.consumer);
  to.value(static_cast<std::uint64_t>(content.slices.size() / problem.sliceBytes()));
  to.range(packSlices(&problem, problem.sliceBytes(), content.slices));
}

void get(MessageReader& from, Checkpoint& content, const Problem& problem) {
  from.range(content.workload);
  from.range(content.identity);
  content.sliceBytes = from.value<std::uint64_t>();
  from.value(content.shared);
  from.value(content.steps);
  from.value(content.seconds);
  from.range(content.words);
  from.range(content.consumer);
  // A packed slice takes two bytes or more.
  const auto slices = from.value<std::uint64_t>();
  std::vector<std::byte> packed;
  from.range(packed);
  if (slices > packed.size()) MessageReader::refuse();
  content.slices.assign(slices * problem.sliceBytes(), std::byte{0});
  if (!unpackSlices(&problem, problem.sliceBytes(), packed, content.slices)) MessageReader::refuse();
}

}  // namespace

std::vector<std::byte> encode(const Message& message, const Problem& problem) {
  MessageWriter to;
  to.value(kFirstWord);
  to.value(static_cast<std::uint8_t>(message.kind));
  to.range(message.version);
  to.range(message.identity);
  to.value(message.lease);
  to.value(message.seconds);
  to.value(message.steps);
  // Most messages have nothing more.
  const bool more = message.kind == MessageKind::lease || message.kind == MessageKind::commit;
  to.value(message.content.shared);
  if (more) put(to, message.content, problem);
  if (message.kind == MessageKind::commit) put(to, message.report);
  return to.take();
}

Message decode(std::span<const std::byte> bytes, const Problem& problem) {
  MessageReader from(bytes);
  Message message;
  if (from.value<std::uint64_t>() != kFirstWord) MessageReader::refuse();
  const auto kind = from.value<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(MessageKind::bye)) MessageReader::refuse();
  message.kind = static_cast<MessageKind>(kind);
  from.range(message.version);
  from.range(message.identity);
  from.value(message.lease);
  from.value(message.seconds);
  from.value(message.steps);
  from.value(message.content.shared);
  if (message.kind == MessageKind::lease || message.kind == MessageKind::commit)
    get(from, message.content, problem);
  if (message.kind == MessageKind::commit) get(from, message.report);
  from.end();
  return message;
}

}  // namespace slicepool::cluster
