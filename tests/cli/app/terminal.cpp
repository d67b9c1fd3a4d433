// What a user sees: the bar fits the terminal and follows its width, log lines stay whole, a sweep shows
// where it is from its start; memory is that of the process and not of the one that started it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "cli/command_runner.hpp"
#include "support/screen.hpp"

using namespace slicepool::test;

namespace {

/// A search of hours: it ends when the test says so.
std::vector<std::string> longSearch(const std::string& checkpoint) {
  return {commandPath(),  "factorizations",
          "--generators", "13,37,38,40,41,42,43,44",
          "--element",    "3600",
          "--algorithm",  "candidate",
          "--sink",       "lengths",
          "--mode",       "cpu",
          "--threads",    "1",
          "--checkpoint", checkpoint};
}

bool showsBar(const Screen& screen) {
  return !screen.current().empty() && screen.current()[0] == '[' &&
         screen.current().find(" %") != std::string::npos;
}

/// Reads until the present line is a bar that a terminal of `width` columns has been given.
void readBar(TerminalCommand& command, std::size_t shortest, std::size_t longest) {
  while (command.read()) {
    const auto size = command.screen().current().size();
    if (showsBar(command.screen()) && size >= shortest && size < longest) return;
  }
  FAIL("no bar was shown");
}

}  // namespace

TEST_CASE("a bar never wraps and follows the width of its terminal; the line that ends the run is whole") {
  const TemporaryFolder folder;
  TerminalCommand command(longSearch(folder.path("c")), 100);
  readBar(command, 60, 100);
  CHECK(command.screen().wraps() == 0);
  command.resize(40);
  readBar(command, 5, 40);
  command.resize(200);
  readBar(command, 60, 200);
  command.signal(SIGINT);
  CHECK(command.wait() == 5);
  const auto& lines = command.screen().lines();
  const auto ending = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("stopped by a signal") != std::string::npos;
  });
  REQUIRE(ending != lines.end());
  CHECK(ending->rfind("slicepool: info: stopped by a signal", 0) == 0);
}

TEST_CASE("on a narrow terminal nothing of the bar wraps either") {
  const TemporaryFolder folder;
  TerminalCommand command(longSearch(folder.path("c")), 12);
  while (command.screen().current().find(" %") == std::string::npos) REQUIRE(command.read());
  CHECK(command.screen().wraps() == 0);
  command.resize(200);  // the report has long lines
  command.signal(SIGINT);
  CHECK(command.wait() == 5);
  for (const auto& line : command.screen().lines()) {  // the bar is gone
    const bool bar = line.size() < 12 && line.find(" %") != std::string::npos;
    CHECK_FALSE(bar);
  }
}

TEST_CASE("a sweep shows its progress from the start, and its log lines stand above") {
  const TemporaryFolder folder;
  const std::string path = folder.path("sweep.json");
  std::ofstream(path) << R"({"workload": "factorizations",
    "parameters": {"generators": [6, 9, 20], "element": [600, 601, 602], "sink": "fingerprint"},
    "engine": {"mode": ["cpu", "emulated"], "threads": 1}})";
  TerminalCommand command({commandPath(), "sweep", path, "--output", folder.path("r")}, 120);
  CHECK(command.wait() == 0);
  const std::string& bytes = command.bytes();
  const auto bar = bytes.find("point 1 of 6");
  const auto firstLine = bytes.find("[1/6]");
  REQUIRE(bar != std::string::npos);
  REQUIRE(firstLine != std::string::npos);
  CHECK(bar < firstLine);
  CHECK(bytes.find("point 6 of 6") != std::string::npos);
  int whole = 0;
  for (const auto& line : command.screen().lines()) {
    if (line.find("/6] ") == std::string::npos) continue;
    CHECK(line.rfind("slicepool: info: [", 0) == 0);
    ++whole;
  }
  CHECK(whole == 6);
  for (const auto& line : command.screen().lines()) CHECK(line.find("point ") == std::string::npos);
}

TEST_CASE("peak memory is that of the process, however large its parent is") {
  constexpr std::size_t kBytes = std::size_t{400} << 20;
  std::vector<char> large(kBytes);
  std::memset(large.data(), 1, kBytes);
  const auto record = onlyObject(
      factorizations("6,9,20", "120", {"--sink", "rows", "--json", "--mode", "cpu", "--threads", "1"}).out);
  const auto peak = record["memory"]["peak_host_bytes"].get<std::size_t>();
  CHECK(peak > 0);
  CHECK(peak < kBytes / 2);
  CHECK(large[kBytes / 2] == 1);
  const auto cut = onlyObject(runCommand({"three-in-line", "-n", "16", "--symmetry", "c4", "--json"}).out);
  CHECK(cut["memory"]["peak_host_bytes"].get<std::size_t>() > 0);
  CHECK(cut["seconds"].get<double>() > 0);
  CHECK(cut["steps_per_second"].get<double>() > 0);
  CHECK(cut["phases"]["cutting"].get<double>() > 0);
}

TEST_CASE("the phases of a record sum up to its time in all, which begins with the process") {
  for (const auto& more : std::vector<std::vector<std::string>>{
           {"factorizations", "--generators", "6,9,20", "--element", "120"},
           {"factorizations", "--generators", "6,9,20", "--element", "600", "--sample", "5"},
           {"factorizations", "--generators", "6,9,20", "--element", "600", "--sink", "lengths"},
           {"three-in-line", "-n", "9"},
           {"lattice", "--basis", "[[3 0][1 4]]"},
           {"semigroup", "--named", "full:4"}}) {
    auto words = more;
    words.emplace_back("--json");
    const auto result = runCommand(words);
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    const auto record = onlyObject(result.out);
    double sum = 0;
    for (const auto& phase : record["phases"].items()) sum += phase.value().get<double>();
    CHECK(record["phases"].size() == 7);
    CHECK(sum == doctest::Approx(record["wall_seconds"].get<double>()).epsilon(0.02));
    CHECK(record["phases"]["start"].get<double>() > 0);
    CHECK(record["seconds"].get<double>() <= record["wall_seconds"].get<double>());
  }
}
