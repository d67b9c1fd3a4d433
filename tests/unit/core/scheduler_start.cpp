// What is asked of the machine before CPU workers start: nothing of hwloc where all memory is one NUMA node.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "cpu_workers/core/cpu_arena.hpp"
#include "cpu_workers/core/cpu_workers.hpp"
#include "cpu_workers/core/scheduler_start.hpp"
#include "support/text.hpp"

using namespace slicepool;

TEST_CASE("a list of NUMA nodes as the kernel writes it is one node when it is one number") {
  for (const char* one : {"0", "7", "12"}) CHECK(isOneNode(one));
  for (const char* other : {"", "0-1", "0,2", "0-1,3", "0\n1", " 0", "all"}) CHECK_FALSE(isOneNode(other));
}

TEST_CASE("CPU workers of a machine with one NUMA node start without hwloc") {
  if (!machineIsOneNode()) {
    MESSAGE("[skipped] the kernel does not say that this machine is one NUMA node");
    return;
  }
  CHECK(availableCores() >= 1);
  CpuArena arena(2);
  arena.run([](std::size_t) {});
  std::ifstream file("/proc/self/maps");
  const std::string loaded(std::istreambuf_iterator<char>(file), {});
  REQUIRE(test::contains(loaded, "libc"));
  CHECK_FALSE(test::contains(loaded, "hwloc"));
}
