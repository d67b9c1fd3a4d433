// See shard_results.hpp.
#include "runtime/app/report/shard_results.hpp"

#include <algorithm>
#include <filesystem>

#include "runtime/io/exact_json.hpp"
#include "runtime/io/regular_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::report {
namespace {

using config::Json;

std::string digestOf(const config::ShardRule& rule, const std::string& path) {
  try {
    return rule.digest ? rule.digest(path) : hashOfFile(RegularFile(path));
  } catch (const Error& error) {
    return std::string("none: it ") + error.what();
  }
}

std::string digestIn(const ShardResults& results, const std::string& name) {
  const auto same = [&](const auto& output) { return output.first == name; };
  const auto found = std::find_if(results.outputs.begin(), results.outputs.end(), same);
  return found == results.outputs.end() ? "none" : found->second;
}

Json memberIn(const ShardResults& results, const std::string& name) {
  return results.found.contains(name) ? results.found[name] : Json();
}

}  // namespace

ShardResults resultsOf(const config::ShardRule& rule, const Json& record,
                       const std::vector<std::string>& paths) {
  ShardResults results;
  // Records in files were read once. What is compared must have the same types here.
  const Json read = keptNumbersAsStrings(config::parseJson(record.dump(), "record"));
  for (const auto& member : rule.results)
    if (read.contains(member)) results.found[member] = read[member];
  for (const auto& path : paths)
    results.outputs.emplace_back(std::filesystem::path(path).filename().string(), digestOf(rule, path));
  return results;
}

std::vector<Difference> differencesOf(const ShardResults& expected, const ShardResults& found) {
  std::vector<Difference> differences;
  const auto compare = [&](const std::string& what, const Json& here, const Json& there) {
    if (here != there) differences.push_back({what, here, there});
  };
  for (const auto& [member, value] : expected.found.items()) compare(member, value, memberIn(found, member));
  for (const auto& [member, value] : found.found.items())
    if (!expected.found.contains(member)) compare(member, Json(), value);
  for (const auto& [name, digest] : expected.outputs) compare(name, digest, digestIn(found, name));
  for (const auto& [name, digest] : found.outputs)
    if (digestIn(expected, name) == "none") compare(name, Json(), digest);
  return differences;
}

}  // namespace slicepool::report
