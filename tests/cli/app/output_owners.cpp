// Two commands that write one file: the second ends at once with code 2, names the first, and touches
// nothing. The first is held where it writes its trace or its rules into a pipe without a reader yet. And
// what an output may be: every option with every kind of path.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>
#include <map>

#include "cli/command_runner.hpp"
#include "runtime/io/output_guard.hpp"

using namespace slicepool::test;
using Words = std::vector<std::string>;

namespace {

const std::string kBasis = "[[1 0 0][0 1 0][0 0 1]]";

/// "@/x" is x in the folder.
Words in(const TemporaryFolder& folder, Words words) {
  for (auto& word : words)
    if (word.starts_with("@/")) word = folder.path(word.substr(2));
  return words;
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Without the seconds that a record of a shard has, and the hash behind them.
std::string withoutSeconds(const std::string& text) {
  const auto at = text.find("\"seconds\": ");
  return at == std::string::npos ? text : text.substr(0, at);
}

/// Regular files, by name.
std::map<std::string, std::string> filesIn(const TemporaryFolder& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(".")))
    if (entry.is_regular_file() && !entry.is_symlink())
      files[entry.path().filename().string()] = withoutSeconds(contentOf(entry.path().string()));
  return files;
}

/// A started command that has come so far that it has signed its lock.
void waitForOwner(const RunningCommand& command, const std::string& lock) {
  while (!contains(contentOf(lock), "host ")) {
    REQUIRE(command.running());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Words rows(const std::string& output) {
  return {"factorizations", "--generators", "6,9,20",   "--element", "500",
          "--sink",         "rows",         "--output", output};
}
Words solutions(const std::string& option, const std::string& path) {
  return {"three-in-line", "-n", "6", option, path};
}
Words vectors(const std::string& output) {
  return {"lattice", "--basis",     kBasis, "--squared-radius", "5",   "--threads",
          "1",       "--solutions", "all",  "--output",         output};
}
Words monoid(const std::string& option, const std::string& path) {
  return {"semigroup", "--named", "full:3", option, path};
}

struct Pair {
  Words words;
  std::string held;   ///< the option that takes the pipe
  std::string owned;  ///< the file whose lock is looked at
  Words second{};     ///< instead of the same words
};

std::vector<Pair> pairs() {
  std::vector<Pair> all = {
      {rows("@/r.csv"), "--trace", "r.csv"},
      {rows("@/r.npy"), "--trace", "r.npy"},
      {rows("@/r.npy") + Words{"--writing", "streamed"}, "--trace", "r.npy"},
      {rows("@/r.npy") + Words{"--writing", "streamed"}, "--trace", "r.npy.checkpoint",
       rows("@/other.npy") + Words{"--checkpoint", "@/r.npy.checkpoint"}},
      {rows("@/r.npy") + Words{"--shard-rows", "50"}, "--trace", "r.npy"},
      {solutions("--output", "@/s.txt"), "--trace", "s.txt"},
      {solutions("--output", "@/s.svg"), "--trace", "s.svg"},
      {solutions("--record", "@/s"), "--trace", "s"},
      {solutions("--checkpoint", "@/c"), "--trace", "c"},
      {solutions("--checkpoint", "@/c"), "--trace", "c", vectors("@/v.npy") + Words{"--checkpoint", "@/c"}},
      {vectors("@/v.txt"), "--trace", "v.txt"},
      {vectors("@/v.npy"), "--trace", "v.npy"},
      {monoid("--words", "@/w"), "--rules", "w"},
      {monoid("--elements", "@/e.npy"), "--rules", "e.npy"},
      {monoid("--right-cayley-graph", "@/g.csv"), "--rules", "g.csv"},
      {monoid("--left-cayley-graph", "@/g.npy"), "--rules", "g.npy"},
      {monoid("--checkpoint", "@/c"), "--rules", "c"},
  };
  if (writesZstd()) {
    all.push_back({rows("@/r.npy.zst"), "--trace", "r.npy.zst"});
    all.push_back({rows("@/r.npy.zst") + Words{"--shard-rows", "50"}, "--trace", "r.npy.zst"});
  }
  return all;
}

void makeSocket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  close(descriptor);
}

}  // namespace

