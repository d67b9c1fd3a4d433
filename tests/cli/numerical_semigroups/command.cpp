// `slicepool numerical-semigroups` as a user runs it: exact counts in every mode, stop and resume,
// configurations, bad input.
#include <doctest/doctest.h>

#include "cli/command_runner.hpp"
#include "support/numerical_semigroups/oracle.hpp"
#include "support/temporary_folder.hpp"

using namespace slicepool::test;

namespace {

CommandResult numericalSemigroups(const std::string& genus, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"numerical-semigroups", "-g", genus};
  words.insert(words.end(), more.begin(), more.end());
  return runCommand(words);
}

nlohmann::json genusRecordOf(const std::string& genus, std::vector<std::string> more = {}) {
  more.emplace_back("--json");
  const auto result = numericalSemigroups(genus, std::move(more));
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  return onlyObject(result.out);
}

}  // namespace

TEST_CASE("numerical semigroups: the counts of all genera are A007323, in every mode") {
  const auto& published = publishedGenusCounts();
  for (const std::string mode : {"cpu", "emulated", "auto"}) {
    CAPTURE(mode);
    const auto record = genusRecordOf("21", {"--mode", mode, "--triangle"});
    CHECK(record["count"] == published.at(21));
    CHECK(record["counts"] ==
          nlohmann::json(std::vector<std::uint64_t>(published.begin(), published.begin() + 22)));
    CHECK(record["triangle"].size() == 22);
    CHECK(record["triangle"].back() == record["histogram"]);
    CHECK(record["steps"] == genusRecordOf("21")["steps"]);
  }
  CHECK(genusRecordOf("100", {"-m", "3"})["count"] == 34);
}

TEST_CASE("numerical semigroups: a run that stops is resumed") {
  const TemporaryFolder folder;
  const std::string checkpoint = folder.path("genus.ckpt");
  const auto stopped =
      numericalSemigroups("26", {"--mode", "cpu", "--threads", "1", "--cpu-budget", "1000", "--step-limit",
                                 "100000", "--checkpoint", checkpoint, "--json"});
  CHECK(stopped.code == 5);
  CHECK_FALSE(onlyObject(stopped.out).contains("count"));
  CHECK(numericalSemigroups("25", {"--mode", "cpu", "--resume", checkpoint}).code == 2);
  CHECK(genusRecordOf("26", {"--mode", "cpu", "--checkpoint", checkpoint, "--resume", "auto"})["count"] ==
        770832);
}

TEST_CASE("numerical semigroups: bad input ends with exit code 2 and a sentence") {
  struct Bad {
    std::vector<std::string> words;
    std::string start;
  };
  for (const auto& [words, start] :
       {Bad{{"-g", "0"}, "genus: got 0; accepted: an integer from 1 to 127"},
        Bad{{"-g", "128"}, "genus: got 128; accepted: an integer from 1 to 127"},
        Bad{{"-g", "ten"}, "genus: got"}, Bad{{"-g", "10", "-m", "1"}, "multiplicity: got 1"},
        Bad{{"-g", "10", "--by", "size"}, "by: got \"size\""},
        Bad{{"-g", "10", "-m", "12"}, "multiplicity: got 12; accepted: 2 to 11"}}) {
    std::vector<std::string> command = {"numerical-semigroups"};
    command.insert(command.end(), words.begin(), words.end());
    const auto result = runCommand(command);
    CAPTURE(result.err);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(result.err.rfind("slicepool: error: " + start, 0) == 0);
  }
}
