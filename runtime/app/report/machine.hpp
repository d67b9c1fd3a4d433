// The machine and the build, as every record describes them. Called by `slicepool info`, runs and sweeps.
#pragma once

#include "runtime/app/config/json.hpp"
#include "slicepool/core/devices.hpp"

namespace slicepool::report {

/// CPU model, cores that this process may use, memory in bytes, and GPUs.
/// `askGpus` false leaves "gpus" null: starting the driver takes a few hundred ms, which a CPU run need not
/// pay.
[[nodiscard]] config::Json machineRecord(bool askGpus);
/// Version, compiler, CUDA compiler and options of this build.
[[nodiscard]] config::Json buildRecord();
/// Logical CPUs in the affinity mask of this process.
[[nodiscard]] int usableCores();
/// Present time, ISO 8601 in UTC with seconds: 2026-01-31T12:00:00Z.
[[nodiscard]] std::string utcNow();

}  // namespace slicepool::report
