// Rows that stream to disk: the bytes of the mapped file whatever the buffers, shards and frames, after any
// number of interruptions, and errors that leave nothing behind. One file, because all cases compare with the
// same mapped files.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/factorizations/manifest_check.hpp"
#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/stream_shape.hpp"
#include "runtime/io/sealed_json.hpp"
#include "runtime/io/zstd_frames.hpp"
#include "slicepool/core/error.hpp"
#include "support/factorizations/front.hpp"
#include "support/file_size_limit.hpp"
#include "support/stored_rows.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using namespace slicepool::testing;

namespace {

const Vector kStreamGenerators = {13, 37, 38, 40};
constexpr std::uint64_t kStreamElement = 1500;  // 872 rows of 4 bytes

/// Windows of some 60 rows of 4 bytes.
Request streamed(const std::string& path, SinkKind kind = SinkKind::rows) {
  Request wanted = request(kStreamGenerators, kStreamElement, kind);
  wanted.output.path = path;
  wanted.output.writing = Writing::streamed;
  wanted.output.bufferBytes = 1000;
  return wanted;
}

/// The array in all shards that the manifest lists, each checked against what the manifest says of it.
std::string arrayInShards(const std::string& manifestPath, [[maybe_unused]] bool compressed) {
  const auto json = nlohmann::json::parse(contentOf(manifestPath));
  const auto folder = std::filesystem::path(manifestPath).parent_path();
  CHECK(json["format"] == "slicepool-rows");
  CHECK(json["version"] == 2);
  CHECK(json["complete"] == true);
  std::string all;
  std::uint64_t next = 0;
  for (const auto& shard : json["shards"]) {
    const std::string path = (folder / shard["file"].get<std::string>()).string();
    CAPTURE(path);
    CHECK(shard["first_rank"] == next);
    next = shard["end_rank"];
    CHECK(shard["rows"] == next - shard["first_rank"].get<std::uint64_t>());
    CHECK(shard["bytes"] == std::filesystem::file_size(path));
    CHECK(shard["xxh3"] == storedHash(path));
    std::string npy = contentOf(path);
#ifdef SLICEPOOL_HAVE_ZSTD
    if (compressed) npy = slicepool::testing::decompress(npy).bytes;
#endif
    const std::string header = npyHeader(shard["rows"], json["dimension"], 1);
    CHECK(npy.substr(0, header.size()) == header);
    CHECK(arrayOf(npy).size() == shard["rows"].get<std::size_t>() * json["dimension"].get<std::size_t>());
    all += arrayOf(npy);
  }
  CHECK(json["rows"] == next);
  return all;
}

/// Cancels after some 20,000 rows and resumes, with other buffers each time, until it is done.
int interruptUntilDone(Request wanted, Outcome& outcome) {
  for (int interruptions = 0;; ++interruptions) {
    REQUIRE(interruptions < 1000);
    EngineOptions options = engineOptions(interruptions % 2 == 0 ? Mode::cpu : Mode::emulated);
    options.cpuBudget = 200;
    options.gpuBudget = 20;
    options.checkpointInterval = std::chrono::milliseconds(1);
    options.progressInterval = std::chrono::milliseconds(0);
    Enumeration* running = nullptr;
    const std::uint64_t enough = 20'000 * static_cast<std::uint64_t>(interruptions + 1);
    options.onProgress = [&](const Progress& progress) {
      if (progress.results >= enough) running->cancel();
    };
    wanted.algorithm = interruptions % 2 == 0 ? Algorithm::ranked : Algorithm::candidate;
    wanted.output.bufferBytes += 512;
    Enumeration enumeration(wanted, options);
    running = &enumeration;
    CHECK(enumeration.resumeIfSaved() == (interruptions > 0));
    enumeration.run();
    outcome = enumeration.outcome();
    if (enumeration.finished()) return interruptions;
    CHECK(outcome.checkpointPath == wanted.output.path + ".checkpoint");
    REQUIRE(std::filesystem::exists(outcome.checkpointPath));
  }
}

/// The suffixes that this build can write.
std::vector<std::string> suffixes() {
  return zstdAvailable() ? std::vector<std::string>{".npy", ".npy.zst"} : std::vector<std::string>{".npy"};
}

std::string refusedFieldOf(const Request& wanted) {
  try {
    const Enumeration enumeration(wanted, engineOptions(Mode::cpu));
  } catch (const ConfigError& error) {
    return error.field();
  }
  return "none";
}

}  // namespace

