// Files that an earlier version wrote (tests/data/stored) are read: a run that it left unfinished ends with
// the result of a run that was never stopped. A change of a slice's layout, of a packing or of an identity
// shows here.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "cli/command_runner.hpp"

using namespace slicepool::test;

namespace {

/// A copy: a run that ends removes its checkpoint.
std::string copied(const TemporaryFolder& folder, const std::string& name) {
  std::string path = folder.path(name);
  std::filesystem::copy_file(dataFile("stored/" + name), path,
                             std::filesystem::copy_options::overwrite_existing);
  return path;
}

/// Blocks of the stored files are compressed.
bool readsZstd() {
  const auto info = onlyObject(runCommand({"info", "--json"}).out);
  return info["build"]["zstd"] == true;
}

struct Unfinished {
  const char* checkpoint;
  std::vector<std::string> arguments;
  std::uint64_t steps;  ///< that were taken before the stop
};

std::vector<Unfinished> unfinished() {
  const std::string basis = dataFile("lattices/bw16.txt");
  const std::vector<std::string> set = {"factorizations", "--generators", "13,37,38,40", "--element", "5000"};
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  return {
      {"three-in-line.ckpt", {"three-in-line", "-n", "8"}, 1660},
      {"lattice.ckpt", {"lattice", "--basis", basis, "--squared-radius", "6", "--fixed-radius"}, 1718},
      {"lattice-kept.ckpt",
       {"lattice", "--basis", basis, "--squared-radius", "6", "--fixed-radius", "--solutions", "3"},
       2259},
      {"candidate.ckpt", with(set, {"--algorithm", "candidate", "--sink", "fingerprint"}), 5600},
      {"tabulated.ckpt", with(set, {"--algorithm", "tabulated", "--sink", "fingerprint"}), 5600},
      {"ranked.ckpt", with(set, {"--algorithm", "ranked", "--sink", "fingerprint"}), 5600},
      {"lengths.ckpt", with(set, {"--algorithm", "candidate", "--sink", "lengths"}), 5600},
      {"semigroup.ckpt", {"semigroup", "--named", "bihecke:4"}, 618},
  };
}

/// What does not depend on how a run went.
nlohmann::json answer(const nlohmann::json& record) {
  nlohmann::json found;
  for (const char* key : {"status", "count", "total", "classes", "nodes", "nodes_per_level", "fingerprint",
                          "lengths", "shortest_squared_norm", "vectors", "size", "stages", "rules"})
    if (record.contains(key)) found[key] = record[key];
  return found;
}

}  // namespace

TEST_CASE("checkpoints of an earlier version lead to the results of whole runs") {
  if (!readsZstd()) return;
  for (const Unfinished& run : unfinished()) {
    CAPTURE(run.checkpoint);
    std::vector<std::string> whole = run.arguments;
    whole.insert(whole.end(), {"--json", "--mode", "cpu"});
    const auto expected = onlyObject(runCommand(whole).out);
    for (const char* mode : {"cpu", "emulated"}) {
      CAPTURE(mode);
      const TemporaryFolder folder;
      const std::string checkpoint = copied(folder, run.checkpoint);
      std::vector<std::string> rest = run.arguments;
      rest.insert(rest.end(), {"--json", "--mode", mode, "--resume", checkpoint});
      const auto result = runCommand(rest);
      CAPTURE(result.err);
      REQUIRE(result.code == 0);
      const auto record = onlyObject(result.out);
      CHECK(answer(record) == answer(expected));
      CHECK(record["resumed"]["steps_before"] == run.steps);
      CHECK(folder.empty());
    }
  }
}

TEST_CASE("a streamed output of an earlier version is finished with the bytes of a whole one") {
  const TemporaryFolder folder;
  const std::vector<std::string> rows = {"--sink", "rows", "--writing", "streamed", "--output"};
  std::vector<std::string> whole = rows;
  whole.push_back(folder.path("whole.npy"));
  REQUIRE(factorizations("13,37,38,40", "2000", whole).code == 0);
  (void)copied(folder, "rows.npy.part");
  (void)copied(folder, "rows.npy.checkpoint");
  std::vector<std::string> rest = rows;
  rest.insert(rest.end(), {folder.path("rows.npy"), "--resume", "auto", "--json"});
  const auto result = factorizations("13,37,38,40", "2000", rest);
  CAPTURE(result.err);
  REQUIRE(result.code == 0);
  CHECK(onlyObject(result.out)["resumed"]["steps_before"] == 896);
  const bool sameBytes = contentOf(folder.path("rows.npy")) == contentOf(folder.path("whole.npy"));
  CHECK(sameBytes);
}

TEST_CASE("shards and records of an earlier version are verified and merged") {
  CHECK(runCommand({"verify", dataFile("stored/shards.manifest.json")}).code == 0);
  const auto merged =
      runCommand({"merge", dataFile("stored/record-0.json"), dataFile("stored/record-1.json"), "--json"});
  CAPTURE(merged.err);
  REQUIRE(merged.code == 0);
  const auto whole = onlyObject(runCommand({"three-in-line", "-n", "7", "--json"}).out);
  const auto record = onlyObject(merged.out);
  for (const char* key : {"count", "total", "classes", "nodes", "fingerprint"}) {
    CAPTURE(key);
    CHECK(record[key] == whole[key]);
  }
}
