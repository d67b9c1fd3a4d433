// See request_check.hpp.
#include "runtime/three_in_line/request_check.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "runtime/three_in_line/solution_files.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/steps/symmetry.hpp"

namespace slicepool::three_in_line {
namespace {

struct GroupName {
  Group group;
  const char* name;
  const char* description;
};
constexpr std::array<GroupName, 8> kGroups = {{
    {Group::none, "none", ""},
    {Group::c2, "c2", "with a half turn"},
    {Group::c4, "c4", "with quarter turns"},
    {Group::diagonal, "diagonal", "with a diagonal mirror"},
    {Group::orthogonal, "orthogonal", "with an orthogonal mirror"},
    {Group::diagonals, "diagonals", "with both diagonal mirrors"},
    {Group::orthogonals, "orthogonals", "with both orthogonal mirrors"},
    {Group::full, "full", "with all symmetries"},
}};

constexpr std::array<std::pair<Algorithm, const char*>, 3> kAlgorithms = {
    {{Algorithm::automatic, "auto"}, {Algorithm::table, "table"}, {Algorithm::posts, "posts"}}};

const GroupName& entryOf(Group group) {
  for (const auto& entry : kGroups)
    if (entry.group == group) return entry;
  return kGroups.front();
}

void checkShards(const Request& request) {
  if (request.shards < 1 || request.shards > kMaximumShards)
    throw ConfigError("shards", std::to_string(request.shards), fmt::format("1 to {}", kMaximumShards));
  if (request.shard >= request.shards) {
    throw ConfigError("shard", fmt::format("{} of {} shards", request.shard, request.shards),
                      fmt::format("0 to {}", request.shards - 1));
  }
  if (request.shards == 1) return;
  if (request.first != 0) {
    throw ConfigError("first", fmt::format("{} with {} shards", request.first, request.shards),
                      "first only without shards");
  }
  if (!request.outputPath.empty()) {
    throw ConfigError(
        "output.path", fmt::format("\"{}\" with {} shards", request.outputPath, request.shards),
        "no output of a shard: keep its solutions in the record (solutions), then slicepool merge "
        "writes the output of all");
  }
}

}  // namespace

void checkSize(int size, Group group) {
  if (size < 1 || size > kMaximumSize)
    throw ConfigError("size", std::to_string(size), fmt::format("an integer from 1 to {}", kMaximumSize));
  const unsigned images = imagesOf(group);
  const bool turns = (images & (1U << 5)) != 0;
  const bool reflects = (images & (1U << 1 | 1U << 2)) != 0;
  if (size % 2 != 0 && (turns || reflects)) {
    // The central row and column would need a second point each, at the centre or at its own image.
    throw ConfigError("size", std::to_string(size), "even sizes, for this symmetry");
  }
}

void checkRequest(const Request& request, const EngineOptions& /*options*/) {
  checkSize(request.size, request.group);
  checkShards(request);
  (void)solutionFormat(request.outputPath);
  if (request.first != 0 && !request.recordPath.empty()) {
    throw ConfigError("record", "\"" + request.recordPath + "\" with first",
                      "a record only of a search that goes to its end");
  }
}

bool collects(const Request& request) {
  return request.solutions || request.first != 0 || !request.outputPath.empty();
}

std::string canonicalText(const Request& request) {
  return fmt::format("n={} symmetry={} algorithm={} first={} solutions={} shard={}/{} rules={}", request.size,
                     groupName(request.group), algorithmName(request.algorithm), request.first,
                     collects(request) ? 1 : 0, request.shard, request.shards, kSearchRules);
}

std::string groupName(Group group) { return entryOf(group).name; }

std::string groupDescription(Group group) { return entryOf(group).description; }

Group parseGroup(const std::string& text) {
  for (const auto& entry : kGroups)
    if (text == entry.name) return entry.group;
  throw ConfigError("symmetry", "\"" + text + "\"",
                    "none, c2, c4, diagonal, orthogonal, diagonals, orthogonals or full");
}

std::string algorithmName(Algorithm algorithm) {
  for (const auto& [value, name] : kAlgorithms)
    if (value == algorithm) return name;
  return "auto";
}

Algorithm parseAlgorithm(const std::string& text) {
  for (const auto& [value, name] : kAlgorithms)
    if (text == name) return value;
  throw ConfigError("algorithm", "\"" + text + "\"", "auto, table or posts");
}

std::string defaultRecordPath(const Request& request) {
  const std::string symmetry = request.group == Group::none ? "" : "-" + groupName(request.group);
  return fmt::format("three-in-line-{}{}-shard-{}-of-{}.json", request.size, symmetry, request.shard,
                     request.shards);
}

}  // namespace slicepool::three_in_line
