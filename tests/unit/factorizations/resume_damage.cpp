// What a resume finds: unfinished files, finished shards and checkpoints with one bit, digit or length
// changed, or of another run. Each is refused with nothing changed, or ends with the bytes of a run that was
// never stopped.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "runtime/factorizations/csv.hpp"
#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/factorizations/row_check.hpp"
#include "runtime/factorizations/row_stream.hpp"
#include "runtime/factorizations/window_checkpoint.hpp"
#include "runtime/io/zstd_frames.hpp"
#include "slicepool/core/error.hpp"
#include "support/damage.hpp"
#include "support/factorizations/front.hpp"
#include "support/scale.hpp"
#include "support/stored_rows.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using namespace slicepool::testing;
using slicepool::test::Files;
using slicepool::test::filesIn;
using slicepool::test::forEachDamage;
using slicepool::test::makeFolder;
using slicepool::test::scaled;
using slicepool::test::writeFile;

namespace {

const Vector kResumeGenerators = {13, 37, 38, 40};
constexpr std::uint64_t kResumeElement = 1200;  // some 450 rows of 4 bytes

enum class Kind { npy, shards, zstd, zstdShards, csv, mapped };

std::vector<Kind> kinds() {
  if (!zstdAvailable()) return {Kind::npy, Kind::shards, Kind::csv, Kind::mapped};
  return {Kind::npy, Kind::shards, Kind::zstd, Kind::zstdShards, Kind::csv, Kind::mapped};
}

Request requestOf(Kind kind, const std::string& folder, std::uint64_t element = kResumeElement) {
  Request wanted = request(kResumeGenerators, element, SinkKind::rows);
  wanted.algorithm = Algorithm::ranked;
  const bool compressed = kind == Kind::zstd || kind == Kind::zstdShards;
  wanted.output.path = folder + "/rows" + (kind == Kind::csv ? ".csv" : compressed ? ".npy.zst" : ".npy");
  if (kind == Kind::mapped) wanted.output.writing = Writing::mapped;
  if (kind == Kind::csv || kind == Kind::mapped) return wanted;
  wanted.output.writing = Writing::streamed;
  wanted.output.bufferBytes = compressed ? 3000 : 1000;
  wanted.output.writers = 2;
  if (compressed) wanted.output.frameBytes = 200;
  if (kind == Kind::shards || kind == Kind::zstdShards) wanted.output.shardRows = 170;
  return wanted;
}

EngineOptions optionsOf(const Request& wanted) {
  EngineOptions options = engineOptions(Mode::cpu);
  options.checkpointPath = wanted.output.path + ".checkpoint";
  return options;
}

/// An output whose first rows are written, as a killed process leaves it.
struct Stopped {
  Kind kind = Kind::npy;
  Files files;      ///< checkpoint, unfinished file, finished shards, manifest
  Files reference;  ///< of the run that was never stopped
};

void stopStream(const Request& wanted, std::uint64_t rows, const std::string& bytes) {
  const StreamShape shape = makeStreamShape(wanted, {rows, 1'000'000, 1, std::size_t{256} << 20, 0, 2});
  StreamBooks books = makeStreamBooks(wanted, rows, 1);
  books.checkpointPath = wanted.output.path + ".checkpoint";
  RowStream stream(shape, std::move(books), std::nullopt);
  std::uint64_t row = 0;
  while (row < rows * 2 / 3 || row == shape.shardBegin(shape.shardOf(row))) {  // in the middle of a file
    const std::uint64_t end = shape.windowEnd(row);
    std::byte* const buffer = stream.acquire();
    std::memcpy(buffer, bytes.data() + 4 * row, 4 * (end - row));
    stream.submit({row, end}, buffer, {end}, 10 * end);
    row = end;
  }
  REQUIRE(row < rows);
  stream.suspend();
}

void stopCsv(const Request& wanted, std::uint64_t rows, const std::string& bytes) {
  CsvFile file(wanted.output.path, 4, false, 0);
  file.write(reinterpret_cast<const std::byte*>(bytes.data()), rows / 2, 1, 1);
  file.keepPart();
  file.sync();
  writeWindowCheckpoint(wanted.output.path + ".checkpoint",
                        {canonicalRowsText(wanted), rows / 2, file.bytes(), file.hash(), {rows / 2}, 5, {}});
}

void stopMapped(const Request& wanted, std::uint64_t rows, const std::string& bytes) {
  NpyFile file(wanted.output.path, rows, 4, 1, false);
  std::memcpy(file.rows(), bytes.data(), 4 * (rows / 2));
  file.keepPart();
  writeWindowCheckpoint(wanted.output.path + ".checkpoint",
                        {canonicalRowsText(wanted), rows / 2, file.fileBytes(), {}, {rows / 2}, 5, {}});
}

Stopped stopped(Kind kind, std::uint64_t element = kResumeElement) {
  const TemporaryFolder folder;
  Stopped result{kind, {}, {}};
  std::filesystem::create_directories(folder.path("whole"));
  (void)outcomeOf(requestOf(kind, folder.path("whole"), element), engineOptions(Mode::cpu));
  result.reference = filesIn(folder.path("whole"));
  std::filesystem::create_directories(folder.path("stopped"));
  const Request wanted = requestOf(kind, folder.path("stopped"), element);
  const auto rows = bruteForce(kResumeGenerators, element);
  const std::string bytes = arrayOfRows(rows, 1);
  if (kind == Kind::csv)
    stopCsv(wanted, rows.size(), bytes);
  else if (kind == Kind::mapped)
    stopMapped(wanted, rows.size(), bytes);
  else
    stopStream(wanted, rows.size(), bytes);
  result.files = filesIn(folder.path("stopped"));
  return result;
}

std::string nameEndingIn(const Files& files, const std::string& end) {
  for (const auto& [name, bytes] : files)
    if (name.size() > end.size() && name.substr(name.size() - end.size()) == end) return name;
  return {};
}

enum class End { same, refused, otherwise };

/// Resumes in a folder with these files. `why` is what was said.
End resume(Kind kind, const Files& files, const Files& reference, std::string& why) {
  static const TemporaryFolder folder;
  makeFolder(folder.path("try"), files);
  const Request wanted = requestOf(kind, folder.path("try"));
  try {
    Enumeration enumeration(wanted, optionsOf(wanted));
    if (!enumeration.resumeIfSaved()) return End::otherwise;
    enumeration.run();
    why = "it ended";
    return enumeration.finished() && filesIn(folder.path("try")) == reference ? End::same : End::otherwise;
  } catch (const Error& error) {
    if (error.exitCode() != 2) throw;
    why = error.what();
    return filesIn(folder.path("try")) == files ? End::refused : End::otherwise;
  }
}

}  // namespace

