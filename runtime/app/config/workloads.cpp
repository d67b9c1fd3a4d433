// See workloads.hpp.
#include "runtime/app/config/workloads.hpp"

#include <algorithm>

#include "runtime/app/config/suggest.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {

const std::vector<Front>& workloads() {
  static const std::vector<Front> kFronts = [] {
    std::vector<Front> fronts = foundFronts();
    std::sort(fronts.begin(), fronts.end(), [](const Front& a, const Front& b) { return a.name < b.name; });
    return fronts;
  }();
  return kFronts;
}

std::vector<std::string> workloadNames() {
  std::vector<std::string> names;
  for (const auto& workload : workloads()) names.push_back(workload.name);
  return names;
}

const Front& requireWorkload(const Json& document) {
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

std::vector<ExtraTime> extraTimes() {
  std::vector<ExtraTime> all;
  for (const Front& front : workloads()) {
    for (const ExtraTime& time : front.times) {
      const auto same = [&](const ExtraTime& other) { return other.member == time.member; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(time);
    }
  }
  return all;
}

}  // namespace slicepool::config
