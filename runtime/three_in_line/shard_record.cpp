// See shard_record.hpp.
#include "runtime/three_in_line/shard_record.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "runtime/core/fingerprint_text.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/io/json_text.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/sealed_json.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/three_in_line/points.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "runtime/three_in_line/solution_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/sinks.hpp"

namespace slicepool::three_in_line {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "slicepool-three-in-line";
constexpr std::uint64_t kVersion = 2;
constexpr std::uint64_t kOldVersion = 1;  ///< without a hash
/// No part of a search has more: products with the size of an orbit stay exact.
constexpr std::uint64_t kMaximumSolutions = std::uint64_t{1} << 60;
constexpr const char* kAccepted =
    "a plan, or records as slicepool three-in-line wrote them (format slicepool-three-in-line, version 2)";

std::vector<Configuration> solutionsFromJson(const Json& list, int size) {
  if (!list.is_array()) throw Error("solutions is not a list");
  const auto coordinate = [&](const Json& value) {
    const bool fits =
        value.is_number_unsigned() && value.get<std::uint64_t>() < static_cast<std::uint64_t>(size);
    if (!fits) throw Error("solutions has a point outside of the board: " + value.dump());
    return value.get<int>();
  };
  std::vector<Configuration> solutions;
  for (const auto& item : list) {
    if (!item.is_array()) throw Error("solutions has something that is no list of points");
    Points points;
    for (const auto& point : item) {
      if (!point.is_array() || point.size() != 2) throw Error("solutions has something that is no point");
      points.push_back({coordinate(point[0]), coordinate(point[1])});
    }
    if (!std::is_sorted(points.begin(), points.end()) ||
        std::adjacent_find(points.begin(), points.end()) != points.end())
      throw Error("solutions has points that are not in order");
    solutions.push_back(configurationOf(points));
  }
  return solutions;
}

Json findingsToJson(const Findings& findings) {
  Json classes = Json::object();
  for (std::size_t i = 0; i < kClasses.size(); ++i)
    classes[kClasses.at(i).name] = exactNumber(findings.classes.at(i));
  return {{"count", exactNumber(findings.count)},
          {"total", exactNumber(findings.total)},
          {"classes", std::move(classes)},
          {"nodes", exactNumber(findings.nodes)},
          {"fingerprint", fingerprintText(findings.fingerprint)}};
}

Findings findingsFromJson(const Json& json) {
  StrictObject object(json, "found");
  Findings findings;
  findings.count = object.count("count");
  findings.total = object.count("total");
  StrictObject classes(object.member("classes"), "found.classes");
  for (std::size_t i = 0; i < kClasses.size(); ++i)
    findings.classes.at(i) = classes.count(kClasses.at(i).name);
  classes.done();
  findings.nodes = object.count("nodes");
  findings.fingerprint = fingerprintFromText(object.text("fingerprint"));
  object.done();
  return findings;
}

ShardRecord recordFromJson(const Json& json) {
  StrictObject object(json);
  object.requireFormat(kFormat, kVersion);
  ShardRecord record;
  record.rules = static_cast<int>(object.count("rules", 1, 1'000'000));
  record.size = static_cast<int>(object.count("n", 1, kMaximumSize));
  record.group = parseGroup(object.text("symmetry"));
  record.algorithm = parseAlgorithm(object.text("algorithm"));
  record.shards = static_cast<std::uint32_t>(object.count("shards", 1, kMaximumShards));
  record.shard = static_cast<std::uint32_t>(object.count("shard", 0, record.shards - 1));
  record.boards = object.count("boards");
  record.findings = findingsFromJson(object.member("found"));
  record.seconds = object.number("seconds");
  record.hasSolutions = object.has("solutions");
  if (record.hasSolutions) record.solutions = solutionsFromJson(object.member("solutions"), record.size);
  object.done();
  return record;
}

ShardRecord recordFromText(const std::string& text) {
  if (isSealed(text)) return recordFromJson(openSealed(text));
  const Json json = parseJsonText(text, "content", Fractions::nearest);
  if (json.is_object() && json.contains("format") && json["format"] == kFormat && json.contains("version") &&
      json["version"] == kOldVersion)
    throw Error("its version is 1, which has no hash, so that changes cannot be seen; run the shard again");
  const bool other = !json.is_object() || !json.contains("format") || json["format"] != kFormat;
  throw Error(other ? "it is no record of a three-in-line search"
                    : "it does not end with the hash of its content (changed, cut off or damaged)");
}

/// What is wrong with a record by itself; empty: nothing.
std::string contradictionOf(const ShardRecord& record) {
  const Findings& found = record.findings;
  // Each is part of the total, which therefore bounds what sums can be.
  const auto beyond = [&](std::uint64_t number) { return number > found.total; };
  if (std::any_of(found.classes.begin(), found.classes.end(), beyond) || found.total > kMaximumSolutions ||
      countOf(found.classes) != found.count || totalOf(found.classes) != found.total)
    return "its classes do not add up to its count and total";
  if (!record.hasSolutions) return {};
  if (std::string problem = problemOf(record.solutions, record.size); !problem.empty()) return problem;
  const bool same = classCountsOf(record.solutions, record.size) == found.classes &&
                    fingerprintOf(record.solutions) == found.fingerprint;
  return same ? "" : "its solutions are not those that it counted";
}

std::string searchText(const ShardRecord& record) {
  return fmt::format("n = {}, symmetry {}, {} shards, search rules {}", record.size, groupName(record.group),
                     record.shards, record.rules);
}

std::vector<std::uint64_t> missingShards(const std::map<std::uint32_t, std::string>& present,
                                         std::uint32_t shards) {
  std::vector<std::uint64_t> missing;
  for (std::uint32_t shard = 0; shard < shards; ++shard)
    if (present.count(shard) == 0) missing.push_back(shard);
  return missing;
}

/// `path` of the record that `part` is of. Throws ConfigError for a sum beyond 64 bits.
void add(std::uint64_t& sum, std::uint64_t part, const char* what, const std::string& path) {
  if (!__builtin_add_overflow(sum, part, &sum)) return;
  throw ConfigError(path, fmt::format("{} of {}, beyond 64 bits with those of the other shards", what, part),
                    "numbers whose sum is below 2^64");
}

void addTo(ShardRecord& sum, ShardRecord& part, const std::string& path) {
  add(sum.findings.count, part.findings.count, "a count", path);
  add(sum.findings.total, part.findings.total, "a total", path);
  add(sum.findings.nodes, part.findings.nodes, "nodes", path);
  for (std::size_t i = 0; i < sum.findings.classes.size(); ++i)
    add(sum.findings.classes.at(i), part.findings.classes.at(i), "a class", path);
  sum.findings.fingerprint.sum += part.findings.fingerprint.sum;
  sum.findings.fingerprint.exclusiveOr ^= part.findings.fingerprint.exclusiveOr;
  sum.seconds += part.seconds;
  add(sum.boards, part.boards, "boards", path);
  sum.hasSolutions = sum.hasSolutions && part.hasSolutions;
  sum.solutions.insert(sum.solutions.end(), part.solutions.begin(), part.solutions.end());
  if (sum.algorithm != part.algorithm) sum.algorithm = Algorithm::automatic;
}

}  // namespace