TEST_CASE("an unhurt stop of every kind of output is resumed to the bytes of a run that was never stopped") {
  for (const Kind kind : kinds()) {
    CAPTURE(static_cast<int>(kind));
    const Stopped from = stopped(kind);
    std::string why;
    const End end = resume(kind, from.files, from.reference, why);
    CAPTURE(why);
    CHECK(end == End::same);
  }
}

TEST_CASE("every change of a window checkpoint is refused and nothing is touched") {
  for (const Kind kind : kinds()) {
    CAPTURE(static_cast<int>(kind));
    const Stopped from = stopped(kind);
    const std::string name = nameEndingIn(from.files, ".checkpoint");
    const std::string good = from.files.at(name);
    const std::size_t step = scaled(100) == 100 ? (kind == Kind::shards ? 1 : 5) : 40;
    forEachDamage(good, step, 1234 + static_cast<std::uint64_t>(kind),
                  [&](const std::string& bad, const std::string& what) {
                    CAPTURE(what);
                    Files files = from.files;
                    files[name] = bad;
                    std::string why;
                    const End end = resume(kind, files, from.reference, why);
                    CAPTURE(why);
                    CHECK(end == End::refused);
                  });
  }
}

TEST_CASE(
    "every change of what was written before the checkpoint is refused, what comes after it is harmless") {
  for (const Kind kind : kinds()) {
    CAPTURE(static_cast<int>(kind));
    const Stopped from = stopped(kind);
    int refused = 0;
    for (const auto& entry : from.files) {
      const auto& name = entry.first;
      const auto& good = entry.second;
      if (nameEndingIn({{name, ""}}, ".checkpoint") == name || nameEndingIn({{name, ""}}, ".json") == name)
        continue;
      CAPTURE(name);
      const std::size_t step = scaled(100) == 100 ? 17 : 90;
      forEachDamage(good, step, 99, [&](const std::string& bad, const std::string& what) {
        CAPTURE(what);
        Files files = from.files;
        files[name] = bad;
        std::string why;
        const End end = resume(kind, files, from.reference, why);
        CAPTURE(why);
        CHECK(end != End::otherwise);
        if (end == End::refused) {
          ++refused;
          CHECK(test::contains(why, name));
          CHECK(test::contains(why, "remove the checkpoint"));
        }
      });
    }
    CHECK(refused > 10);
  }
}

