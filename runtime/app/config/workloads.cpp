// See workloads.hpp.
#include "runtime/app/config/workloads.hpp"

#include "runtime/app/config/suggest.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> kWorkloads = {factorizationsWorkload(), threeInLineWorkload(),
                                                   latticeWorkload(), semigroupWorkload()};
  return kWorkloads;
}

std::vector<std::string> workloadNames() {
  std::vector<std::string> names;
  for (const auto& workload : workloads()) names.push_back(workload.name);
  return names;
}

const Workload& requireWorkload(const Json& document) {
  const auto names = workloadNames();
  if (!document.is_object() || !document.contains("workload"))
    throw ConfigError("workload", "nothing", joinWords(names));
  const Json& value = document["workload"];
  for (const auto& workload : workloads())
    if (value == Json(workload.name)) return workload;
  if (value.is_array()) {
    throw ConfigError("workload", describeValue(value),
                      "one workload, because its parameters are its own; another one is a file of its own: " +
                          joinWords(names));
  }
  const std::string nearest =
      value.is_string() ? nearestWord(value.get<std::string>(), names) : names.front();
  throw ConfigError("workload", describeValue(value), joinWords(names) + " (nearest: " + nearest + ")");
}

}  // namespace slicepool::config
