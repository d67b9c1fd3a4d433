// Plans: what is written is read, and whatever was changed since is refused.
#include <doctest/doctest.h>

#include <string>

#include "runtime/io/sealed_json.hpp"
#include "slicepool/core/error.hpp"
#include "support/text.hpp"
#include "unit/cluster/support.hpp"

using namespace slicepool;
using namespace slicepool::cluster;
using namespace slicepool::test;

namespace {

/// What reading a file is told; empty: it is a plan.
std::string refusalOf(const std::string& path) {
  try {
    (void)readPlan(path);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

std::string refusalOfText(const std::string& text) {
  const TemporaryFolder folder;
  writeText(folder.path("x.json"), text);
  return refusalOf(folder.path("x.json"));
}

/// A plan with one member changed, sealed anew: only its reader can refuse it.
std::string sealedWith(const std::string& member, const Json& value) {
  const PlanFolder written(2);
  Json json = Json::parse(contentOf(written.path));
  json.erase("xxh3");
  json[member] = value;
  return sealJson(json.dump(1));
}

}  // namespace

TEST_CASE("a plan that is read is the plan that was written") {
  const PlanFolder written(3);
  const Plan read = readPlan(written.path);
  CHECK(read.hash == written.plan.hash);
  CHECK(read.program == written.plan.program);
  CHECK(read.workload == "queens");
  CHECK(read.stem == "plan");
  CHECK((read.config == written.plan.config));
  CHECK((read.rule == written.plan.rule));
  CHECK((read.identity == written.plan.identity));
  REQUIRE(read.shards.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK((read.shards[i].share == written.plan.shards[i].share));
    CHECK(read.shards[i].count == written.plan.shards[i].count);
    CHECK(read.shards[i].outputs == written.plan.shards[i].outputs);
  }
  CHECK(looksLikePlan(Json::parse(contentOf(written.path))));
}

TEST_CASE("counts beyond 64 bits stay exact in a plan") {
  const TemporaryFolder folder;
  Plan plan = smallPlan(1);
  plan.shards[0].count = "340282366920938463463374607431768211456";
  writePlan(folder.path("plan.json"), plan);
  CHECK(readPlan(folder.path("plan.json")).shards[0].count == plan.shards[0].count);
}

TEST_CASE("every byte of a plan counts") {
  const PlanFolder written(2);
  const std::string text = contentOf(written.path);
  for (std::size_t at = 0; at < text.size(); at += 7) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_MESSAGE(!refusalOfText(changed).empty(), "byte " << at);
    if (at + 1 < text.size()) CHECK(!refusalOfText(text.substr(0, at)).empty());
  }
}

TEST_CASE("what is no plan of this version is refused by name") {
  const TemporaryFolder folder;
  CHECK(contains(refusalOf(folder.path("none.json")), "none.json: got a file that cannot be opened"));
  CHECK(contains(refusalOfText("{}"), "it does not end with the hash of its content"));
  CHECK(contains(refusalOfText(sealedWith("version", 2)), "version"));
  CHECK(contains(refusalOfText(sealedWith("format", "slicepool-part")), "its format is \"slicepool-part\""));
  CHECK(contains(refusalOfText(sealedWith("shards", Json::array())), "shards is not a list of 1 to 100000"));
  CHECK(contains(refusalOfText(sealedWith("stem", "../plan")), "stem is no name of a file"));
  CHECK(contains(refusalOfText(sealedWith("rule", "ranks")), "rule is not an object"));
  CHECK(contains(refusalOfText(sealedWith("more", 1)), "more"));
  const Json twice = Json::array({{{"shard", 0}, {"share", Json::object()}, {"outputs", Json::array()}},
                                  {{"shard", 0}, {"share", Json::object()}, {"outputs", Json::array()}}});
  CHECK(contains(refusalOfText(sealedWith("shards", twice)), "shards[1]"));
  const Json outside = Json::array(
      {{{"shard", 0}, {"share", Json::object()}, {"outputs", Json::array({"../../etc/passwd"})}}});
  CHECK(contains(refusalOfText(sealedWith("shards", outside)), "outputs is no name of a file"));
}

TEST_CASE("a plan of another version of the program is refused") {
  Plan plan = smallPlan(1);
  requireProgram(plan, "plan.json");
  plan.program = "0.0.1";
  CHECK_THROWS_WITH_AS(requireProgram(plan, "plan.json"),
                       doctest::Contains("plan.json: got a plan of slicepool 0.0.1"), ConfigError);
}

TEST_CASE("files lie beside the plan, under its name") {
  CHECK(stemOf("a/b/search.json") == "search");
  CHECK(stemOf("search.plan.json") == "search.plan");
  const PlanFiles files("a/b/search.json", "search");
  CHECK(files.record(7) == "a/b/search-7.record.json");
  CHECK(files.checkpoint(7) == "a/b/search-7.checkpoint");
  CHECK(files.lease(7) == "a/b/search-7.lease");
  CHECK(files.merged() == "a/b/search.record.json");
  CHECK(PlanFiles("search.json", "search").record(0) == "search-0.record.json");
}
