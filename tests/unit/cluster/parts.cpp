// Parts of a plan: merging takes every shard once and names whatever is missing, doubled, foreign or damaged.
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runtime/cluster/survey.hpp"
#include "slicepool/core/error.hpp"
#include "support/text.hpp"
#include "unit/cluster/support.hpp"

using namespace slicepool;
using namespace slicepool::cluster;
using namespace slicepool::test;

namespace {

constexpr std::uint64_t kShards = 4;

/// A plan whose shards are all done.
struct DonePlan : PlanFolder {
  DonePlan() : PlanFolder(kShards) {
    for (std::uint64_t shard = 0; shard < kShards; ++shard) finish(shard);
  }
  /// What merging is told; empty: it has all parts.
  [[nodiscard]] std::string refusal(const std::vector<std::string>& paths = {}) const {
    try {
      const auto parts = gatherParts(plan, files, paths);
      CHECK(parts.size() == kShards);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  }
  void rewrite(std::uint64_t shard, const std::function<void(Part&)>& change) const {
    Part part = partOf(shard);
    change(part);
    writePart(files.record(shard), part);
  }
};

}  // namespace

TEST_CASE("all parts of a plan are gathered in the order of shards, with their outputs") {
  const DonePlan done;
  const auto parts = gatherParts(done.plan, done.files, {});
  REQUIRE(parts.size() == kShards);
  for (std::uint64_t shard = 0; shard < kShards; ++shard) {
    CHECK(parts[shard].part.shard == shard);
    CHECK((parts[shard].part.record["count"] == Json(shard + 1)));
    CHECK(parts[shard].outputPaths() == std::vector<std::string>{done.files.of(shard) + ".rows"});
  }
}

TEST_CASE("parts that are given may be in any order and in other folders") {
  const DonePlan done;
  const TemporaryFolder other;
  std::vector<std::string> paths;
  for (const std::uint64_t shard : {3, 1, 0, 2}) {
    for (const std::string suffix : {".record.json", ".rows"})
      std::filesystem::rename(done.files.of(shard) + suffix, other.path(std::to_string(shard)) + suffix);
    paths.push_back(other.path(std::to_string(shard)) + ".record.json");
  }
  // The record says under which name its output was written.
  CHECK(contains(done.refusal(paths), "plan-3.rows: missing"));
  for (const std::uint64_t shard : {3, 1, 0, 2})
    std::filesystem::rename(other.path(std::to_string(shard)) + ".rows",
                            other.path("plan-" + std::to_string(shard) + ".rows"));
  CHECK(done.refusal(paths).empty());
}

TEST_CASE("missing parts are named") {
  const DonePlan done;
  std::filesystem::remove(done.files.record(1));
  std::filesystem::remove(done.files.record(3));
  CHECK(contains(done.refusal(), "missing: shards 1, 3 of 4"));
}

TEST_CASE("doubled parts are named") {
  const DonePlan done;
  std::filesystem::copy_file(done.files.record(1), done.files.record(2),
                             std::filesystem::copy_options::overwrite_existing);
  const std::string copied = done.refusal();
  CHECK(contains(copied, "plan-2.record.json: shard 1 a second time, after " + done.files.record(1)));
  CHECK(contains(copied, "missing: shards 2 of 4"));
  std::vector<std::string> paths;
  for (const std::uint64_t shard : {0, 1, 2, 3, 3}) paths.push_back(done.files.record(shard));
  done.finish(2);
  CHECK(contains(done.refusal(paths), "plan-3.record.json: shard 3 a second time"));
}

TEST_CASE("foreign parts are named with the reason") {
  const DonePlan done;
  done.rewrite(0, [](Part& part) { part.plan = "0123456789abcdef"; });
  CHECK(contains(done.refusal(),
                 "plan-0.record.json: foreign: it is of another plan, whose hash is 0123456789abcdef"));
  done.rewrite(0, [](Part& part) { part.program = "0.0.1"; });
  CHECK(contains(done.refusal(), "foreign: slicepool 0.0.1 ran it"));
  done.rewrite(0, [](Part& part) { part.shards = 9; });
  CHECK(contains(done.refusal(), "foreign: it is of 9 shards, and the plan has 4"));
  // What is foreign is not missing as well.
  CHECK(!contains(done.refusal(), "missing"));
}

TEST_CASE("the same plan cut for another configuration is another plan") {
  const DonePlan done;
  PlanFolder other(kShards);
  other.plan.config["size"] = 9;
  writePlan(other.path, other.plan);
  CHECK(other.plan.hash != done.plan.hash);
}

TEST_CASE("every byte of a record counts") {
  const DonePlan done;
  const std::string text = contentOf(done.files.record(2));
  for (std::size_t at = 0; at < text.size(); at += 11) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    writeText(done.files.record(2), changed);
    CHECK_MESSAGE(contains(done.refusal(), "plan-2.record.json: "), "byte " << at);
  }
  writeText(done.files.record(2), text.substr(0, text.size() / 2));
  CHECK(contains(done.refusal(), "plan-2.record.json: damaged: it does not end with the hash"));
}

