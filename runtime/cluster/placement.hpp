// Which GPUs of a machine belong to which of the ranks on it. Asks no driver: what a process may see has to
// be said before one starts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace slicepool::cluster {

/// The GPUs as CUDA_VISIBLE_DEVICES has them (`visible`), else (null) by the device nodes of the driver.
[[nodiscard]] std::vector<std::string> gpusOfMachine(const char* visible);

/// Those of rank `place` of `count` on a machine, joined by commas: a block of neighbours, or one that ranks
/// share where there are more ranks than GPUs. Empty: there is none.
[[nodiscard]] std::string gpusOfRank(const std::vector<std::string>& gpus, int count, int place);

/// What CUDA_VISIBLE_DEVICES has to be for the driver to see GPU `index` alone, counted as it counts now,
/// with the variable at `visible` and `machine` GPUs that the process may open. Nothing: there is no other
/// one, or it is not certain that the driver sees this one.
[[nodiscard]] std::optional<std::string> gpuAlone(const char* visible, std::size_t machine, int index);

}  // namespace slicepool::cluster
