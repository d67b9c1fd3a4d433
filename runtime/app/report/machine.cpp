// See machine.hpp.
#include "runtime/app/report/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/chrono.h>

#include "slicepool/build_info.hpp"

namespace slicepool::report {
namespace {

std::string cpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown";
}

config::Json gpuRecords() {
  config::Json list = config::Json::array();
  for (const auto& gpu : knownGpus().gpus) {
    list.push_back({{"index", shownGpu(gpu.index)},
                    {"name", gpu.name},
                    {"compute_capability", fmt::format("{}.{}", gpu.computeMajor, gpu.computeMinor)},
                    {"multiprocessors", gpu.multiprocessors},
                    {"memory_bytes", gpu.totalBytes},
                    {"driver", gpu.driver}});
  }
  return list;
}

}  // namespace

int usableCores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
  return static_cast<int>(std::thread::hardware_concurrency());
}

config::Json machineRecord(bool askGpus) {
  utsname system{};
  const bool known = uname(&system) == 0;
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const auto pageBytes = static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  config::Json machine = {
      {"cpu", cpuModel()},
      {"cores", usableCores()},
      {"memory_bytes", pages * pageBytes},
      {"system", known ? fmt::format("{} {}", system.sysname, system.release) : "unknown"}};
  machine["gpus"] = askGpus ? gpuRecords() : config::Json(nullptr);
  return machine;
}

config::Json buildRecord() {
  config::Json options = config::Json::array({build::kArena});
  if (*build::kSanitizers != '\0') options.push_back(std::string("sanitizers ") + build::kSanitizers);
  const bool cuda = *build::kCudaCompiler != '\0';
  return {{"version", build::kVersion},
          {"compiler", build::kCompiler},
          {"type", build::kBuildType},
          {"cuda", cuda ? config::Json(build::kCudaCompiler) : config::Json(nullptr)},
          {"cuda_architectures", cuda ? config::Json(build::kCudaArchitectures) : config::Json(nullptr)},
          {"fplll", std::string(build::kFplll) == "ON"},
          {"zstd", std::string(build::kZstd) == "ON"},
          {"options", std::move(options)}};
}

std::string utcNow() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

}  // namespace slicepool::report
