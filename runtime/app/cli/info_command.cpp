// `slicepool info`: version, CPU, GPUs, build options, workloads.
#include <map>

#include <fmt/format.h>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/app/report/record.hpp"
#include "runtime/cluster/mpi_module.hpp"
#include "slicepool/core/devices.hpp"

namespace slicepool::cli {
namespace {

using config::Json;

Json infoRecord() {
  Json record = {{"version", report::buildRecord()["version"]}};
  record["machine"] = report::machineRecord(true);
  record["arena"] = report::buildRecord()["options"][0];
  const GpuList gpus = listGpus();
  record["gpu_reason"] = gpus.gpus.empty() ? Json(gpus.whyNone) : Json(nullptr);
  record["build"] = report::buildRecord();
  const std::string mpi = cluster::foundMpiModule();
  record["mpi"] = mpi.empty() ? Json(nullptr) : Json(mpi);
  record["workloads"] = config::workloadNames();
  return record;
}

std::string infoText(const Json& record) {
  const Json& machine = record["machine"];
  const Json& build = record["build"];
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::string out = fmt::format("slicepool {}\n", text(record["version"]));
  out += fmt::format("CPU        {}, {} usable cores, {}\n", text(machine["cpu"]), machine["cores"].dump(),
                     report::shortBytes(machine["memory_bytes"].get<double>()));
  out += fmt::format("arena      {}\n", text(record["arena"]));
  for (const auto& gpu : machine["gpus"]) {
    out += fmt::format("GPU {}      {}, compute capability {}, {} multiprocessors, {}, {}\n",
                       gpu["index"].dump(), text(gpu["name"]), text(gpu["compute_capability"]),
                       gpu["multiprocessors"].dump(), report::shortBytes(gpu["memory_bytes"].get<double>()),
                       text(gpu["driver"]));
  }
  if (machine["gpus"].empty()) out += fmt::format("GPU        none: {}\n", text(record["gpu_reason"]));
  out += fmt::format("build      {}, {}, {}\n", text(build["compiler"]), text(build["type"]),
                     build["cuda"].is_null()
                         ? "without CUDA"
                         : text(build["cuda"]) + ", architectures " + text(build["cuda_architectures"]));
  out += fmt::format("CUDA       {} (modes gpu and hybrid)\n", build["cuda"].is_null() ? "no" : "yes");
  std::map<std::string, std::string> uses;
  for (const auto& workload : config::workloads())
    for (const auto& [library, use] : workload.libraries)
      uses[library] += (uses[library].empty() ? "" : "; ") + use;
  for (const auto& [library, use] : uses)
    out += fmt::format("{:<10} {} ({})\n", library, build[library].get<bool>() ? "yes" : "no", use);
  out += fmt::format("MPI        {}\n", record["mpi"].is_null()
                                            ? "no (--cluster mpi needs its module)"
                                            : "yes (--cluster mpi, " + text(record["mpi"]) + ")");
  for (const auto& workload : config::workloads())
    out += fmt::format("workload   {}: {}\n", workload.name, workload.summary);
  return out;
}

}  // namespace

Action addInfoCommand(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print one JSON object");
  return [json] {
    const Json record = infoRecord();
    writeOut(*json ? record.dump() + "\n" : infoText(record));
    return static_cast<int>(kDone);
  };
}

}  // namespace slicepool::cli