TEST_CASE("the second of two commands on one file is refused, and the first ends as if it had been alone") {
  for (const auto& pair : pairs()) {
    CAPTURE(pair.words);
    const TemporaryFolder alone;
    REQUIRE(runCommand(in(alone, pair.words)).code == 0);
    const auto expected = filesIn(alone);

    const TemporaryFolder folder;
    const std::string pipe = folder.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const Words words = in(folder, pair.words + Words{pair.held, pipe});
    RunningCommand first(words);
    waitForOwner(first, folder.path(pair.owned + ".lock"));
    const auto second = runCommand(pair.second.empty() ? words : in(folder, pair.second));
    CAPTURE(second.err);
    CHECK(second.code == 2);
    CHECK(contains(second.err, "process " + std::to_string(first.process()) + " ("));
    CHECK(contains(second.err, folder.path(pair.owned)));
    CHECK_FALSE(contentOf(pipe).empty());  // the first goes on, now that there is a reader
    const auto result = first.wait();
    CAPTURE(result.err);
    CHECK(result.code == 0);
    CHECK(filesIn(folder) == expected);
  }
}

TEST_CASE("a checkpoint that a run resumes from is its own, and what a killed run left is no obstacle") {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const Words search = {"three-in-line", "-n", "9", "--threads", "1", "--cpu-budget", "1000"};
  REQUIRE(runCommand(search + in(folder, {"--checkpoint", "@/c", "--step-limit", "2000"})).code == 5);
  const std::string saved = contentOf(folder.path("c"));
  RunningCommand first(search + in(folder, {"--resume", "@/c", "--checkpoint", "@/d", "--trace", pipe}));
  waitForOwner(first, folder.path("c.lock"));
  for (const Words& options : {Words{"--resume", "@/c"}, Words{"--checkpoint", "@/c", "--resume", "auto"},
                               Words{"--checkpoint", "@/c"}, Words{"--record", "@/d"}}) {
    const auto second = runCommand(search + in(folder, options));
    CAPTURE(second.err);
    CHECK(second.code == 2);
    CHECK(contains(second.err, "process " + std::to_string(first.process())));
  }
  CHECK(contentOf(folder.path("c")) == saved);
  first.signal(SIGKILL);
  CHECK(first.wait().code == 128 + SIGKILL);
  CHECK(std::filesystem::exists(folder.path("c.lock")));
  const auto last = runCommand(search + in(folder, {"--resume", "@/c"}));
  CAPTURE(last.err);
  CHECK(last.code == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path("c.lock")));
  CHECK_FALSE(std::filesystem::exists(folder.path("c")));
}

TEST_CASE("merges and sweeps own what they write, too") {
  const TemporaryFolder folder;
  REQUIRE(runCommand(solutions("--record", folder.path("one"))).code == 0);
  const std::string config = folder.path("sweep.json");
  std::ofstream(config) << R"({"workload": "factorizations",
    "parameters": {"generators": [6, 9, 20], "element": [100, 101]}, "engine": {"mode": "cpu"}})";
  std::filesystem::create_directory(folder.path("results"));
  const auto refused = [&](const char* name, const Words& words) {
    slicepool::OutputGuard owner;
    owner.claim({{"output.path", folder.path(name), slicepool::OutputNeed::text}});
    const auto before = filesIn(folder);
    const auto result = runCommand(in(folder, words));
    CAPTURE(result.err);
    CHECK(result.code == 2);
    CHECK(contains(result.err, "process " + std::to_string(getpid())));
    CHECK(filesIn(folder) == before);
  };
  refused("whole", {"merge", "@/one", "--record", "@/whole"});
  refused("whole.txt", {"merge", "@/one", "--output", "@/whole.txt"});
  for (const char* name : {"results/results.jsonl", "results/summary.csv", "results/report.html"})
    refused(name, {"sweep", "@/sweep.json", "--output", "@/results"});
  CHECK(std::filesystem::is_empty(folder.path("results")));
  CHECK(runCommand(in(folder, {"merge", "@/one", "--record", "@/one"})).code == 2);
}

