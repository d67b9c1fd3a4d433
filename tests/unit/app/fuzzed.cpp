// Configurations, and logs of digests and what they digest, against mutations of good ones: read, or refused
// with an Error of this library. The same function runs under libFuzzer (tests/fuzz).
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/io/npy_header.hpp"
#include "support/fuzz_configuration.hpp"
#include "support/fuzz_digests.hpp"
#include "support/mutations.hpp"
#include "support/scale.hpp"
#include "support/text.hpp"

using namespace slicepool;

TEST_CASE("configurations of runs and sweeps") {
  constexpr std::uint64_t kSeed = 20261123;
  MESSAGE("seed " << kSeed);
  std::vector<std::string> seeds = {
      R"({"workload": "factorizations", "generators": ["13", 37, 38, 40], "element": "5000", "sink": "fingerprint",
          "engine": {"mode": "cpu", "threads": 2, "step_limit": 100}, "time_limit_seconds": 2.5})",
      R"({"workload": "three_in_line", "size": 8, "symmetry": "c2", "output": {"path": "a.txt"}})",
      R"({"workload": "lattice", "basis": "[[1 3] [3 -2]]", "squared_radius": 10, "solutions": "all",
          "output": {"path": "a.npy"}})",
      R"({"workload": "semigroup", "generators": [[1, 0, 2], [1, 2, 0]], "word_of": [0, 1, 1], "base": [0]})"};
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  const std::string configs = std::string(source == nullptr ? "." : source) + "/configs/";
  for (const char* name : {"quick-start.json", "lattice.json"})
    seeds.push_back(test::contentOf(configs + name));
  test::Mutations mutations(kSeed);
  for (const auto& seed : seeds) REQUIRE_NOTHROW(fuzz::configuration(seed));
  const std::size_t cases = test::scaled(4000);
  for (std::size_t i = 0; i < cases; ++i) {
    const std::string input = mutations.next(seeds);
    CAPTURE(input);
    REQUIRE_NOTHROW(fuzz::configuration(input));
  }
}

TEST_CASE("logs of digests, and outputs that are digested") {
  constexpr std::uint64_t kSeed = 20261124;
  MESSAGE("seed " << kSeed);
  report::DigestLog made;
  made.plan.program = "0.1.0";
  made.plan.workload = "lattice";
  made.plan.stem = "plan";
  for (auto* object : {&made.plan.identity, &made.plan.rule, &made.plan.config})
    *object = {{"workload", "lattice"}, {"squared_radius", "36893488147419103232"}};
  made.plan.shards.push_back({{{"slices", 3}}, "", {"plan-0.npy"}});
  made.shards.push_back({{{"count", 7}, {"fingerprint", "00"}}, {{"plan-0.npy", "0123456789abcdef"}}});
  const test::TemporaryFolder folder;
  report::writeDigestLog(folder.path("log"), made);
  const std::vector<std::string> logs = {test::contentOf(folder.path("log"))};
  const std::vector<std::string> outputs = {
      npyHeader("|i1", 3, 2) + "abcdef", "[1 2]\n[3 4]\n",
      R"({"format": "slicepool-three-in-line", "n": 3, "seconds": 0.5})"};
  test::Mutations mutations(kSeed);
  const std::size_t cases = test::scaled(400);
  for (std::size_t i = 0; i < cases; ++i) {
    const std::string log = mutations.next(logs);
    CAPTURE(log);
    REQUIRE_NOTHROW(fuzz::digestLog(log));
    const std::string output = mutations.next(outputs);
    CAPTURE(output);
    REQUIRE_NOTHROW(fuzz::digestedOutput(output));
  }
}
