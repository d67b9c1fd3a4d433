// The main function of the `slicepool` command, see command_main.hpp.
#include <cstdio>
#include <cstdlib>

#include "runtime/app/cli/command_main.hpp"
#include "slicepool/core/devices.hpp"

int main(int argc, char** argv) {
  const int code = slicepool::cli::commandMain(argc, argv);
  // All is written: the process need not wait for a driver that is still starting or takes long to leave.
  if (slicepool::gpusAreStarting() || slicepool::startedGpus() != nullptr) {
    (void)std::fflush(nullptr);
    std::_Exit(code);
  }
  return code;
}