TEST_CASE("windows and blocks cut the rows without gaps, blocks start anew in every shard") {
  for (const std::uint64_t rows : {1ULL, 2ULL, 7ULL, 100ULL, 1000ULL}) {
    for (const std::uint64_t shardRows : {0ULL, 1ULL, 3ULL, 8ULL, 99ULL, 5000ULL}) {
      for (const std::uint64_t blockRows : {1ULL, 4ULL, 7ULL, 300ULL}) {
        for (const std::uint64_t windowBlocks : {1ULL, 2ULL, 5ULL}) {
          StreamShape shape;
          shape.rows = rows;
          shape.shardRows = shardRows;
          shape.blockRows = blockRows;
          shape.windowRows = blockRows * windowBlocks;
          std::uint64_t row = 0;
          while (row < rows) {
            const std::uint64_t windowEnd = shape.windowEnd(row);
            REQUIRE(windowEnd > row);
            REQUIRE(windowEnd - row <= shape.windowRows);
            while (row < windowEnd) {
              const std::uint64_t shard = shape.shardOf(row);
              REQUIRE((row - shape.shardBegin(shard)) % blockRows == 0);
              const std::uint64_t end = shape.blockEnd(row);
              REQUIRE(end > row);
              REQUIRE(end <= windowEnd);
              REQUIRE(end <= shape.shardEnd(shard));
              row = end;
            }
          }
          CHECK(row == rows);
          CHECK(shape.shardEnd(shape.shardCount() - 1) == rows);
        }
      }
    }
  }
}

TEST_CASE("a streamed .npy is the mapped one and the brute force, in every mode and algorithm") {
  const std::string truth = arrayOfRows(bruteForce(kStreamGenerators, kStreamElement), 1);
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::candidate, Algorithm::tabulated,
                                    Algorithm::dynamic, Algorithm::ranked}) {
    for (const Mode mode : {Mode::cpu, Mode::emulated}) {
      CAPTURE(static_cast<int>(algorithm));
      CAPTURE(static_cast<int>(mode));
      const TemporaryFolder folder;
      Request wanted = streamed(folder.path("streamed.npy"));
      wanted.algorithm = algorithm;
      const Outcome outcome = outcomeOf(wanted, engineOptions(mode));
      CHECK(outcome.outputStreamed);
      CHECK(outcome.outputBytes == std::filesystem::file_size(wanted.output.path));
      wanted.output.path = folder.path("mapped.npy");
      wanted.output.writing = Writing::mapped;
      wanted.output.bufferBytes = 0;
      CHECK_FALSE(outcomeOf(wanted, engineOptions(mode)).outputStreamed);
      const std::string bytes = contentOf(folder.path("streamed.npy"));
      CHECK(bytes == contentOf(folder.path("mapped.npy")));
      CHECK(arrayOf(bytes) == truth);
      std::filesystem::remove(folder.path("streamed.npy"));
      std::filesystem::remove(folder.path("mapped.npy"));
      CHECK(folder.empty());
    }
  }
}

TEST_CASE("every element type has its bytes, and first:K is a prefix") {
  auto rows = bruteForce(kStreamGenerators, kStreamElement);
  const TemporaryFolder folder;
  for (const unsigned bytes : {1U, 2U, 4U, 8U}) {
    Request wanted = streamed(folder.path("rows.npy"));
    wanted.output.elementBytes = bytes;
    (void)outcomeOf(wanted, engineOptions(Mode::cpu));
    CHECK(contentOf(wanted.output.path) == npyHeader(rows.size(), 4, bytes) + arrayOfRows(rows, bytes));
  }
  Request first = streamed(folder.path("first.npy"), SinkKind::first);
  first.sink.firstCount = 333;
  (void)outcomeOf(first, engineOptions(Mode::cpu));
  rows.resize(333);
  CHECK(contentOf(first.output.path) == npyHeader(333, 4, 1) + arrayOfRows(rows, 1));
}

