// Manifests and what they say of their shards: every changed bit is seen by the manifest's own hash, and
// every field that is wrong under a good hash by the shards themselves.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <limits>

#include "runtime/factorizations/manifest_check.hpp"
#include "runtime/io/sealed_json.hpp"
#include "runtime/io/zstd_frames.hpp"
#include "slicepool/core/error.hpp"
#include "support/damage.hpp"
#include "support/factorizations/front.hpp"
#include "support/scale.hpp"
#include "support/stored_rows.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using namespace slicepool::testing;
using slicepool::test::contains;
using slicepool::test::writeFile;

namespace {

using Json = nlohmann::ordered_json;

/// A finished output of 229 rows in shards of 60.
struct Output {
  explicit Output(const std::string& suffix = ".npy", std::uint64_t shardRows = 60) {
    Request wanted = request({13, 37, 38, 40}, 900, SinkKind::rows);
    wanted.output.path = folder.path("rows" + suffix);
    wanted.output.shardRows = shardRows;
    if (suffix != ".npy") wanted.output.frameBytes = 100;
    (void)outcomeOf(wanted, engineOptions(Mode::cpu));
    manifest = folder.path("rows.manifest.json");
    json = openSealed(contentOf(manifest));
  }
  [[nodiscard]] std::vector<std::string> problems() const { return verifyManifest(manifest).problems; }
  /// Of the manifest with this content and a good hash; its refusal counts as one.
  [[nodiscard]] std::vector<std::string> problemsOf(const Json& changed) const {
    writeFile(manifest, sealJson(changed.dump(1)));
    try {
      return problems();
    } catch (const ConfigError& error) {
      return {error.what()};
    }
  }

  TemporaryFolder folder;
  std::string manifest;
  Json json;
};

}  // namespace

TEST_CASE("every change of a manifest is refused as a changed manifest") {
  const Output output;
  CHECK(output.problems().empty());
  const std::string good = contentOf(output.manifest);
  test::forEachDamage(good, test::scaled(100) == 100 ? 1 : 20, 4711,
                      [&](const std::string& bad, const std::string& what) {
                        CAPTURE(what);
                        writeFile(output.manifest, bad);
                        CHECK_THROWS_AS((void)output.problems(), ConfigError);
                      });
  writeFile(output.manifest, good);
  CHECK(output.problems().empty());
}

TEST_CASE(
    "every field that says something else of the shards than they do is named, also under a good hash") {
  for (const std::string suffix : {".npy", ".npy.zst"}) {
    if (suffix != ".npy" && !zstdAvailable()) continue;
    CAPTURE(suffix);
    const Output output(suffix);
    CHECK(output.problems().empty());
    const auto wrong = [&](auto&& change) {
      Json changed = output.json;
      change(changed);
      CAPTURE(changed.dump());
      CHECK_FALSE(output.problemsOf(changed).empty());
    };
    for (const char* key : {"generators", "element", "dtype", "dimension", "rows", "shard_rows", "first_rank",
                            "sink", "complete", "shards", "format", "version"}) {
      wrong([&](Json& json) { json.erase(key); });
      wrong([&](Json& json) { json[key] = nullptr; });
      wrong([&](Json& json) { json[key] = -1; });
      wrong([&](Json& json) { json[key] = 1.5; });
      wrong([&](Json& json) { json[std::string(key) + "s"] = json[key]; });
    }
    for (std::size_t i = 0; i < 4; ++i) wrong([&](Json& json) { json["generators"][i] = 41; });
    wrong([](Json& json) { json["generators"] = {37, 13, 38, 40}; });
    wrong([](Json& json) { json["generators"].push_back(40), json["dimension"] = 5; });
    wrong([](Json& json) { json["generators"].erase(3), json["dimension"] = 3; });
    wrong([](Json& json) { json["element"] = 901; });
    wrong([](Json& json) { json["element"] = 900 + (std::uint64_t{1} << 40); });
    wrong([](Json& json) { json["dtype"] = "<u2"; });
    wrong([](Json& json) { json["dimension"] = 5; });
    wrong([](Json& json) { json["rows"] = json["rows"].get<int>() - 1; });
    wrong([](Json& json) { json["rows"] = json["rows"].get<int>() + 1; });
    wrong([](Json& json) { json["shard_rows"] = 61; });
    wrong([](Json& json) { json["complete"] = false; });
    wrong([](Json& json) { json["sink"] = "count"; });
    wrong([](Json& json) { json["first_rank"] = 1; });
    wrong([](Json& json) { json["shards"].erase(3); });
    wrong([](Json& json) { std::swap(json["shards"][0], json["shards"][1]); });
    wrong([](Json& json) { std::swap(json["shards"][0]["file"], json["shards"][1]["file"]); });
    // Ranks and rows moved as a whole.
    wrong([](Json& json) {
      json["first_rank"] = 1;
      for (auto& shard : json["shards"]) {
        shard["first_rank"] = shard["first_rank"].get<int>() + 1;
        shard["end_rank"] = shard["end_rank"].get<int>() + 1;
      }
    });
    for (const char* key : {"file", "first_rank", "end_rank", "rows", "bytes", "xxh3"}) {
      wrong([&](Json& json) { json["shards"][1].erase(key); });
      wrong([&](Json& json) { json["shards"][1][key] = 60.0; });
      wrong([&](Json& json) { json["shards"][1][key] = "17"; });
      wrong([&](Json& json) { json["shards"][1][std::string(key) + "s"] = json["shards"][1][key]; });
    }
    writeFile(output.manifest, sealJson(output.json.dump(1)));
    CHECK(output.problems().empty());
  }
}

