// See memory.hpp.
#include "runtime/core/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace slicepool {
namespace {

std::size_t readNumber(const char* path) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : 0;
}

/// Bytes left under the control group's limit; the maximum of size_t when there is none.
std::size_t groupHeadroom() {
  const std::size_t limit = readNumber("/sys/fs/cgroup/memory.max");
  if (limit == 0) return std::numeric_limits<std::size_t>::max();
  const std::size_t used = readNumber("/sys/fs/cgroup/memory.current");
  return limit > used ? limit - used : 0;
}

/// "KEY: 12 kB" in a file of /proc, in bytes; 0 where it has no such line.
std::size_t lineOf(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key, 0) == 0) return std::strtoull(line.c_str() + key.size(), nullptr, 10) * 1024;
  return 0;
}

/// At least the high water mark; 0 where it is not known.
std::size_t greatestResident() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

// ru_maxrss outlives exec: in a child it is at least what its parent had when it made it. Once the process
// has had more than that both are the same, and the file, whose text takes ten times as long to make, is not
// read any more.
std::size_t peakResidentBytes() {
  static std::atomic<bool> same{false};
  const std::size_t greatest = greatestResident();
  if (greatest != 0 && same.load(std::memory_order_relaxed)) return greatest;
  const std::size_t mark = lineOf("/proc/self/status", "VmHWM:");
  if (mark == 0) return greatest;
  if (mark >= greatest) same.store(true, std::memory_order_relaxed);
  return mark;
}

std::size_t availableMemoryBytes() {
  const std::size_t available = lineOf("/proc/meminfo", "MemAvailable:");
  if (available != 0) return std::min(available, groupHeadroom());
  const std::size_t pages = static_cast<std::size_t>(std::max(0L, sysconf(_SC_AVPHYS_PAGES))) *
                            static_cast<std::size_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return std::min(pages, groupHeadroom());
}

std::size_t hostMemoryLimit(std::size_t asked) {
  return asked != 0 ? asked : std::max<std::size_t>(1, availableMemoryBytes() / 2);
}

}  // namespace slicepool