TEST_CASE("an output beyond the memory limit streams without being asked") {
  const TemporaryFolder folder;
  Request wanted = request(kStreamGenerators, 12'000, SinkKind::rows);  // 400,251 rows of 8 bytes
  wanted.output.path = folder.path("rows.npy");
  EngineOptions options = engineOptions(Mode::cpu);
  CHECK_FALSE(outcomeOf(wanted, options).outputStreamed);
  const std::string mapped = contentOf(wanted.output.path);
  options.memoryLimit = std::size_t{2} << 20;
  const Outcome outcome = outcomeOf(wanted, options);
  CHECK(outcome.outputStreamed);
  CHECK(outcome.algorithm == Algorithm::ranked);
  const bool sameBytes = contentOf(wanted.output.path) == mapped;
  CHECK(sameBytes);
}

TEST_CASE("shards of any size are the rows in order, and the manifest has their ranges and hashes") {
  const std::string truth = arrayOfRows(bruteForce(kStreamGenerators, kStreamElement), 1);
  const std::uint64_t total = truth.size() / 4;
  for (const std::string& suffix : suffixes()) {
    for (const std::uint64_t shardRows : {std::uint64_t{29}, std::uint64_t{100}, total / 2, total - 1, total,
                                          total + 1, std::uint64_t{1} << 62}) {
      CAPTURE(suffix);
      CAPTURE(shardRows);
      const TemporaryFolder folder;
      Request wanted = streamed(folder.path("rows" + suffix));
      wanted.output.shardRows = shardRows;
      wanted.output.writers = 3;
      if (suffix != ".npy") {
        wanted.output.frameBytes = 128;
        wanted.output.bufferBytes = 2000;
      }
      const Outcome outcome = outcomeOf(wanted, engineOptions(Mode::cpu));
      CHECK(outcome.outputPath == folder.path("rows.manifest.json"));
      CHECK(outcome.outputShards == (total - 1) / shardRows + 1);
      CHECK(arrayInShards(outcome.outputPath, suffix != ".npy") == truth);
      CHECK(verifyManifest(outcome.outputPath).problems.empty());
      CHECK(verifyManifest(outcome.outputPath).bytes == outcome.outputBytes);
      const auto files = std::distance(std::filesystem::directory_iterator(folder.path("")), {});
      CHECK(static_cast<std::uint64_t>(files) == outcome.outputShards + 1);
    }
  }
}

TEST_CASE("empty sets and single rows are one shard with their shape") {
  for (const std::string& suffix : suffixes()) {
    for (const std::uint64_t element : {std::uint64_t{43}, std::uint64_t{0}}) {  // no row; the zero vector
      const TemporaryFolder folder;
      Request wanted = request({6, 9, 20}, element, SinkKind::rows);
      wanted.output.path = folder.path("rows" + suffix);
      wanted.output.shardRows = 5;
      (void)outcomeOf(wanted, engineOptions(Mode::cpu));
      const std::string rows(element == 0 ? 3 : 0, '\0');
      CHECK(arrayInShards(folder.path("rows.manifest.json"), suffix != ".npy") == rows);
      CHECK(verifyManifest(folder.path("rows.manifest.json")).manifest.shards.size() == 1);
      wanted.output.shardRows = 0;
      wanted.output.path = folder.path("one" + suffix);
      wanted.output.writing = Writing::streamed;
      (void)outcomeOf(wanted, engineOptions(Mode::cpu));
      CHECK(std::filesystem::exists(wanted.output.path));
    }
  }
}

TEST_CASE("shards and frames are the same rows where no counting table fits") {
  const Vector generators = {601, 397, 301, 197, 101};  // counting tables of 96 kB
  const std::string truth = arrayOfRows(bruteForce(generators, 6000), 1);
  for (const std::string& suffix : suffixes()) {
    const TemporaryFolder folder;
    EngineOptions options = engineOptions(Mode::cpu);
    options.memoryLimit = 100'000;
    Request wanted = request(generators, 6000, SinkKind::rows);
    wanted.output.path = folder.path("rows" + suffix);
    wanted.output.shardRows = 10;
    if (suffix != ".npy") wanted.output.frameBytes = 64;
    CHECK(outcomeOf(wanted, options).algorithm == Algorithm::candidate);
    CHECK(arrayInShards(folder.path("rows.manifest.json"), suffix != ".npy") == truth);
  }
}

#ifdef SLICEPOOL_HAVE_ZSTD
TEST_CASE("a .npy.zst is frames of the .npy, and the same bytes with any buffers, writers and threads") {
  const auto rows = bruteForce(kStreamGenerators, kStreamElement);
  const std::string npy = npyHeader(rows.size(), 4, 1) + arrayOfRows(rows, 1);
  const TemporaryFolder folder;
  Request wanted = streamed(folder.path("rows.npy.zst"));
  wanted.output.frameBytes = 200;  // 50 rows
  std::string first;
  for (const std::size_t buffers : {std::size_t{1} << 20, std::size_t{2'000}, std::size_t{3'333}}) {
    for (const int writers : {1, 2, 5}) {
      CAPTURE(buffers);
      CAPTURE(writers);
      wanted.output.bufferBytes = buffers;
      wanted.output.writers = writers;
      const Outcome outcome = outcomeOf(wanted, engineOptions(Mode::cpu, writers));
      const std::string bytes = contentOf(wanted.output.path);
      if (first.empty()) first = bytes;
      CHECK(bytes == first);
      const auto found = slicepool::testing::decompress(bytes);
      CHECK(found.bytes == npy);
      CHECK(found.frames == static_cast<int>(1 + (rows.size() + 49) / 50));
      CHECK(outcome.outputBytes == bytes.size());
    }
  }
  wanted.output.compressionLevel = 19;
  (void)outcomeOf(wanted, engineOptions(Mode::cpu));
  CHECK(slicepool::testing::decompress(contentOf(wanted.output.path)).bytes == npy);
  std::string damaged = contentOf(wanted.output.path);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 4);
  CHECK_THROWS((void)slicepool::testing::decompress(damaged));  // frames carry checksums
}
#endif

