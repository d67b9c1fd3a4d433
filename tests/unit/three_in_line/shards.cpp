// Records of shards: what is written is read, what is merged adds up, what does not belong together is named.
#include <doctest/doctest.h>

#include <fstream>

#include "runtime/io/sealed_json.hpp"
#include "runtime/three_in_line/points.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "runtime/three_in_line/shard_record.hpp"
#include "runtime/three_in_line/solution_check.hpp"
#include "slicepool/core/error.hpp"
#include "support/damage.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "support/three_in_line/oracle.hpp"

using namespace slicepool;
using namespace slicepool::three_in_line;
using slicepool::test::contains;
using slicepool::test::contentOf;
using slicepool::test::TemporaryFolder;

namespace {

constexpr int kSize = 7;
constexpr std::uint32_t kShards = 5;

std::vector<Configuration> allSolutions() {
  std::vector<Configuration> solutions;
  for (const auto& points : test::ThreeInLineOracle(kSize).representatives()) {
    Points converted;
    for (const auto& [x, y] : points) converted.push_back({x, y});
    solutions.push_back(canonicalOf(configurationOf(converted), kSize));
  }
  sortSolutions(solutions, kSize);
  return solutions;
}

ShardRecord recordOf(std::vector<Configuration> solutions, std::uint32_t shards, std::uint32_t shard) {
  ShardRecord record;
  record.rules = kSearchRules;
  record.size = kSize;
  record.shards = shards;
  record.shard = shard;
  record.boards = 10 + shard;
  record.findings.classes = classCountsOf(solutions, kSize);
  record.findings.count = countOf(record.findings.classes);
  record.findings.total = totalOf(record.findings.classes);
  record.findings.nodes = 1000 + shard;
  record.findings.fingerprint = fingerprintOf(solutions);
  record.seconds = 0.5;
  record.hasSolutions = true;
  record.solutions = std::move(solutions);
  return record;
}

std::vector<ShardRecord> fiveShards() {
  std::vector<std::vector<Configuration>> parts(kShards);
  const auto all = allSolutions();
  for (std::size_t i = 0; i < all.size(); ++i) parts[i * i % kShards].push_back(all[i]);
  std::vector<ShardRecord> records;
  for (std::uint32_t shard = 0; shard < kShards; ++shard)
    records.push_back(recordOf(parts[shard], kShards, shard));
  return records;
}

/// Writes them as s0.json, s1.json, ..; returns the paths.
std::vector<std::string> write(const TemporaryFolder& folder, const std::vector<ShardRecord>& records) {
  std::vector<std::string> paths;
  for (const auto& record : records) {
    paths.push_back(folder.path("s" + std::to_string(paths.size()) + ".json"));
    writeShardRecord(paths.back(), record);
  }
  return paths;
}

std::string refusal(const std::vector<std::string>& paths) {
  try {
    (void)mergeShardRecords(paths);
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// The same record with a changed text and a good hash of it.
void replaceIn(const std::string& path, const std::string& from, const std::string& to) {
  std::string content = contentOf(path);
  content.resize(content.rfind(",\n \"xxh3\""));
  content += "\n}\n";
  REQUIRE(contains(content, from));
  content.replace(content.find(from), from.size(), to);
  std::ofstream(path) << sealJson(content);
}

}  // namespace

TEST_CASE("a record is read as it was written") {
  const TemporaryFolder folder;
  for (ShardRecord record : fiveShards()) {
    record.group = Group::none;
    record.algorithm = Algorithm::posts;
    const std::string path = folder.path("r.json");
    writeShardRecord(path, record);
    const ShardRecord read = readShardRecord(path);
    CHECK(read.rules == record.rules);
    CHECK(read.size == record.size);
    CHECK(read.algorithm == record.algorithm);
    CHECK(read.shards == record.shards);
    CHECK(read.shard == record.shard);
    CHECK(read.boards == record.boards);
    CHECK(read.findings == record.findings);
    CHECK(read.seconds == record.seconds);
    CHECK((read.solutions == record.solutions));
    record.hasSolutions = false;
    record.solutions.clear();
    writeShardRecord(path, record);
    CHECK_FALSE(readShardRecord(path).hasSolutions);
    CHECK(readShardRecord(path).findings == record.findings);
  }
}

TEST_CASE("merged shards are the whole search, in any order of the files") {
  const TemporaryFolder folder;
  const ShardRecord whole = recordOf(allSolutions(), 1, 0);
  auto paths = write(folder, fiveShards());
  for (int turn = 0; turn < 5; ++turn) {
    const ShardRecord merged = mergeShardRecords(paths);
    CHECK((merged.solutions == whole.solutions));
    CHECK(merged.findings.count == 22);
    CHECK(merged.findings.total == 132);
    CHECK(merged.findings.classes == whole.findings.classes);
    CHECK(merged.findings.fingerprint == whole.findings.fingerprint);
    CHECK(merged.findings.nodes == 5 * 1000 + 10);
    CHECK(merged.boards == 5 * 10 + 10);
    CHECK(merged.seconds == 2.5);
    CHECK(merged.shards == 1);
    std::rotate(paths.begin(), paths.begin() + 1, paths.end());
  }
  const std::string path = folder.path("whole.json");
  writeShardRecord(path, mergeShardRecords(paths));
  CHECK(mergeShardRecords({path}).findings == mergeShardRecords(paths).findings);
}

TEST_CASE("one shard without solutions leaves the sum without solutions") {
  const TemporaryFolder folder;
  auto records = fiveShards();
  records[3].hasSolutions = false;
  records[3].solutions.clear();
  const ShardRecord merged = mergeShardRecords(write(folder, records));
  CHECK_FALSE(merged.hasSolutions);
  CHECK(merged.solutions.empty());
  CHECK(merged.findings.count == 22);
}

TEST_CASE("missing, doubled and foreign shards are refused by name") {
  const TemporaryFolder folder;
  auto paths = write(folder, fiveShards());
  CHECK(contains(refusal({paths[0], paths[2], paths[4]}),
                 "3 of 5 shards; accepted: all of them; missing: 1, 3"));
  CHECK(contains(refusal({}), "no files"));
  auto doubled = paths;
  doubled.push_back(paths[2]);
  CHECK(refusal(doubled) ==
        paths[2] + ": got shard 2 a second time; accepted: every shard once; " + paths[2] + " is the same");

  for (const auto& entry :
       std::vector<std::pair<std::string, std::string>>{{"\"rules\": 1", "\"rules\": 2"},
                                                        {"\"shards\": 5", "\"shards\": 6"},
                                                        {"\"symmetry\": \"none\"", "\"symmetry\": \"c2\""}}) {
    CAPTURE(entry.first);
    paths = write(folder, fiveShards());
    replaceIn(paths[3], entry.first, entry.second);
    const std::string message = refusal(paths);
    CHECK(message.rfind(paths[3] + ": got a shard of another search", 0) == 0);
  }
  ShardRecord other = recordOf({}, kShards, 3);
  other.size = 8;
  paths = write(folder, fiveShards());
  writeShardRecord(paths[3], other);
  CHECK(contains(refusal(paths), "n = 8"));
}

TEST_CASE("records that are damaged or contradict themselves are refused by file") {
  const TemporaryFolder folder;
  const auto records = fiveShards();
  const auto refuses = [&](const std::string& from, const std::string& to, const std::string& why) {
    CAPTURE(from);
    const auto paths = write(folder, records);
    replaceIn(paths[1], from, to);
    const std::string message = refusal(paths);
    CHECK(message.rfind(paths[1] + ": got ", 0) == 0);
    CHECK(contains(message, why));
  };
  const auto& counted = records[1].findings;
  refuses("\"count\": " + std::to_string(counted.count), "\"count\": " + std::to_string(counted.count + 1),
          "do not add up");
  refuses("\"total\": " + std::to_string(counted.total), "\"total\": 7", "do not add up");
  refuses("\"fingerprint\": \"", "\"fingerprint\": \"0", "no record: not a fingerprint");
  refuses("\"shard\": 1", "\"shard\": 5", "shard is 5, expected an integer from 0 to 4");
  refuses("\"version\": 2", "\"version\": 3", "no record");
  refuses("\"nodes\"", "\"noodles\"", "no record");
  refuses("{", "[", "no record");
  refuses("[[0,", "[[1,", "points that are not in order");
  CHECK(contains(refusal({folder.path("none.json")}), "cannot be opened"));

  auto swapped = records[1];
  swapped.solutions = records[2].solutions;
  const auto paths = write(folder, {records[0], swapped});
  CHECK(contains(refusal(paths), "its solutions are not those that it counted"));
}

TEST_CASE("every change of a record is refused by file") {
  const TemporaryFolder folder;
  auto records = fiveShards();
  records[3].hasSolutions = false;
  records[3].solutions.clear();
  const auto paths = write(folder, records);
  for (const std::size_t shard : {1, 3}) {
    const std::string good = contentOf(paths[shard]);
    test::forEachDamage(good, test::scaled(100) == 100 ? (shard == 3 ? 1 : 3) : 40, 31,
                        [&](const std::string& bad, const std::string& what) {
                          CAPTURE(what);
                          test::writeFile(paths[shard], bad);
                          CHECK(refusal(paths).rfind(paths[shard] + ": got no record: ", 0) == 0);
                        });
    test::writeFile(paths[shard], good);
  }
  CHECK(refusal(paths).empty());
}

TEST_CASE("numbers of another width or kind and unknown keys are refused under a good hash") {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& from, const std::string& to) {
    CAPTURE(to);
    const auto paths = write(folder, fiveShards());
    replaceIn(paths[1], from, to);
    CHECK(refusal(paths).rfind(paths[1] + ": got ", 0) == 0);
  };
  refuses("\"n\": 7", "\"n\": 4294967303");
  refuses("\"n\": 7", "\"n\": 7.0");
  refuses("\"n\": 7", "\"n\": \"7\"");
  refuses("\"n\": 7", "\"n\": true");
  refuses("\"n\": 7", "\"n\": 33");
  refuses("\"n\": 7", "\"n\": 0");
  refuses("\"n\": 7", "\"n\": 7, \"n\": 7");
  refuses("\"n\": 7", "\"n\": 7, \"m\": 7");
  refuses("\"rules\": 1", "\"rules\": 4294967297");
  refuses("\"rules\": 1", "\"rules\": -1");
  refuses("\"shards\": 5", "\"shards\": 4294967301");
  refuses("\"shards\": 5", "\"shards\": 1e0");
  refuses("\"shard\": 1", "\"shard\": 4294967297");
  refuses("\"boards\": 11", "\"boards\": 18446744073709551616");
  refuses("\"nodes\": 1001", "\"nodes\": -1");
  refuses("\"nodes\": 1001", "\"nodes\": 1001.0");
  refuses("\"nodes\": 1001", "\"nodes\": \"01001\"");
  refuses("\"nodes\": 1001", "\"nodes\": \"18446744073709551615\"");  // wraps in the sum
  refuses("\"boards\": 11", "\"boards\": \"18446744073709551615\"");
  refuses("\"seconds\": 0.5", "\"seconds\": -0.5");
  refuses("\"seconds\": 0.5", "\"seconds\": \"0.5\"");
  refuses("\"solutions\"", "\"solution\"");
  refuses("\"iden\": ", "\"iden\": 1, \"idem\": ");
  refuses("\"ort1\": 0", "\"ort1\": \"18446744073709551616\"");
  refuses("[[0,", "[[0.0,");
  refuses("[[0,", "[[0, 0,");
  refuses("[[0,", "[[4294967296,");
  // Counts and totals that wrap to those that are right.
  auto records = fiveShards();
  records[1].findings.classes[0] += std::uint64_t{1} << 62;
  records[1].findings.count += std::uint64_t{1} << 62;
  records[1].hasSolutions = false;
  records[1].solutions.clear();
  const auto paths = write(folder, records);
  CHECK(contains(refusal(paths), "do not add up"));
}

TEST_CASE("a record of version 1 is refused with what to do") {
  const TemporaryFolder folder;
  const std::string path = folder.path("old.json");
  test::writeFile(path, "{\"format\": \"slicepool-three-in-line\", \"version\": 1, \"rules\": 1}\n");
  CHECK(contains(refusal({path}), "its version is 1, which has no hash"));
  CHECK(contains(refusal({path}), "run the shard again"));
  for (const char* text : {"[1, 2]", "7", "{}", "", "[", "\"a\"", "null", "{\"format\": 5}"}) {
    CAPTURE(text);
    test::writeFile(path, text);
    CHECK(contains(refusal({path}), path + ": got no record: "));
    CHECK_FALSE(contains(refusal({path}), "json.exception"));
  }
  CHECK(contains(refusal({folder.path("")}), "is not a regular file"));
}

TEST_CASE("two shards with the same solution contradict one another") {
  const TemporaryFolder folder;
  auto records = fiveShards();
  auto more = records[1].solutions;
  more.push_back(records[4].solutions.at(0));
  sortSolutions(more, kSize);
  records[1] = recordOf(more, kShards, 1);
  CHECK(contains(refusal(write(folder, records)), "shards that contradict one another"));
}
