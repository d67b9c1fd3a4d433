// Streamed outputs of the command: killed at any moment and resumed, verified, refused with a reason.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "cli/command_runner.hpp"

using namespace slicepool::test;

namespace {

const std::string kGenerators = "13,37,38,40";
const std::string kElement = "12000";  // 400,251 rows of 8 bytes

std::vector<std::string> streamOptions(const std::string& path, const std::vector<std::string>& more) {
  std::vector<std::string> words = {
      "--sink",          "rows", "--output",  path,       "--fingerprint", "--json", "--progress", "none",
      "--buffer-memory", "40K",  "--writing", "streamed", "--threads",     "2",      "--writers",  "2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::map<std::string, std::string> filesIn(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = contentOf(entry.path().string());
  return files;
}

}  // namespace

TEST_CASE("killed with SIGKILL at random rows and resumed, an output has the bytes of an unhurt one") {
  constexpr std::uint64_t kRows = 400'251;
  std::mt19937_64 random(20240817);
  std::vector<std::vector<std::string>> cases = {{".npy"}, {".npy", "--shard-rows", "30000"}};
  if (writesZstd()) {
    cases.push_back({".npy.zst", "--frame-size", "4K"});
    cases.push_back({".npy.zst", "--frame-size", "4K", "--shard-rows", "30000"});
  }
  for (const auto& words : cases) {
    const std::string name = "rows" + words[0];
    const std::vector<std::string> more(words.begin() + 1, words.end());
    CAPTURE(name);
    const TemporaryFolder whole;
    const auto expected = factorizations(kGenerators, kElement, streamOptions(whole.path(name), more));
    CAPTURE(expected.err);
    REQUIRE(expected.code == 0);
    const auto fingerprint = onlyObject(expected.out)["fingerprint"];

    const TemporaryFolder hurt;
    auto command = streamOptions(hurt.path(name), more);
    command.insert(command.end(), {"--resume", "auto"});
    command.insert(command.begin(), {"factorizations", "--generators", kGenerators, "--element", kElement});
    // A window sleeps for 20 ms: seconds in all, in whose middle it can be killed.
    auto slow = command;
    slow.insert(slow.end(), {"--mode", "emulated", "--emulated-alone", "--emulated-slowdown", "20",
                             "--checkpoint-interval", "0.001"});
    const auto savedRows = [&] {
      const auto checkpoint =
          nlohmann::json::parse(contentOf(hurt.path(name) + ".checkpoint"), nullptr, false);
      return checkpoint.is_discarded() ? std::uint64_t{0} : checkpoint["next_rank"].get<std::uint64_t>();
    };
    for (int kill = 0; kill < 6; ++kill) {
      const std::uint64_t before = savedRows();
      // At once; when there is a first file; then further and further, by up to a quarter of what is left.
      const std::uint64_t until = kill < 2 ? before : before + 1 + random() % ((kRows - before) / 4);
      RunningCommand running(slow);
      if (kill == 1) waitUntil([&] { return !hurt.empty(); });
      if (kill > 1) waitUntil([&] { return savedRows() >= until; });
      running.signal(SIGKILL);
      CHECK(running.wait().code == 128 + SIGKILL);
      CHECK(savedRows() >= until);
    }
    CHECK(savedRows() > 0);
    CHECK(savedRows() < kRows);
    const CommandResult result = runCommand(command);
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    CHECK(onlyObject(result.out)["fingerprint"] == fingerprint);
    CHECK(onlyObject(result.out)["count"] == kRows);
    const auto found = filesIn(std::filesystem::path(hurt.path("")).parent_path());
    const auto wanted = filesIn(std::filesystem::path(whole.path("")).parent_path());
    CHECK(found.size() == wanted.size());
    for (const auto& entry : wanted) {
      const auto& file = entry.first;
      const auto& bytes = entry.second;
      CAPTURE(file);
      const bool sameBytes = found.count(file) == 1 && found.at(file) == bytes;
      CHECK(sameBytes);
    }
  }
}

TEST_CASE("a stream that is stopped says what to resume, exit code 5, without having been asked to save") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows.npy");
  auto options =
      streamOptions(path, {"--algorithm", "candidate", "--cpu-budget", "50", "--step-limit", "200000"});
  const auto stopped = factorizations(kGenerators, "20000", options);
  CAPTURE(stopped.err);
  CHECK(stopped.code == 5);
  CHECK(contains(stopped.err, "--resume " + path + ".checkpoint"));
  CHECK_FALSE(std::filesystem::exists(path));
  // Another algorithm and other buffers may go on with it.
  const auto rest = factorizations(kGenerators, "20000",
                                   {"--sink", "rows", "--output", path, "--resume", path + ".checkpoint",
                                    "--fingerprint", "--writing", "streamed"});
  CHECK(rest.code == 0);
  CHECK(std::filesystem::file_size(path) == 128 + 8 * 1841247);
  CHECK(filesIn(std::filesystem::path(path).parent_path()).size() == 1);
}