TEST_CASE("cancelled and resumed streams have the bytes, the count and the fingerprint of whole ones") {
  int interruptions = 0;
  for (const std::string& suffix : suffixes()) {
    for (const std::uint64_t shardRows : {0ULL, 7000ULL}) {
      CAPTURE(suffix);
      CAPTURE(shardRows);
      const TemporaryFolder folder;
      Request wanted = request(kStreamGenerators, 8000, SinkKind::rows);  // 119,537 rows of 8 bytes
      wanted.sink.fingerprint = true;
      wanted.output.path = folder.path("whole" + suffix);
      wanted.output.writing = Writing::streamed;
      wanted.output.shardRows = shardRows;
      wanted.output.bufferBytes = 30'000;
      wanted.output.writers = 2;
      if (suffix != ".npy") wanted.output.frameBytes = 5'000;
      const Outcome whole = outcomeOf(wanted, engineOptions(Mode::cpu));
      wanted.output.path = folder.path("pieces" + suffix);
      Outcome pieces;
      interruptions += interruptUntilDone(wanted, pieces);
      CHECK(pieces.count == whole.count);
      CHECK(pieces.fingerprint == whole.fingerprint);
      CHECK(pieces.outputBytes == whole.outputBytes);
      for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
        const std::string name = entry.path().filename().string();
        CAPTURE(name);
        CHECK(name.find(".part") == std::string::npos);
        CHECK(name.find(".checkpoint") == std::string::npos);
        if (name.rfind("whole", 0) != 0 || name == "whole.manifest.json") continue;
        const bool sameBytes =
            contentOf(entry.path().string()) == contentOf(folder.path("pieces" + name.substr(5)));
        CHECK(sameBytes);
      }
      if (shardRows != 0) CHECK(verifyManifest(pieces.outputPath).problems.empty());
    }
  }
  CHECK(interruptions >= 4);
}