TEST_CASE("two options that name one file are refused before anything is written") {
  const TemporaryFolder folder;
  const Words cases[] = {
      {"semigroup", "--named", "full:3", "--words", "@/a", "--rules", "@/a"},
      {"semigroup", "--named", "full:3", "--words", "@/a", "--rules", "@/./a.part"},
      {"semigroup", "--named", "full:3", "--words", "@/a", "--checkpoint", "@/a"},
      rows("@/r.npy") + Words{"--checkpoint", "@/r.npy"},
      rows("@/r.npy") + Words{"--shard-rows", "50", "--checkpoint", "@/r-00001.npy"},
      rows("@/r.npy") + Words{"--shard-rows", "50", "--trace", "@/r.manifest.json"},
      solutions("--output", "@/s.json") + Words{"--record", "@/s.json"},
      vectors("@/v.txt") + Words{"--trace", "@/v.txt"},
  };
  for (const auto& words : cases) {
    const auto result = runCommand(in(folder, words));
    CAPTURE(words);
    CAPTURE(result.err);
    CHECK(result.code == 2);
    CHECK(folder.empty());
  }
}

TEST_CASE("every option with every kind of path: written, written in place, or refused with code 2") {
  struct Option {
    Words words;  ///< the path is added
    std::string suffix;
    bool text;
    bool link;
  };
  const Option options[] = {
      {{"factorizations", "--generators", "6,9,20", "--element", "500", "--sink", "rows", "--output"},
       ".csv",
       true,
       true},
      {{"factorizations", "--generators", "6,9,20", "--element", "500", "--sink", "rows", "--output"},
       ".npy",
       false,
       true},
      {{"factorizations", "--generators", "6,9,20", "--element", "500", "--sink", "rows", "--writing",
        "streamed", "--output"},
       ".npy",
       false,
       true},
      {{"factorizations", "--generators", "6,9,20", "--element", "500", "--sample", "20", "--output"},
       ".csv",
       true,
       true},
      {{"factorizations", "--generators", "6,9,20", "--element", "500", "--trace"}, "", true, true},
      {{"factorizations", "--generators", "6,9,20", "--element", "500", "--sink", "fingerprint",
        "--algorithm", "candidate", "--trace"},
       "",
       true,
       true},
      {{"three-in-line", "-n", "6", "--output"}, ".txt", true, true},
      {{"three-in-line", "-n", "6", "--output"}, ".svg", true, true},
      {{"three-in-line", "-n", "6", "--record"}, "", true, true},
      {{"three-in-line", "-n", "6", "--checkpoint"}, "", false, false},
      {{"lattice", "--basis", kBasis, "--squared-radius", "5", "--threads", "1", "--solutions", "all",
        "--output"},
       ".txt",
       true,
       true},
      {{"lattice", "--basis", kBasis, "--squared-radius", "5", "--threads", "1", "--solutions", "all",
        "--output"},
       ".npy",
       false,
       true},
      {{"semigroup", "--named", "full:3", "--elements"}, ".npy", false, true},
      {{"semigroup", "--named", "full:3", "--words"}, "", true, true},
      {{"semigroup", "--named", "full:3", "--rules"}, "", true, true},
      {{"semigroup", "--named", "full:3", "--right-cayley-graph"}, ".dot", true, true},
      {{"semigroup", "--named", "full:3", "--left-cayley-graph"}, ".npy", false, true},
      {{"semigroup", "--named", "full:3", "--checkpoint"}, "", false, false},
      {{"three-in-line", "-n", "6", "--resume"}, "", false, false},
  };
  for (const auto& option : options) {
    const bool resumes = option.words.back() == "--resume";
    const TemporaryFolder folder;
    const auto path = [&](const std::string& name) { return folder.path(name + option.suffix); };
    const auto run = [&](const std::string& name) { return runCommand(option.words + Words{path(name)}); };
    CAPTURE(option.words);
    CAPTURE(option.suffix);
    std::filesystem::create_directory(path("folder"));
    std::ofstream(path("target")) << "old";
    std::filesystem::create_symlink("target" + option.suffix, path("link"));
    std::filesystem::create_symlink("nothing", path("dangling"));
    std::ofstream(folder.path("precious")) << "precious";
    std::filesystem::create_symlink("precious", path("side") + ".part");
    makeSocket(path("socket"));
    REQUIRE(mkfifo(path("pipe").c_str(), 0600) == 0);
    Words refused = {"folder", "dangling", "socket", "missing/below", "side", std::string(300, 'n')};
    if (mknod(path("block").c_str(), S_IFBLK | 0600, makedev(240, 0)) == 0) refused.push_back("block");
    if (!option.text) refused.push_back("pipe");
    if (!option.link) refused.push_back("link");
    for (const auto& name : refused) {
      const auto result = run(name);
      CAPTURE(name);
      CAPTURE(result.err);
      CHECK(result.code == 2);
      CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    }
    CHECK(contentOf(path("target")) == "old");
    CHECK(contentOf(folder.path("precious")) == "precious");
    CHECK(std::filesystem::is_symlink(path("side") + ".part"));
    CHECK(std::filesystem::is_fifo(path("pipe")));
    if (resumes) continue;

    const auto fresh = run("new");
    CAPTURE(fresh.err);
    CHECK(fresh.code == 0);
    const std::string expected = std::filesystem::exists(path("new")) ? contentOf(path("new")) : "";
    CHECK(expected.empty() == !option.link);  // of a checkpoint nothing is left
    if (option.link) {
      CHECK(run("link").code == 0);
      CHECK(std::filesystem::is_symlink(path("link")));
      if (option.words.back() != "--trace") CHECK(contentOf(path("target")).size() >= expected.size() / 2);
    }
    if (option.text) {
      RunningCommand writer(option.words + Words{path("pipe")});
      const std::string read = contentOf(path("pipe"));
      CHECK(writer.wait().code == 0);
      CHECK(std::filesystem::is_fifo(path("pipe")));
      CHECK_FALSE(read.empty());
      if (option.words.back() == "--output" || option.words.front() == "semigroup") CHECK(read == expected);
    }
  }
}