TEST_CASE("verify: exit code 0 for what was written, 1 with the name of a damaged shard, 2 for no manifest") {
  const TemporaryFolder folder;
  const std::string manifest = folder.path("rows.manifest.json");
  REQUIRE(factorizations(kGenerators, "2000",
                         {"--sink", "rows", "--output", folder.path("rows.npy"), "--shard-rows", "500"})
              .code == 0);
  CHECK(runCommand({"verify", manifest}).code == 0);
  CHECK(onlyObject(runCommand({"verify", manifest, "--json"}).out)["problems"].empty());
  std::ofstream(folder.path("rows-00001.npy"), std::ios::binary | std::ios::in | std::ios::out) << "x";
  const auto damaged = runCommand({"verify", manifest});
  CHECK(damaged.code == 1);
  CHECK(contains(damaged.err, "rows-00001.npy has hash"));
  CHECK(onlyObject(runCommand({"verify", manifest, "--json"}).out)["problems"].size() == 1);
  auto changed = contentOf(manifest);
  changed.replace(changed.find("2000"), 4, "2001");  // the element
  std::ofstream(folder.path("changed.manifest.json")) << changed;
  const auto refused = runCommand({"verify", folder.path("changed.manifest.json")});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "its content does not match its hash"));
  CHECK(runCommand({"verify"}).code == 2);
  CHECK(runCommand({"verify", folder.path("rows-00000.npy")}).code == 2);
  CHECK(runCommand({"verify", folder.path("missing")}).code == 2);
}

TEST_CASE("exit 2: an unfinished output, its checkpoint or a finished shard that was changed; all stay") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows.npy");
  // As many rows as two shards and a half, of which an unfinished file holds the beginning.
  auto command = streamOptions(
      path, {"--shard-rows", "30000", "--step-limit", "90000", "--checkpoint-interval", "0.001"});
  const auto stopped = factorizations(kGenerators, kElement, command);
  CAPTURE(stopped.err);
  REQUIRE(stopped.code == 5);
  const auto files = filesIn(std::filesystem::path(path).parent_path());
  const auto again = [&] {
    auto words = streamOptions(path, {"--shard-rows", "30000", "--resume", "auto"});
    return factorizations(kGenerators, kElement, words);
  };
  for (const auto& entry : files) {
    const auto& name = entry.first;
    const auto& bytes = entry.second;
    if (name == "rows.manifest.json") continue;
    CAPTURE(name);
    std::string bad = bytes;
    bad[200] = static_cast<char>(bad[200] ^ 4);
    std::ofstream(folder.path(name), std::ios::binary) << bad;
    const auto result = again();
    CAPTURE(result.err);
    CHECK(result.code == 2);
    CHECK(contains(result.err, folder.path(name)));
    auto expected = files;
    expected[name] = bad;
    CHECK((filesIn(std::filesystem::path(path).parent_path()) == expected));
    std::ofstream(folder.path(name), std::ios::binary) << bytes;
  }
  CHECK(again().code == 0);
  CHECK(runCommand({"verify", folder.path("rows.manifest.json")}).code == 0);
}

TEST_CASE("exit 2: bad settings of an output name their field") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& field, const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), {"--sink", "rows", "--output", folder.path(name)});
    const auto result = factorizations("6,9,20", "6000", more);
    CAPTURE(result.err);
    CHECK(result.code == 2);
    CHECK(result.err.rfind("slicepool: error: " + field + ": got ", 0) == 0);
    CHECK(contains(result.err, "; accepted: "));
  };
  refused("output.shard_rows", "a.npy", {"--shard-rows", "0"});
  refused("output.shard_rows", "a.npy", {"--shard-rows", "many"});
  refused("output.shard_rows", "a.csv", {"--shard-rows", "5"});
  refused("output.writing", "a.npy", {"--writing", "quickly"});
  refused("output.writing", "a.npy", {"--writing", "mapped", "--shard-rows", "5"});
  refused("output.writers", "a.npy", {"--writers", "1000"});
  refused("output.buffer_memory", "a.npy", {"--writing", "streamed", "--buffer-memory", "some"});
  refused("output.frame_size", "a.npy", {"--frame-size", "1M"});
  refused("output.compression_level", "a.npy", {"--compression-level", "3"});
  refused("output.element_type", "a.npy", {"--element-type", "float"});
  refused("output.element_type", "a.npy", {"--element-type", "uint8"});  // 6000 / 6 = 1000
  refused("output.path", "missing/a.npy", {});
  refused("output.path", "a.npz", {});
  refused("resume", "a.npy", {"--resume", "auto", "--writing", "mapped"});
  CHECK(filesIn(std::filesystem::path(folder.path("")).parent_path()).empty());
  CHECK(factorizations("6,9,20", "60", {"--element-type", "uint32"}).code == 2);  // a count has no rows
  CHECK(factorizations("6,9,20", "60", {"--sink", "first:2", "--element-type", "uint32", "--json"}).code ==
        0);
}