nlohmann::ordered_json solutionsToJson(const std::vector<Configuration>& solutions, int size) {
  Json list = Json::array();
  for (const auto& solution : solutions) {
    Json points = Json::array();
    for (const Point point : pointsOf(solution, size)) points.push_back(Json::array({point.x, point.y}));
    list.push_back(std::move(points));
  }
  return list;
}

Fingerprint fingerprintOf(const std::vector<Configuration>& solutions) {
  Fingerprint fingerprint;
  for (const auto& solution : solutions) {
    const std::uint64_t hash = solutionHash(solution);
    fingerprint.sum += hash;
    fingerprint.exclusiveOr ^= hash;
  }
  return fingerprint;
}

void writeShardRecord(const std::string& path, const ShardRecord& record) {
  Json json = {{"format", kFormat},
               {"version", kVersion},
               {"rules", record.rules},
               {"n", record.size},
               {"symmetry", groupName(record.group)},
               {"algorithm", algorithmName(record.algorithm)},
               {"shards", record.shards},
               {"shard", record.shard},
               {"boards", exactNumber(record.boards)},
               {"found", findingsToJson(record.findings)},
               {"seconds", record.seconds}};
  std::string text = json.dump(1);
  if (record.hasSolutions) {
    text.resize(text.size() - 2);  // without "\n}", so that each solution gets a line and not each number
    text += ",\n \"solutions\": [";
    bool first = true;
    for (const auto& solution : solutionsToJson(record.solutions, record.size)) {
      text += (first ? "\n  " : ",\n  ") + solution.dump();
      first = false;
    }
    text += "]\n}";
  }
  writeTextOrThrow("record", path, sealJson(text));
}

ShardRecord readShardRecord(const std::string& path) {
  std::string text;
  try {
    text = readRegularFile(path);
  } catch (const Error& error) {
    throw ConfigError(path, std::string("a file that ") + error.what(), kAccepted);
  }
  ShardRecord record;
  try {
    record = recordFromText(text);
  } catch (const Error& error) {
    throw ConfigError(path, std::string("no record: ") + error.what(), kAccepted);
  }
  if (const std::string wrong = contradictionOf(record); !wrong.empty())
    throw ConfigError(path, "a record that contradicts itself: " + wrong, kAccepted);
  return record;
}

ShardRecord mergeShardRecords(const std::vector<std::string>& paths) {
  if (paths.empty()) throw ConfigError("merge", "no files", "the records of all shards of a search");
  ShardRecord sum = readShardRecord(paths.front());
  const std::string search = searchText(sum);
  std::map<std::uint32_t, std::string> present{{sum.shard, paths.front()}};
  for (std::size_t i = 1; i < paths.size(); ++i) {
    ShardRecord part = readShardRecord(paths[i]);
    if (searchText(part) != search) {
      throw ConfigError(paths[i], "a shard of another search: " + searchText(part),
                        fmt::format("shards of one search; {} is of {}", paths.front(), search));
    }
    const auto [entry, isNew] = present.try_emplace(part.shard, paths[i]);
    if (!isNew) {
      throw ConfigError(paths[i], fmt::format("shard {} a second time", part.shard),
                        fmt::format("every shard once; {} is the same", entry->second));
    }
    addTo(sum, part, paths[i]);
  }
  if (const auto missing = missingShards(present, sum.shards); !missing.empty()) {
    throw ConfigError("merge", fmt::format("{} of {} shards", present.size(), sum.shards),
                      "all of them; missing: " + numberList(missing));
  }
  if (!sum.hasSolutions) sum.solutions.clear();
  sortSolutions(sum.solutions, sum.size);
  // Two shards that found images of one another would each be right by itself.
  if (const std::string wrong = problemOf(sum.solutions, sum.size); !wrong.empty())
    throw ConfigError("merge", "shards that contradict one another: " + wrong, kAccepted);
  sum.shards = 1;
  sum.shard = 0;
  return sum;
}

}  // namespace slicepool::three_in_line