TEST_CASE("damaged outputs are named") {
  const DonePlan done;
  const std::string output = done.files.of(1) + ".rows";
  const std::string text = contentOf(output);
  writeText(output, text + "x");
  CHECK(contains(done.refusal(), output + ": damaged: "));
  std::string changed = text;
  changed[0] = 'R';
  writeText(output, changed);
  CHECK(contains(done.refusal(), output + ": damaged: its hash is not that of its record"));
  std::filesystem::remove(output);
  CHECK(contains(done.refusal(), output + ": missing"));
}

TEST_CASE("a record that contradicts the plan is damaged") {
  const DonePlan done;
  done.rewrite(1, [](Part& part) { part.record["count"] = 7; });
  CHECK(contains(done.refusal(), "its count is 7, and the plan says 2"));
  done.rewrite(1, [](Part& part) { part.record["status"] = "stopped"; });
  CHECK(contains(done.refusal(), "its run did not end"));
  done.rewrite(1, [](Part& part) { part.outputs.clear(); });
  CHECK(contains(done.refusal(), "its outputs are not those of the plan"));
}

TEST_CASE("all problems are told at once") {
  const DonePlan done;
  std::filesystem::remove(done.files.record(0));
  done.rewrite(1, [](Part& part) { part.program = "0.0.1"; });
  writeText(done.files.record(2), "x");
  const std::string all = done.refusal();
  for (const char* part :
       {"missing: shards 0 of 4", "plan-1.record.json: foreign", "plan-2.record.json: damaged"})
    CHECK_MESSAGE(contains(all, part), all);
}

TEST_CASE("a run that is over and has no record yet is found, and becomes the record of its shard") {
  const PlanFolder folder(3);
  const auto found = [&] { return endedPart(folder.plan, folder.files, 1); };
  CHECK_FALSE(found());
  Part part = folder.partOf(1);
  part.outputs.clear();  // not described yet
  const std::string path = folder.files.ended(1);
  writePart(path, part);
  REQUIRE(found());
  CHECK(found()->record == part.record);
  CHECK_FALSE(endedPart(folder.plan, folder.files, 0));
  CHECK(surveyPlan(folder.plan, folder.files).in(ShardState::interrupted) == std::vector<std::uint64_t>{1});
  CHECK(leftovers(folder.path, "plan") == std::vector<std::string>{"plan-1.ended.json"});
  SUBCASE("in place") {
    placeEndedPart(folder.files, 1);
    CHECK_FALSE(found());
    CHECK(readPart(folder.files.record(1)).record == part.record);
  }
  SUBCASE("of another shard") {
    part.shard = 2;
    writePart(path, part);
    CHECK_FALSE(found());
  }
  SUBCASE("of another plan") {
    part.plan = "0123456789abcdef";
    writePart(path, part);
    CHECK_FALSE(found());
  }
  SUBCASE("damaged") {
    writeText(path, contentOf(path).substr(0, 80));
    CHECK_FALSE(found());
  }
  SUBCASE("without its output") {
    std::filesystem::remove(folder.files.of(1) + ".rows");
    CHECK_FALSE(found());
  }
  SUBCASE("where no record can be") {
    std::filesystem::create_directory(folder.files.record(1));
    CHECK_THROWS_AS(placeEndedPart(folder.files, 1), Error);
    CHECK(found());
  }
}

TEST_CASE("a survey tells done, running, interrupted, missing and damaged shards apart") {
  PlanFolder folder(5);
  Part resumed = folder.partOf(0);
  resumed.record["resumed"] = {{"steps_before", 1}, {"seconds_before", 2.0}, {"seconds_in_all", 2.5}};
  writePart(folder.files.record(0), resumed);
  folder.finish(1);
  writeText(folder.files.record(1), "x");
  writeText(folder.files.checkpoint(2), "x");
  writeText(folder.files.lease(3),
            R"({"host":"elsewhere","process":1,"started":1,"limit_seconds":600,"token":"x"})");
  const Survey survey = surveyPlan(folder.plan, folder.files);
  CHECK(survey.in(ShardState::done) == std::vector<std::uint64_t>{0});
  CHECK(survey.in(ShardState::damaged) == std::vector<std::uint64_t>{1});
  CHECK(survey.in(ShardState::interrupted) == std::vector<std::uint64_t>{2});
  CHECK(survey.in(ShardState::running) == std::vector<std::uint64_t>{3});
  CHECK(survey.in(ShardState::missing) == std::vector<std::uint64_t>{4});
  CHECK(survey.shards[0].count == "1");
  CHECK(survey.shards[0].seconds == 2.5);
  CHECK(secondsInAll({{"seconds", 0.5}, {"resumed", nullptr}}) == 0.5);
  CHECK(secondsInAll({{"seconds", 0.5}, {"resumed", Json::object()}}) == 0);
  CHECK(survey.shards[3].why == "process 1 on elsewhere");
}