TEST_CASE("a shard whose hash was written anew is told from its rows, and two swapped ones by their ranks") {
  const Output output;
  const std::string name = output.folder.path("rows-00001.npy");
  const std::string good = contentOf(name);
  const auto problem = [&](const std::string& bytes) {
    writeFile(name, bytes);
    Json changed = output.json;
    changed["shards"][1]["bytes"] = bytes.size();
    changed["shards"][1]["xxh3"] = storedHash(name);
    const auto problems = output.problemsOf(changed);
    return problems.empty() ? "" : problems.front();
  };
  CHECK(problem(good).empty());
  std::string bad = good;
  bad[200] = static_cast<char>(bad[200] ^ 1);
  CHECK(contains(problem(bad), "is not a factorization of 900"));
  bad = good;
  bad.replace(200, 4, good.substr(204, 4));
  CHECK(contains(problem(bad), "is not after the row before it"));
  bad = good;
  bad[62] = ' ';
  bad[20] = 'x';
  CHECK(contains(problem(bad), "has another header"));
  CHECK(contains(problem(good.substr(0, good.size() - 4)), "59 rows, expected 60"));
  CHECK(contains(problem(good.substr(0, good.size() - 3)), "59 rows, expected 60"));
  CHECK(contains(problem(good.substr(0, 50)), "0 rows, expected 60"));
  CHECK(contains(problem(contentOf(output.folder.path("rows-00002.npy"))), "rank"));
}

TEST_CASE("a manifest of version 1 is read with a note, and its shards are held against it") {
  const Output output;
  Json old = output.json;
  old["version"] = 1;
  writeFile(output.manifest, old.dump(1) + "\n");
  const auto check = verifyManifest(output.manifest);
  CHECK(check.problems.empty());
  REQUIRE(check.notes.size() == 1);
  CHECK(contains(check.notes[0], "version 1"));
  old["generators"][0] = 14;
  writeFile(output.manifest, old.dump(1) + "\n");
  CHECK_FALSE(output.problems().empty());
  // The seal cannot be dropped from the version that has it, nor be taken over to the one that has not.
  writeFile(output.manifest, output.json.dump(1) + "\n");
  CHECK_THROWS_AS((void)output.problems(), ConfigError);
  old = output.json;
  old["version"] = 1;
  writeFile(output.manifest, sealJson(old.dump(1)));
  CHECK_THROWS_AS((void)output.problems(), ConfigError);
}

TEST_CASE("FIFOs and folders in the place of shards or manifests are named, not waited for") {
  const Output output;
  const std::string shard = output.folder.path("rows-00001.npy");
  std::filesystem::remove(shard);
  REQUIRE(mkfifo(shard.c_str(), 0600) == 0);
  std::filesystem::remove(output.folder.path("rows-00002.npy"));
  std::filesystem::create_directory(output.folder.path("rows-00002.npy"));
  const auto problems = output.problems();
  REQUIRE(problems.size() == 2);
  CHECK(problems[0] == "rows-00001.npy is not a regular file");
  CHECK(problems[1] == "rows-00002.npy is not a regular file");
  const std::string fifo = output.folder.path("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_THROWS_AS((void)verifyManifest(fifo), ConfigError);
  CHECK_THROWS_AS((void)verifyManifest(output.folder.path("")), ConfigError);
}

TEST_CASE("outputs of every kind verify: ranges of ranks, first:K, wide elements, one row, no row") {
  for (const std::string suffix : {".npy", ".npy.zst"}) {
    if (suffix != ".npy" && !zstdAvailable()) continue;
    const auto verified = [&](Request wanted) {
      const TemporaryFolder folder;
      wanted.output.path = folder.path("rows" + suffix);
      wanted.output.shardRows = 7;
      (void)outcomeOf(wanted, engineOptions(Mode::cpu));
      const auto check = verifyManifest(folder.path("rows.manifest.json"));
      CAPTURE(check.problems.size());
      if (!check.problems.empty()) MESSAGE(check.problems.front());
      CHECK(check.problems.empty());
      CHECK(check.notes.empty());
    };
    Request wanted = request({13, 37, 38, 40}, 700, SinkKind::rows);
    verified(wanted);
    wanted.ranks = RankInterval{"5", "40"};
    verified(wanted);
    wanted.ranks = RankInterval{"5", "5"};
    verified(wanted);
    wanted.ranks.reset();
    wanted.output.elementBytes = 8;
    verified(wanted);
    wanted.sink.kind = SinkKind::first;
    wanted.sink.firstCount = 23;
    verified(wanted);
    verified(request({6, 9, 20}, 43, SinkKind::rows));
    verified(request({6, 9, 20}, 0, SinkKind::rows));
    // Sums beyond 64 bits must not wrap.
    Request wide = request({(std::uint64_t{1} << 62) + 1, 3, 5}, 100, SinkKind::rows);
    wide.output.elementBytes = 8;
    verified(wide);
  }
}