TEST_CASE("devices take text in place and are never replaced, and a full one is a limit") {
  CHECK(runCommand(monoid("--words", "/dev/null")).code == 0);
  CHECK(runCommand(solutions("--record", "/dev/null")).code == 0);
  for (const Words& words : {monoid("--words", "/dev/full"), monoid("--rules", "/dev/full"),
                             solutions("--record", "/dev/full"), solutions("--trace", "/dev/full")}) {
    const auto result = runCommand(words);
    CAPTURE(result.err);
    CHECK(result.code == 4);
    CHECK(contains(result.err, "/dev/full"));
    CHECK(contains(result.err, "bytes"));
  }
  for (const Words& words : {solutions("--checkpoint", "/dev/null"), monoid("--checkpoint", "/dev/full")})
    CHECK(runCommand(words).code == 2);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(std::filesystem::is_character_file("/dev/full"));
  const auto printed = runCommand(monoid("--words", "/dev/stdout"));
  CHECK(printed.code == 0);
  const TemporaryFolder folder;
  REQUIRE(runCommand(monoid("--words", folder.path("w"))).code == 0);
  CHECK(printed.out.starts_with(contentOf(folder.path("w"))));
}

TEST_CASE(
    "a limit on file sizes is a full disk: code 4, the file is named, and nothing half-written is left") {
  const Words cases[] = {
      {"factorizations", "--generators", "13,37,38,40", "--element", "6000", "--sink", "rows", "--output",
       "@/r.csv"},
      {"factorizations", "--generators", "13,37,38,40", "--element", "6000", "--sink", "rows", "--output",
       "@/r.npy"},
      {"factorizations", "--generators", "13,37,38,40", "--element", "6000", "--sink", "rows", "--writing",
       "streamed", "--output", "@/r.npy"},
      {"semigroup", "--named", "full:5", "--words", "@/w"},
      {"semigroup", "--named", "full:5", "--elements", "@/e.npy"},
      {"semigroup", "--named", "full:5", "--right-cayley-graph", "@/g.csv"},
      {"lattice", "--basis",
       "[[1 0 0 0 0 0][0 1 0 0 0 0][0 0 1 0 0 0][0 0 0 1 0 0][0 0 0 0 1 0][0 0 0 0 0 1]]", "--squared-radius",
       "20", "--solutions", "all", "--output", "@/v.txt"},
      {"three-in-line", "-n", "14", "--threads", "1", "--cpu-budget", "1000", "--checkpoint", "@/c",
       "--step-limit", "2000"},
      {"three-in-line", "-n", "9", "--cpu-budget", "100", "--trace", "@/t.json"},
  };
  for (const auto& words : cases) {
    const TemporaryFolder folder;
    const auto result = runCommand(in(folder, words), 1024);
    CAPTURE(words);
    CAPTURE(result.err);
    CHECK(result.code == 4);
    CHECK(contains(result.err, folder.path("")));
    CHECK(folder.empty());
  }
}
