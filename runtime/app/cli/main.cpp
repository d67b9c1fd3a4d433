// The main function of the `slicepool` command, see command_main.hpp.
#include <cstdio>
#include <cstdlib>

#include "runtime/app/cli/command_main.hpp"
#include "slicepool/core/devices.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

/// Memory that is freed stays with the process up to these bytes: the runs of a sweep need as much again, and
/// pages that are touched for the first time took a quarter of the making of 2000 first slices.
void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kKept = 64 << 20;
  constexpr int kOwnMapping = 32 << 20;  // larger blocks go back at once
  (void)mallopt(M_TRIM_THRESHOLD, kKept);
  (void)mallopt(M_MMAP_THRESHOLD, kOwnMapping);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keepFreedMemory();
  const int code = slicepool::cli::commandMain(argc, argv);
  // All is written: the process need not wait for a driver that is still starting or takes long to leave.
  if (slicepool::gpusAreStarting() || slicepool::startedGpus() != nullptr) {
    (void)std::fflush(nullptr);
    std::_Exit(code);
  }
  return code;
}