TEST_CASE("unfinished files that are missing or of another request are refused, older results stay") {
  for (const Kind kind : kinds()) {
    CAPTURE(static_cast<int>(kind));
    const Stopped from = stopped(kind);
    const Stopped other = stopped(kind, kResumeElement + 13);
    const std::string part = nameEndingIn(from.files, ".part");
    REQUIRE_FALSE(part.empty());
    const std::string name = part.substr(0, part.size() - 5);
    std::string why;
    Files files = from.files;
    files.erase(part);
    CHECK(resume(kind, files, from.reference, why) == End::refused);
    CHECK(test::contains(why, part));
    // A result of another request under the final name, whatever its length.
    for (const std::size_t times : {1, 9}) {
      files[name].clear();
      for (std::size_t i = 0; i < times; ++i) files[name] += other.reference.begin()->second;
      CHECK(resume(kind, files, from.reference, why) == End::refused);
    }
    // The process was killed between the rename and the note of it: the same bytes.
    files[name] = from.reference.at(name);
    CHECK(resume(kind, files, from.reference, why) == End::same);
    // Parts and checkpoints of two requests.
    files = from.files;
    files[part] = other.files.at(nameEndingIn(other.files, ".part"));
    CHECK(resume(kind, files, from.reference, why) == End::refused);
    files = from.files;
    const std::string checkpoint = nameEndingIn(from.files, ".checkpoint");
    files[checkpoint] = other.files.at(checkpoint);
    CHECK(resume(kind, files, from.reference, why) == End::refused);
    CHECK(test::contains(why, "belongs to another request"));
  }
}

TEST_CASE("finished shards that were swapped or are missing are refused") {
  const Stopped from = stopped(Kind::shards);
  REQUIRE(from.files.count("rows-00001.npy") == 1);
  std::string why;
  Files files = from.files;
  std::swap(files["rows-00000.npy"], files["rows-00001.npy"]);
  CHECK(resume(Kind::shards, files, from.reference, why) == End::refused);
  files = from.files;
  files.erase("rows-00001.npy");
  CHECK(resume(Kind::shards, files, from.reference, why) == End::refused);
  CHECK(test::contains(why, "rows-00001.npy cannot be opened"));
}

TEST_CASE("a checkpoint of the version without hashes is refused by its format") {
  const Stopped from = stopped(Kind::npy);
  Files files = from.files;
  files["rows.npy.checkpoint"] =
      "{\n \"format\": \"slicepool-windows-1\",\n \"identity\": \"x\",\n \"next_rank\": 0\n}\n";
  std::string why;
  CHECK(resume(Kind::npy, files, from.reference, why) == End::refused);
  CHECK(test::contains(why, "slicepool-windows-1"));
}