TEST_CASE("a checkpoint that outlived its finished output is resumed to the same bytes") {
  for (const std::string& suffix : suffixes()) {
    for (const std::uint64_t shardRows : {0ULL, 100ULL}) {
      const TemporaryFolder folder;
      Request wanted = streamed(folder.path("rows" + suffix));
      wanted.element = 3000;  // windows enough for four reports of progress, however fast they are
      wanted.output.shardRows = shardRows;
      wanted.algorithm = Algorithm::ranked;
      if (suffix != ".npy") {
        wanted.output.frameBytes = 128;
        wanted.output.bufferBytes = 2000;
        wanted.output.writers = 1;
      }
      EngineOptions options = engineOptions(Mode::cpu);
      options.checkpointInterval = std::chrono::milliseconds(0);
      // The last checkpoint of a whole run is copied while it runs: whenever it is there.
      const std::string checkpoint = wanted.output.path + ".checkpoint";
      options.progressInterval = std::chrono::milliseconds(0);
      Enumeration* running = nullptr;
      int calls = 0;
      options.onProgress = [&](const Progress&) {
        if (++calls == 4) running->cancel();
      };
      {
        Enumeration enumeration(wanted, options);
        running = &enumeration;
        enumeration.run();
        REQUIRE_FALSE(enumeration.finished());
      }
      std::filesystem::copy_file(checkpoint, folder.path("copy"));
      options.onProgress = nullptr;
      Enumeration rest(wanted, options);
      rest.resumeFrom(checkpoint);
      rest.run();
      REQUIRE(rest.finished());
      CHECK_FALSE(std::filesystem::exists(checkpoint));
      std::map<std::string, std::string> before;
      for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
        before[entry.path().filename().string()] = contentOf(entry.path().string());
      before.erase("copy");

      std::filesystem::rename(folder.path("copy"), checkpoint);
      Enumeration again(wanted, options);
      CHECK(again.resumeIfSaved());
      again.run();
      CHECK(again.finished());
      std::map<std::string, std::string> after;
      for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
        after[entry.path().filename().string()] = contentOf(entry.path().string());
      const bool sameFiles = before == after;
      CHECK(sameFiles);
    }
  }
}

TEST_CASE("a checkpoint is refused when its shards or its unfinished file are not there") {
  const TemporaryFolder folder;
  Request wanted = streamed(folder.path("rows.npy"));
  wanted.output.shardRows = 90;
  wanted.algorithm = Algorithm::ranked;
  EngineOptions options = engineOptions(Mode::cpu);
  options.progressInterval = std::chrono::milliseconds(0);
  Enumeration* running = nullptr;
  options.onProgress = [&](const Progress& progress) {
    if (progress.results > 200) running->cancel();
  };
  Enumeration stopped(wanted, options);
  running = &stopped;
  stopped.run();
  REQUIRE_FALSE(stopped.finished());
  const auto half = verifyManifest(folder.path("rows.manifest.json"));
  CHECK_FALSE(half.manifest.complete);
  CHECK_FALSE(half.problems.empty());
  CHECK_FALSE(half.manifest.shards.empty());
  options.onProgress = nullptr;
  const auto resume = [&](const Request& made) {
    Enumeration enumeration(made, options);
    enumeration.resumeIfSaved();
    enumeration.run();
  };
  Request other = wanted;
  other.output.shardRows = 91;
  CHECK_THROWS_AS(resume(other), CheckpointError);
  std::filesystem::resize_file(folder.path("rows-00001.npy"), 100);
  CHECK_THROWS_AS(resume(wanted), CheckpointError);
  CHECK(readManifest(folder.path("rows.manifest.json")).shards.size() == half.manifest.shards.size());
}

TEST_CASE("verification names shards that changed, are missing or are not where they say") {
  const TemporaryFolder folder;
  Request wanted = streamed(folder.path("rows.npy"));
  wanted.output.shardRows = 200;
  (void)outcomeOf(wanted, engineOptions(Mode::cpu));
  const std::string manifest = folder.path("rows.manifest.json");
  CHECK(verifyManifest(manifest).problems.empty());
  const std::string path = folder.path("rows-00002.npy");
  const std::string good = contentOf(path);
  std::string bad = good;
  bad.back() = static_cast<char>(bad.back() ^ 1);
  std::ofstream(path, std::ios::binary) << bad;
  std::filesystem::remove(folder.path("rows-00001.npy"));
  std::filesystem::resize_file(folder.path("rows-00000.npy"), 10);
  const auto problems = verifyManifest(manifest).problems;
  REQUIRE(problems.size() == 3);
  CHECK(problems[0].find("rows-00000.npy has 10 bytes, expected ") == 0);
  CHECK(problems[1] == "rows-00001.npy cannot be opened: No such file or directory");
  CHECK(problems[2].find("rows-00002.npy has hash ") == 0);
  auto json = openSealed(contentOf(manifest));
  json["shards"].erase(2);
  std::ofstream(manifest) << sealJson(json.dump(1));
  CHECK(verifyManifest(manifest).problems.back().find("rows-00003.npy has ranks 600") == 0);
  json["shards"][0]["file"] = "../elsewhere.npy";
  std::ofstream(manifest) << sealJson(json.dump(1));
  CHECK(verifyManifest(manifest).problems.front() == "../elsewhere.npy is not a plain file name");
  std::ofstream(manifest) << "{\"format\": \"something\"}";
  CHECK_THROWS_AS((void)verifyManifest(manifest), ConfigError);
  CHECK_THROWS_AS((void)verifyManifest(folder.path("missing")), ConfigError);
}

