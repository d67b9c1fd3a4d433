// Streamed outputs of the command: killed at any moment and resumed, verified, refused with a reason.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "command_runner.hpp"

using namespace slicepool::test;

namespace {

const std::string kGenerators = "13,37,38,40";
const std::string kElement = "12000";  // 400,251 rows of 8 bytes

std::vector<std::string> streamOptions(const std::string& path, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"--sink",
                                    "rows",
                                    "--output",
                                    path,
                                    "--fingerprint",
                                    "--json",
                                    "--progress",
                                    "none",
                                    "--buffer-memory",
                                    "40K",
                                    "--writing",
                                    "streamed",
                                    "--threads",
                                    "2",
                                    "--writers",
                                    "2",
                                    "--checkpoint-interval",
                                    "0.1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::map<std::string, std::string> filesIn(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = contentOf(entry.path().string());
  return files;
}

/// Builds with libzstd can be asked for .npy.zst.
bool writesZstd() {
  const TemporaryFolder folder;
  return factorizations("6,9", "60", {"--sink", "rows", "--output", folder.path("a.npy.zst")}).code == 0;
}

}  // namespace

TEST_CASE("killed with SIGKILL at random moments and resumed, an output has the bytes of an unhurt one") {
  std::mt19937 random(20240817);
  std::vector<std::vector<std::string>> cases = {{".npy"}, {".npy", "--shard-rows", "30000"}};
  if (writesZstd()) {
    cases.push_back({".npy.zst", "--frame-size", "4K"});
    cases.push_back({".npy.zst", "--frame-size", "4K", "--shard-rows", "30000"});
  }
  int kills = 0;
  int resumed = 0;  // from the middle
  for (const auto& words : cases) {
    const std::string name = "rows" + words[0];
    const std::vector<std::string> more(words.begin() + 1, words.end());
    CAPTURE(name);
    const TemporaryFolder whole;
    const auto began = std::chrono::steady_clock::now();
    const auto expected = factorizations(kGenerators, kElement, streamOptions(whole.path(name), more));
    const auto took = std::chrono::steady_clock::now() - began;
    CAPTURE(expected.err);
    REQUIRE(expected.code == 0);
    const auto fingerprint = onlyObject(expected.out)["fingerprint"];

    const TemporaryFolder hurt;
    auto command = streamOptions(hurt.path(name), more);
    command.insert(command.end(), {"--resume", "auto"});
    command.insert(command.begin(), {"factorizations", "--generators", kGenerators, "--element", kElement});
    CommandResult result;
    for (int attempt = 0; attempt < 200; ++attempt) {
      RunningCommand running(command);
      // From the first instruction to beyond the end; later attempts live longer, so that the test ends.
      const double share = std::uniform_real_distribution<double>(0, 0.3 + 0.1 * attempt)(random);
      std::this_thread::sleep_for(std::chrono::duration_cast<std::chrono::microseconds>(share * took));
      running.signal(SIGKILL);
      result = running.wait();
      if (result.code != 128 + SIGKILL) break;
      ++kills;
      const std::string checkpoint = contentOf(hurt.path(name) + ".checkpoint");
      if (!checkpoint.empty() && nlohmann::json::parse(checkpoint)["next_rank"] != 0) ++resumed;
    }
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    CHECK(onlyObject(result.out)["fingerprint"] == fingerprint);
    CHECK(onlyObject(result.out)["count"] == 400251);
    const auto found = filesIn(std::filesystem::path(hurt.path("")).parent_path());
    const auto wanted = filesIn(std::filesystem::path(whole.path("")).parent_path());
    CHECK(found.size() == wanted.size());
    for (const auto& [file, bytes] : wanted) {
      CAPTURE(file);
      const bool sameBytes = found.count(file) == 1 && found.at(file) == bytes;
      CHECK(sameBytes);
    }
  }
  MESSAGE(kills << " kills, " << resumed << " of them in the middle");
  CHECK(kills >= 8);
  CHECK(resumed >= 2);
}

TEST_CASE("a stream that is stopped says what to resume, exit code 5, without having been asked to save") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows.npy");
  auto options =
      streamOptions(path, {"--algorithm", "candidate", "--cpu-budget", "50", "--time-limit", "0.03"});
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
  CHECK(runCommand({"verify", folder.path("rows-00000.npy")}).code == 2);
  CHECK(runCommand({"verify", folder.path("missing")}).code == 2);
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