TEST_CASE("a checkpoint with a good hash and results of another run is refused before anything is written") {
  for (const Kind kind : kinds()) {
    CAPTURE(static_cast<int>(kind));
    const Stopped from = stopped(kind);
    const TemporaryFolder folder;
    const std::string name = nameEndingIn(from.files, ".checkpoint");
    writeFile(folder.path(name), from.files.at(name));
    const Request wanted = requestOf(kind, folder.path("x"));
    const WindowCheckpoint good = readWindowCheckpoint(folder.path(name), canonicalRowsText(wanted));
    const auto refused = [&](auto&& change, End expected = End::refused) {
      WindowCheckpoint bad = good;
      change(bad);
      writeWindowCheckpoint(folder.path(name), bad);
      Files files = from.files;
      files[name] = test::contentOf(folder.path(name));
      std::string why;
      const End end = resume(kind, files, from.reference, why);
      CAPTURE(why);
      CHECK(end == expected);
    };
    refused([](WindowCheckpoint& c) { c.nextRank += 1; });
    // How many lines some bytes of text are is not counted again.
    if (kind != Kind::csv) refused([](WindowCheckpoint& c) { c.nextRank += 1, c.words[0] += 1; });
    refused([](WindowCheckpoint& c) { c.nextRank = c.words[0] = 1'000'000'000; });
    refused([](WindowCheckpoint& c) { c.words[0] += 1; });
    refused([](WindowCheckpoint& c) { c.words.push_back(7); });
    refused([](WindowCheckpoint& c) { c.words.clear(); });
    // A mapped file has its length from the start.
    refused([](WindowCheckpoint& c) { c.outputBytes -= 1; }, kind == Kind::mapped ? End::same : End::refused);
    if (kind == Kind::shards || kind == Kind::zstdShards)
      refused([](WindowCheckpoint& c) { c.shards.pop_back(); });
  }
}

TEST_CASE("a mapped file that an engine's checkpoint counts on is looked at before it gets its name") {
  const TemporaryFolder folder;
  Request wanted = requestOf(Kind::mapped, folder.path(""));
  EngineOptions options = optionsOf(wanted);
  options.cpuBudget = 50;
  options.progressInterval = std::chrono::milliseconds(0);
  // A run that is too short to be stopped is tried again with a larger element.
  for (wanted.element = 5000;; wanted.element += 1000) {
    REQUIRE(wanted.element < 60'000);
    Enumeration* running = nullptr;
    options.onProgress = [&](const Progress& progress) {
      if (progress.results > 100) running->cancel();
    };
    Enumeration stop(wanted, options);
    running = &stop;
    stop.run();
    if (!stop.finished() && stop.progress().results > 100) break;
    std::filesystem::remove(wanted.output.path);
    std::filesystem::remove(options.checkpointPath);
  }
  options.onProgress = nullptr;
  const Files files = filesIn(folder.path(""));
  const auto resumed = [&] {
    Enumeration rest(wanted, options);
    CHECK(rest.resumeIfSaved());
    rest.run();
    return rest.finished();
  };
  CHECK(resumed());
  const auto good = filesIn(folder.path(""));
  makeFolder(folder.path(""), files);
  const std::string part = nameEndingIn(files, ".part");
  // A row that is written: whichever it is, it is not zero.
  std::string bytes = files.at(part);
  const auto at = bytes.find_first_not_of('\0', 128);
  REQUIRE(at != std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 64);
  writeFile(folder.path(part), bytes);
  CHECK_THROWS_AS((void)resumed(), CheckpointError);
  CHECK_FALSE(std::filesystem::exists(wanted.output.path));
  CHECK(std::filesystem::exists(options.checkpointPath));
  makeFolder(folder.path(""), files);
  CHECK(resumed());
  CHECK((filesIn(folder.path("")) == good));
}

TEST_CASE("rows that are changed, doubled, left out or of other ranks are named") {
  const auto rows = bruteForce(kResumeGenerators, kResumeElement);
  for (const unsigned width : {1U, 2U, 4U, 8U}) {
    CAPTURE(width);
    const RowCheck kind(kResumeGenerators, kResumeElement, width);
    const std::size_t rowBytes = 4 * width;
    const std::string good = arrayOfRows(rows, width);
    const auto problem = [&](const std::string& bytes, std::uint64_t firstRank) {
      return problemOfRows(kind, reinterpret_cast<const std::byte*>(bytes.data()), bytes.size() / rowBytes,
                           Rank(firstRank), std::size_t{64} << 20, 2);
    };
    CHECK(problem(good, 0).empty());
    CHECK(problem(good.substr(5 * rowBytes, 20 * rowBytes), 5).empty());
    CHECK(test::contains(problem(good.substr(5 * rowBytes), 4), "has rank 5, expected 4"));
    CHECK(test::contains(problem(good.substr(0, 5 * rowBytes) + good.substr(6 * rowBytes), 0), "has rank"));
    CHECK(test::contains(problem(good.substr(0, 5 * rowBytes) + good.substr(4 * rowBytes), 0), "not after"));
    std::string changed = good;
    changed[7 * rowBytes + 1] = static_cast<char>(changed[7 * rowBytes + 1] ^ 1);
    CHECK(test::contains(problem(changed, 0), "row 7 ("));
    CHECK(test::contains(problem(changed, 0), "is not a factorization of 1200"));
  }
}
