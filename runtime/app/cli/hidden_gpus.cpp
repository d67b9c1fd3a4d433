// See hidden_gpus.hpp.
#include "runtime/app/cli/hidden_gpus.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "runtime/cluster/placement.hpp"
#include "slicepool/core/devices.hpp"

namespace slicepool::cli {
namespace {

constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";

/// GPUs that a job system has not taken from this process, by their nodes.
std::size_t openGpus() {
  std::size_t count = 0;
  while (access(("/dev/nvidia" + std::to_string(count)).c_str(), R_OK | W_OK) == 0) ++count;
  return count;
}

}  // namespace

void hideOtherGpus(EngineOptions& options, std::size_t machine) {
  const bool mayUseGpu =
      options.mode == Mode::gpu || options.mode == Mode::hybrid || options.mode == Mode::automatic;
  if (!mayUseGpu || options.devices != 1) return;
  if (onlyGpu() == options.device.deviceIndex) {  // an earlier shard has hidden the others
    options.device.deviceIndex = 0;
    return;
  }
  if (driverWasAsked() || !gpusAreLikely()) return;
  const auto own = cluster::gpuAlone(std::getenv(kVariable), machine, options.device.deviceIndex);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the threads of slicepool start with the run, later
  if (!own || setenv(kVariable, own->c_str(), 1) != 0) return;
  showOnlyGpu(options.device.deviceIndex);
  options.device.deviceIndex = 0;
}

void hideOtherGpus(EngineOptions& options) { hideOtherGpus(options, openGpus()); }

}  // namespace slicepool::cli
