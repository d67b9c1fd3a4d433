// Readers of files against mutations of good ones: each is read rightly or refused with an Error of this
// library, and nothing else happens. The same functions run under libFuzzer (tests/fuzz).
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/fuzz_targets.hpp"
#include "support/mutations.hpp"
#include "support/scale.hpp"
#include "support/text.hpp"

using namespace slicepool;
using test::contentOf;

namespace {

constexpr std::uint64_t kSeed = 20261122;
constexpr std::size_t kTexts = 3000;
constexpr std::size_t kFiles = 400;  // each is written durably, some twice

/// Every seed as it is, then mutations. What breaks is printed.
void attack(void (*target)(const std::string&), const std::vector<std::string>& seeds, std::size_t cases) {
  MESSAGE("seed " << kSeed);
  test::Mutations mutations(kSeed);
  std::vector<std::string> inputs = seeds;
  inputs.emplace_back();
  for (std::size_t i = 0; i < test::scaled(cases); ++i) inputs.push_back(mutations.next(seeds));
  for (const auto& input : inputs) {
    CAPTURE(input);
    REQUIRE_NOTHROW(target(input));
  }
}

}  // namespace

TEST_CASE("bases of lattices") {
  attack(fuzz::latticeBasis,
         {"[[1 2 3]\n[4 5 6]\n[7 8 10]]\n", "[1 0\n0 1]", "1 0 0\n0 1 0\n",
          "[[-123456789012345678901234567890 7] [3, -2]]", "# comment\n[[2 0][0 2]]"},
         kTexts);
}

TEST_CASE("lines of many lattices") {
  attack(fuzz::latticeLine,
         {R"({"basis": [[1, 3], [3, -2]], "id": "a"})",
          R"({"gram":[[2,1],[1,2]],"squared_radius":12.5,"id":-7})",
          R"({"target":[1,"1/2",-0.25,1e2],"id":1})", R"({"target":[3,-4,"5"],"basis":[[1,0,0]]})",
          R"({"id":"a\"b","squared_radius":"1e3","basis":[[123456789012345678901,0],[-1,2]]})"},
         kTexts);
}

TEST_CASE("pruning parameters") {
  attack(fuzz::latticePruning,
         {"1\n1\n1\n0.9\n0.8\n0.7\n0.6\n0.5\n", "fplll:0.5", "[1, 1, 1, 1, 1, 1, 1, 1e-3]"}, kTexts);
}

TEST_CASE("generators of semigroups, as text and JSON") {
  attack(
      fuzz::semigroupGenerators,
      {"# two maps\n2 3\n1 0 2 # a swap\n1 2 0\n", "1 1\n0\n", R"({"generators": [[1, 0, 2], [1, 2, 0]]})"},
      kFiles);
}

TEST_CASE("checkpoints of engines") {
  Checkpoint made;
  made.workload = "interval";
  made.identity = "n=100";
  made.sliceBytes = 16;
  made.slices.assign(64, std::byte{7});
  made.words = {1, 2, 3};
  made.consumer.assign(10, std::byte{9});
  const test::TemporaryFolder folder;
  writeCheckpoint(folder.path("c"), made);
  const std::string bytes = contentOf(folder.path("c"));
  attack(fuzz::checkpoint, {bytes, bytes.substr(0, bytes.size() - 8)}, kFiles);
}

TEST_CASE("checkpoints of windows") {
  factorizations::WindowCheckpoint made;
  made.identity = "identity";
  made.nextRank = 1000;
  made.outputBytes = 4128;
  made.words = {1000, 77};
  made.steps = 1234;
  const test::TemporaryFolder folder;
  factorizations::writeWindowCheckpoint(folder.path("w"), made);
  made.shards.resize(2);
  made.shards[0].file = "rows-00000.npy";
  made.shards[0].hash = "0123456789abcdef";
  made.shards[1].file = "rows-00001.npy";
  made.shards[1].hash = "fedcba9876543210";
  factorizations::writeWindowCheckpoint(folder.path("s"), made);
  attack(fuzz::windowCheckpoint, {contentOf(folder.path("w")), contentOf(folder.path("s"))}, kFiles);
}

TEST_CASE("manifests of shards") {
  factorizations::Manifest made;
  made.generators = {13, 37, 38, 40};
  made.element = 1500;
  made.sink = "rows";
  made.dtype = "|u1";
  made.rows = 872;
  made.shardRows = 500;
  const test::TemporaryFolder folder;
  factorizations::writeManifest(folder.path("m"), made);
  attack(fuzz::manifest, {contentOf(folder.path("m"))}, kFiles);
}

TEST_CASE("plans, their parts and leases") {
  cluster::Plan made;
  made.program = "0.1.0";
  made.workload = "queens";
  made.stem = "plan";
  made.identity = made.config = {{"workload", "queens"}, {"size", 8}};
  made.rule = {{"kind", "columns"}};
  made.shards = {{{{"column", 0}}, "340282366920938463463374607431768211456", {"plan-0.rows"}},
                 {cluster::Json::object(), "", {}}};
  const test::TemporaryFolder folder;
  cluster::writePlan(folder.path("p"), made);
  attack(fuzz::plan, {contentOf(folder.path("p"))}, kFiles);
  cluster::Part part;
  part.plan = made.hash;
  part.program = made.program;
  part.shards = 2;
  part.record = {{"status", "done"}, {"count", 7}};
  part.outputs = {{"plan-0.rows", 12, "0123456789abcdef"}};
  cluster::writePart(folder.path("r"), part);
  attack(fuzz::part, {contentOf(folder.path("r"))}, kFiles);
  attack(fuzz::lease, {R"({"host":"a","process":7,"started":9,"limit_seconds":600,"token":"x"})", "{}"},
         kTexts);
}

TEST_CASE("records of shards") {
  const test::TemporaryFolder folder;
  std::vector<std::string> seeds;
  for (const bool solutions : {false, true}) {
    three_in_line::Request request;
    request.size = 4;
    request.solutions = solutions;
    request.recordPath = folder.path("r.json");
    EngineOptions options;
    options.threads = 1;
    three_in_line::Enumeration enumeration(request, options);
    enumeration.run();
    seeds.push_back(contentOf(request.recordPath));
  }
  attack(fuzz::shardRecord, seeds, kFiles);
}

TEST_CASE("lists of sets of gaps") {
  const test::TemporaryFolder folder;
  const numerical_semigroups::RowShape shape{numerical_semigroups::RowKind::gaps, 13, 3};
  numerical_semigroups::GapSet gaps;
  for (const int gap : {1, 2, 4, 7}) gaps.add(gap);
  (void)numerical_semigroups::writeSemigroups({gaps, {}, gaps}, shape, folder.path("list.npy"));
  const std::string bytes = contentOf(folder.path("list.npy"));
  CHECK(numerical_semigroups::readGaps(folder.path("list.npy"), shape).size() == 3);
  attack(fuzz::gapList, {bytes, bytes.substr(0, bytes.size() - 1)}, kFiles);
}
