// What a run found, member by member and line by line: records and reports of tests/data/answers.json,
// without what is of the moment (times, workers, the machine). The file was written by the version before
// answers were said in one place.
#include <doctest/doctest.h>

#include <cstdlib>
#include <regex>
#include <sstream>

#include "cli/command_runner.hpp"

using namespace slicepool::test;
using Json = nlohmann::json;

namespace {

/// "@name" is a file of tests/data.
std::vector<std::string> commandOf(const Json& words, const std::vector<std::string>& more) {
  std::vector<std::string> command;
  for (const auto& word : words) {
    const auto text = word.get<std::string>();
    command.push_back(text.starts_with('@') ? dataFile(text.substr(1)) : text);
  }
  command.insert(command.end(), {"--mode", "cpu", "--threads", "1"});
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

Json lastingMembers(Json record) {
  for (const char* key : {"seconds", "setup_seconds", "wall_seconds", "phases", "steps_per_second", "workers",
                          "memory", "settings", "started", "machine", "build", "peak_bytes", "phase_seconds",
                          "splits", "table_seconds", "parameters", "engine", "steps"})
    record.erase(key);
  return record;
}

Json lastingLines(const std::string& report) {
  static const std::regex passing("(time|steps|peak memory|setup|tables? ).*|  (cpu|[0-9]+ more).*");
  Json lines = Json::array();
  std::istringstream in(report);
  for (std::string line; std::getline(in, line);)
    if (!std::regex_match(line, passing)) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("records and reports have the members and lines that they always had") {
  const Json cases = Json::parse(contentOf(dataFile("answers.json")));
  REQUIRE(cases.size() > 40);
  for (const auto& one : cases) {
    CAPTURE(one["command"].dump());
    const auto result = runCommand(commandOf(one["command"], {"--json"}));
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    Json record = lastingMembers(onlyObject(result.out));
    Json expected = one["record"];
    if (expected.contains("gh_factor")) {  // its last digit is the compiler's
      CHECK(record["gh_factor"].get<double>() == doctest::Approx(expected["gh_factor"].get<double>()));
      record.erase("gh_factor");
      expected.erase("gh_factor");
    }
    CHECK(record == expected);
    CHECK(lastingLines(runCommand(commandOf(one["command"], {})).out) == one["report"]);
  }
}
