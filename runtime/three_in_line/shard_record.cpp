// See shard_record.hpp.
#include "runtime/three_in_line/shard_record.hpp"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "runtime/core/durable_file.hpp"
#include "runtime/core/exact_json.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/three_in_line/points.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "runtime/three_in_line/solution_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/sinks.hpp"

namespace slicepool::three_in_line {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "slicepool-three-in-line";
constexpr int kVersion = 1;
constexpr const char* kAccepted =
    "records that slicepool three-in-line wrote (format slicepool-three-in-line, version 1)";

std::vector<Configuration> solutionsFromJson(const Json& list) {
  std::vector<Configuration> solutions;
  for (const auto& item : list) {
    Points points;
    for (const auto& point : item) points.push_back({point.at(0).get<int>(), point.at(1).get<int>()});
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
  Findings findings;
  findings.count = countFromJson(json.at("count"));
  findings.total = countFromJson(json.at("total"));
  for (std::size_t i = 0; i < kClasses.size(); ++i)
    findings.classes.at(i) = countFromJson(json.at("classes").at(kClasses.at(i).name));
  findings.nodes = countFromJson(json.at("nodes"));
  findings.fingerprint = fingerprintFromText(json.at("fingerprint"));
  return findings;
}

ShardRecord recordFromJson(const Json& json) {
  if (json.at("format") != kFormat || json.at("version") != kVersion) throw Error("another format");
  ShardRecord record;
  record.rules = json.at("rules");
  record.size = json.at("n");
  record.group = parseGroup(json.at("symmetry"));
  record.algorithm = parseAlgorithm(json.at("algorithm"));
  record.shards = json.at("shards");
  record.shard = json.at("shard");
  record.boards = countFromJson(json.at("boards"));
  record.findings = findingsFromJson(json.at("found"));
  record.seconds = json.at("seconds");
  record.hasSolutions = json.contains("solutions");
  if (record.hasSolutions) record.solutions = solutionsFromJson(json["solutions"]);
  return record;
}

/// What is wrong with a record by itself; empty: nothing.
std::string contradictionOf(const ShardRecord& record) {
  if (record.size < 1 || record.size > kMostSize) return fmt::format("n is {}", record.size);
  if (record.shards < 1 || record.shards > kMostShards || record.shard >= record.shards)
    return fmt::format("it is shard {} of {}", record.shard, record.shards);
  const Findings& found = record.findings;
  if (countOf(found.classes) != found.count || totalOf(found.classes) != found.total)
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

/// "5", "5 and 7", "5, 7, 9 and 12 others".
std::string shardList(const std::vector<std::uint32_t>& shards) {
  constexpr std::size_t kNamed = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(shards.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shards[i]);
  return shards.size() <= kNamed ? text : text + fmt::format(" and {} others", shards.size() - kNamed);
}

std::vector<std::uint32_t> missingShards(const std::map<std::uint32_t, std::string>& present,
                                         std::uint32_t shards) {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t shard = 0; shard < shards; ++shard) {
    if (present.count(shard) == 0) missing.push_back(shard);
  }
  return missing;
}

void addTo(ShardRecord& sum, ShardRecord& part) {
  sum.findings.count += part.findings.count;
  sum.findings.total += part.findings.total;
  sum.findings.nodes += part.findings.nodes;
  for (std::size_t i = 0; i < sum.findings.classes.size(); ++i)
    sum.findings.classes.at(i) += part.findings.classes.at(i);
  sum.findings.fingerprint.sum += part.findings.fingerprint.sum;
  sum.findings.fingerprint.exclusiveOr ^= part.findings.fingerprint.exclusiveOr;
  sum.seconds += part.seconds;
  sum.boards += part.boards;
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
  writeTextOrThrow("record", path, text + "\n");
}

ShardRecord readShardRecord(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ConfigError(path, "a file that cannot be opened", kAccepted);
  ShardRecord record;
  try {
    record = recordFromJson(Json::parse(file));
  } catch (const std::exception& error) {
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
    addTo(sum, part);
  }
  if (const auto missing = missingShards(present, sum.shards); !missing.empty()) {
    throw ConfigError("merge", fmt::format("{} of {} shards", present.size(), sum.shards),
                      "all of them; missing: " + shardList(missing));
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
