// Configurations against mutations of good ones: read, or refused with an Error of this library. The same
// function runs under libFuzzer (tests/fuzz).
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/fuzz_configuration.hpp"
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
