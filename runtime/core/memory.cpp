// See memory.hpp.
#include "runtime/core/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
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
  const std::size_t used = readNumber("/sys/fs/cgroup/memory.current");
  if (limit == 0) return std::numeric_limits<std::size_t>::max();
  return limit > used ? limit - used : 0;
}

/// Of /proc/self/status, in bytes; 0 where it has no such line.
std::size_t highWaterMark() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

}  // namespace

// ru_maxrss outlives exec: in a child it is at least what its parent had when it made it.
std::size_t peakResidentBytes() {
  if (const std::size_t bytes = highWaterMark(); bytes != 0) return bytes;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::size_t availableMemoryBytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::size_t value = 0;
  std::string unit;
  std::size_t available = 0;
  while (file >> key >> value) {
    std::getline(file, unit);
    if (key == "MemAvailable:") available = value * 1024;
  }
  if (available == 0) {
    available = static_cast<std::size_t>(std::max(0L, sysconf(_SC_AVPHYS_PAGES))) *
                static_cast<std::size_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  }
  return std::min(available, groupHeadroom());
}

std::size_t hostMemoryLimit(std::size_t asked) {
  return asked != 0 ? asked : std::max<std::size_t>(1, availableMemoryBytes() / 2);
}

}  // namespace slicepool
