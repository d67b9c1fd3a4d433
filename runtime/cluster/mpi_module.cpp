// See mpi_module.hpp.
#include "runtime/cluster/mpi_module.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "runtime/cluster/environment.hpp"
#include "slicepool/build_info.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cluster {
namespace {

constexpr const char* kMpiAccepted =
    "a slicepool that was built where CMake found an MPI, and that MPI's library; docs/cluster.md";

std::vector<std::string> candidates() {
  if (const char* named = std::getenv("SLICEPOOL_MPI_MODULE"); named != nullptr && *named != '\0')
    return {named};
  std::vector<std::string> paths;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error)
    paths.push_back((program.parent_path().parent_path() / "lib" / "slicepool" / kMpiModule).string());
  paths.emplace_back(kMpiModule);
  return paths;
}

/// Under the launcher of another MPI every process is the only rank: each of them would make the whole
/// search.
void requireLauncherOf(const Transport& ranks, const std::string& module) {
  const auto started = ranksOfEnvironment([](const char* name) { return std::getenv(name); });
  if (ranks.ranks() > 1 || !started || started->ranks <= 1) return;
  throw ConfigError("--cluster",
                    fmt::format("mpi, but {} ranks were started ({}) and the MPI of {} sees one",
                                started->ranks, started->variable, module),
                    "the mpirun of the MPI that slicepool was built with; srun needs --mpi=pmix for Open MPI "
                    "and --mpi=pmi2 for MPICH; docs/cluster.md");
}

}  // namespace

std::shared_ptr<Transport> openMpi() {
  std::string tried;
  for (const std::string& path : candidates()) {
    // An MPI opens further libraries, which look for its names.
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) {
      tried += (tried.empty() ? "" : "; ") + std::string(dlerror());
      continue;
    }
    const auto open = reinterpret_cast<OpenMpi>(dlsym(module, kOpenMpiSymbol));
    std::string error = "it is no such module";
    Transport* const transport = open == nullptr ? nullptr : open(build::kVersion, &error);
    if (transport == nullptr)
      throw ConfigError("--cluster", fmt::format("mpi, and {}: {}", path, error), kMpiAccepted);
    std::shared_ptr<Transport> ranks(transport);
    requireLauncherOf(*ranks, path);
    return ranks;
  }
  throw ConfigError("--cluster", "mpi, but no module for it was found (" + tried + ")", kMpiAccepted);
}

std::string foundMpiModule() {
  std::error_code error;
  for (const std::string& path : candidates())
    if (path.find('/') != std::string::npos && std::filesystem::exists(path, error)) return path;
  return {};
}

}  // namespace slicepool::cluster
