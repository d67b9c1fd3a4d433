// See environment.hpp.
#include "runtime/cluster/environment.hpp"

#include <array>
#include <charconv>
#include <cstring>

namespace slicepool::cluster {
namespace {

/// An array first: a task of it may have been started by an MPI, as its only rank.
constexpr std::array<const char*, 3> kVariables = {"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX",
                                                   "OMPI_COMM_WORLD_RANK"};
constexpr std::array<const char*, 4> kSizes = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                               "SLURM_STEP_NUM_TASKS"};

}  // namespace

std::optional<EnvironmentShard> shardOfEnvironment(const std::function<const char*(const char*)>& get) {
  for (const char* variable : kVariables) {
    const char* value = get(variable);
    if (value != nullptr && *value != '\0') return EnvironmentShard{variable, value};
  }
  return std::nullopt;
}

std::string environmentNames() {
  std::string text;
  for (std::size_t i = 0; i < kVariables.size(); ++i)
    text += (i == 0 ? "" : i + 1 == kVariables.size() ? " or " : ", ") + std::string(kVariables.at(i));
  return text;
}

std::optional<EnvironmentRanks> ranksOfEnvironment(const std::function<const char*(const char*)>& get) {
  for (const char* variable : kSizes) {
    const char* const value = get(variable);
    if (value == nullptr) continue;
    const char* const end = value + std::strlen(value);
    int ranks = 0;
    const auto [last, error] = std::from_chars(value, end, ranks);
    if (error == std::errc{} && last == end) return EnvironmentRanks{variable, ranks};
  }
  return std::nullopt;
}

}  // namespace slicepool::cluster
