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

}  // namespace slicepool::cluster
