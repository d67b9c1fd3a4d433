// The memory of the process as reports and limits see it, beside what the kernel says.
#include "runtime/core/memory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

using namespace slicepool;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// Bytes of a line of /proc/self/status.
std::size_t statusOf(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return std::stoull(line.substr(key.size())) * 1024;
  return 0;
}

bool isNear(std::size_t bytes, std::size_t other) {
  return bytes < other + 8 * kMiB && other < bytes + 8 * kMiB;
}

}  // namespace

TEST_CASE(
    "the peak is the high water mark of the kernel, before and after it rises, and when memory has gone") {
  const std::size_t before = peakResidentBytes();
  CHECK(isNear(before, statusOf("VmHWM:")));
  const std::size_t bytes = before - std::min(before, statusOf("VmRSS:")) + 64 * kMiB;
  {
    const auto memory = std::make_unique_for_overwrite<char[]>(bytes);
    std::memset(memory.get(), 1, bytes);
    CHECK(memory[bytes / 2] == 1);
    CHECK(peakResidentBytes() > before + 40 * kMiB);
  }
  CHECK(peakResidentBytes() > before + 40 * kMiB);
  CHECK(isNear(peakResidentBytes(), statusOf("VmHWM:")));
}

TEST_CASE("what is available is some of the machine's memory, and a limit of its own half of that") {
  const std::size_t available = availableMemoryBytes();
  CHECK(available > kMiB);
  CHECK(hostMemoryLimit(0) < available + 256 * kMiB);
  CHECK(hostMemoryLimit(0) >= 1);
  CHECK(hostMemoryLimit(12345) == 12345);
}