TEST_CASE("a disk that is full at the start or in the middle is a LimitError") {
  for (const std::string& suffix : suffixes()) {
    const TemporaryFolder folder;
    Request wanted = streamed(folder.path("rows" + suffix));
    if (suffix != ".npy") {
      wanted.output.frameBytes = 400;
      wanted.output.bufferBytes = 0;
    }
    {
      const test::FileSizeLimit limit(1200);
      CHECK_THROWS_AS((void)outcomeOf(wanted, engineOptions(Mode::cpu)), LimitError);
    }
    CHECK_FALSE(std::filesystem::exists(wanted.output.path));
    // What a resume needs may be there; it leads to the right bytes.
    Enumeration rest(wanted, engineOptions(Mode::cpu));
    (void)rest.resumeIfSaved();
    rest.run();
    CHECK(rest.finished());
    CHECK_FALSE(std::filesystem::exists(wanted.output.path + ".checkpoint"));
  }
  const TemporaryFolder folder;
  {
    const test::FileSizeLimit limit(600);  // room for the checkpoint, not for the file
    CHECK_THROWS_AS((void)outcomeOf(streamed(folder.path("rows.npy")), engineOptions(Mode::cpu)), LimitError);
  }
  CHECK(folder.empty());
}

TEST_CASE("settings that contradict each other name their field") {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& name, auto&& change) {
    Request wanted = request(kStreamGenerators, kStreamElement, SinkKind::rows);
    wanted.output.path = folder.path(name);
    change(wanted.output);
    return refusedFieldOf(wanted);
  };
  CHECK(with(
            "a.npy", [](OutputSpec&) {}) == "none");
  CHECK(with(
            "a.csv", [](OutputSpec& o) { o.shardRows = 5; }) == "output.shard_rows");
  CHECK(with(
            "a.csv", [](OutputSpec& o) { o.writing = Writing::streamed; }) == "output.writing");
  CHECK(with(
            "a.csv", [](OutputSpec& o) { o.bufferBytes = 5; }) == "output.buffer_memory");
  CHECK(with(
            "a.csv", [](OutputSpec& o) { o.writers = 5; }) == "output.writers");
  CHECK(with(
            "a.npy", [](OutputSpec& o) { o.compressionLevel = 5; }) == "output.compression_level");
  CHECK(with(
            "a.npy", [](OutputSpec& o) { o.frameBytes = 5; }) == "output.frame_size");
  CHECK(with("a.npy", [](OutputSpec& o) { o.writers = -1; }) == "output.writers");
  CHECK(with("a.npy", [](OutputSpec& o) {
          o.shardRows = 5;
          o.writing = Writing::mapped;
        }) == "output.writing");
  CHECK(with("missing/a.npy", [](OutputSpec&) {}) == "output.path");
  if (!zstdAvailable()) {
    CHECK(with("a.npy.zst", [](OutputSpec&) {}) == "output.path");
    return;
  }
  CHECK(with(
            "a.npy.zst", [](OutputSpec& o) { o.compressionLevel = 23; }) == "output.compression_level");
  CHECK(with(
            "a.npy.zst", [](OutputSpec& o) { o.writing = Writing::mapped; }) == "output.writing");
  CHECK(with("a.npy.zst", [](OutputSpec& o) { o.bufferBytes = 1000; }) == "output.buffer_memory");
  CHECK(with("a.txt.zst", [](OutputSpec&) {}) == "output.path");
  CHECK(folder.empty());
}
