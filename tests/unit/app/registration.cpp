// The one registration of a workload: nothing general names one, and what is made from its table of
// parameters is what the repository shows.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/app/config/key_table.hpp"
#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/sweep_config.hpp"
#include "runtime/app/config/workloads.hpp"
#include "slicepool/core/error.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::config;
using slicepool::test::contains;
using slicepool::test::contentOf;

namespace {

std::filesystem::path sourceFolder() {
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  if (source != nullptr) return source;
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path();
}

/// A document that has every required parameter, for checks that come before those of the workload.
std::string refusalOf(const std::string& workload, const std::string& member, const Json& value) {
  Json document = {{"workload", workload}, {"named", "full:3"}};
  setMember(document, member, value);
  try {
    (void)parseRunConfig(document, Strictness::single);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the application names no workload") {
  std::vector<std::string> names = workloadNames();
  CHECK(names.size() >= 5);
  for (std::string name : workloadNames()) {  // as commands and as people write them
    std::replace(name.begin(), name.end(), '_', '-');
    names.push_back(name);
  }
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(sourceFolder() / "runtime" / "app")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string text = contentOf(entry.path().string());
    for (const auto& name : names) {
      CAPTURE(entry.path().string());
      CAPTURE(name);
      CHECK_FALSE(contains(text, name));
    }
  }
  CHECK(files > 50);
}

TEST_CASE("the registration of kernels names no workload") {
  const std::string text = contentOf((sourceFolder() / "kernels" / "core" / "registration.cu").string());
  for (const auto& name : workloadNames()) CHECK_FALSE(contains(text, name));
}

TEST_CASE("every front is whole: parameters have help and a description, flags are distinct") {
  CHECK(workloads().size() >= 4);
  for (const auto& front : workloads()) {
    CAPTURE(front.name);
    std::vector<std::string> flags;
    for (const auto& parameter : front.parameters) {
      CAPTURE(parameter.member);
      CHECK_FALSE(parameter.help.empty());
      CHECK(parameter.domain.contains("description"));
      CHECK(std::find(flags.begin(), flags.end(), parameter.flag) == flags.end());
      flags.push_back(parameter.flag);
    }
    for (const auto& member : front.unused) {
      CAPTURE(member);
      CHECK(findParameter(front, member) != nullptr);
    }
    CHECK_FALSE(front.examples.empty());
    CHECK(front.title.ends_with('.'));
    CHECK(front.step.ends_with('.'));
  }
}

TEST_CASE("the tables of keys in the docs are those that the parameters make") {
  const std::string page = contentOf((sourceFolder() / "docs" / "file-formats.md").string());
  for (const auto& name : keyTableNames()) {
    CAPTURE(name);
    // If not: slicepool schema --table NAME
    CHECK(contains(page, "<!-- keys: " + name + " -->\n" + keyTableOf(name) + "<!-- end -->\n"));
  }
}

TEST_CASE("an engine setting that a workload does not use is refused by name") {
  CHECK(contains(
      refusalOf("semigroup", "engine.block_size", 64),
      "engine.block_size: got 64 with workload semigroup; accepted: only settings that this workload uses"));
  CHECK(contains(refusalOf("semigroup", "engine.emulated.result_capacity", 8),
                 "engine.emulated.result_capacity"));
  CHECK(contains(refusalOf("semigroup", "trace", "t.json"), "trace: got"));
  CHECK(refusalOf("semigroup", "engine.cpu_budget", 8).empty());
  CHECK_THROWS_WITH_AS((void)parseSweepConfig({{"workload", "semigroup"},
                                               {"parameters", {{"named", "full:3"}}},
                                               {"engine", {{"pool_capacity", {64, 128}}}}}),
                       doctest::Contains("/engine/pool_capacity"), ConfigError);
}

TEST_CASE("a point that has no axis is named by its problem") {
  const auto labelOf = [](const Json& document) { return problemLabel(requireWorkload(document), document); };
  CHECK(labelOf({{"workload", "factorizations"}, {"generators", {6, 9}}, {"element", 60}}) == "<6,9> n=60");
  CHECK(labelOf({{"workload", "three_in_line"}, {"size", 8}, {"symmetry", "c4"}}) == "n=8");
  CHECK(labelOf({{"workload", "lattice"}, {"basis", "e8.txt"}}) == "e8");
  CHECK(labelOf({{"workload", "semigroup"}, {"named", "full:3"}}) == "semigroup");
}
