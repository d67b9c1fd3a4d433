// See placement.hpp.
#include "runtime/cluster/placement.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

namespace slicepool::cluster {

std::vector<std::string> gpusOfMachine(const char* visible) {
  std::vector<std::string> gpus;
  if (visible != nullptr) {
    const std::string text = visible;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      gpus.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return gpus;
  }
  std::error_code error;
  while (std::filesystem::exists("/dev/nvidia" + std::to_string(gpus.size()), error))
    gpus.push_back(std::to_string(gpus.size()));
  return gpus;
}

std::string gpusOfRank(const std::vector<std::string>& gpus, int count, int place) {
  if (gpus.empty()) return {};
  const auto ranks = static_cast<std::size_t>(count);
  const auto own = static_cast<std::size_t>(place);
  if (gpus.size() < ranks) return gpus[own % gpus.size()];
  std::string text;
  for (std::size_t i = own * gpus.size() / ranks; i < (own + 1) * gpus.size() / ranks; ++i)
    text += (text.empty() ? "" : ",") + gpus[i];
  return text;
}

namespace {

/// Whether the driver takes an entry of the list for a GPU: the first one that is none ends the list.
bool isGpu(const std::string& entry, std::size_t machine) {
  if (entry.starts_with("GPU-") || entry.starts_with("MIG-")) return true;
  constexpr std::size_t kDigits = 4;
  const bool number =
      !entry.empty() && entry.size() <= kDigits && entry.find_first_not_of("0123456789") == std::string::npos;
  return number && std::stoul(entry) < machine;
}

}  // namespace

std::optional<std::string> gpuAlone(const char* visible, std::size_t machine, int index) {
  std::vector<std::string> gpus;
  if (visible != nullptr)
    gpus = gpusOfMachine(visible);
  else
    for (std::size_t i = 0; i < machine; ++i) gpus.push_back(std::to_string(i));
  if (gpus.size() < 2 || index < 0 || static_cast<std::size_t>(index) >= gpus.size()) return std::nullopt;
  for (auto gpu = gpus.begin(); gpu != gpus.end(); ++gpu) {
    if (!isGpu(*gpu, machine)) return std::nullopt;
    if (std::find(gpus.begin(), gpu, *gpu) != gpu) return std::nullopt;  // then the driver sees none
  }
  return gpus[static_cast<std::size_t>(index)];
}

}  // namespace slicepool::cluster
