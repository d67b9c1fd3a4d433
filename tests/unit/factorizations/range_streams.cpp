// Ranges of ranks that stream to disk: manifests that say which ranks, below and beyond 64 bits, and
// checkpoints that know their range.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/factorizations/manifest_check.hpp"
#include "runtime/factorizations/npy.hpp"
#include "slicepool/core/error.hpp"
#include "support/factorizations/front.hpp"
#include "support/stored_rows.hpp"
#include "support/wide_oracle.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using namespace slicepool::testing;
using slicepool::test::kBeyond64;
using slicepool::test::WideNumber;
using slicepool::test::WideOracle;

namespace {

Request streamedRange(const Vector& generators, std::uint64_t element, const WideNumber& begin,
                      std::uint64_t count, const std::string& path) {
  Request wanted = request(generators, element, SinkKind::rows);
  wanted.ranks = RankInterval{begin.str(), WideNumber(begin + count).str()};
  wanted.output.path = path;
  wanted.output.writing = Writing::streamed;
  wanted.output.bufferBytes = 20'000;
  return wanted;
}

/// A rank in a JSON file: a number to 2^53, text above.
WideNumber rankIn(const nlohmann::json& value) {
  CHECK(value.is_string() == (!value.is_number()));
  WideNumber rank(value.is_string() ? value.get<std::string>() : value.dump());
  CHECK(value.is_string() == (rank > (std::uint64_t{1} << 53)));
  return rank;
}

void checkShards(const Request& wanted, const WideNumber& begin, const std::vector<Vector>& rows,
                 unsigned elementBytes) {
  const Outcome outcome = outcomeOf(wanted, engineOptions(Mode::cpu));
  CHECK(outcome.run.complete);
  CHECK(outcome.count == std::to_string(rows.size()));
  const auto check = verifyManifest(outcome.outputPath);
  CHECK(check.problems.empty());
  CHECK(check.manifest.firstRank == begin);
  const auto json = nlohmann::json::parse(contentOf(outcome.outputPath));
  CHECK(rankIn(json["first_rank"]) == begin);
  WideNumber next = begin;
  std::string all;
  for (const auto& shard : json["shards"]) {
    CHECK(rankIn(shard["first_rank"]) == next);
    next += shard["rows"].get<std::uint64_t>();
    CHECK(rankIn(shard["end_rank"]) == next);
    const auto folder = std::filesystem::path(outcome.outputPath).parent_path();
    all += arrayOf(contentOf((folder / shard["file"].get<std::string>()).string()));
  }
  CHECK(next == begin + rows.size());
  const bool sameRows = all == arrayOfRows(rows, elementBytes);
  CHECK(sameRows);
}

}  // namespace

TEST_CASE("shards of a range of ranks carry the ranks of the whole set") {
  const Vector generators = {13, 37, 38, 40};
  const auto truth = slicepool::testing::bruteForce(generators, 3000);
  for (const std::uint64_t begin : {0U, 1U, 777U}) {
    const TemporaryFolder folder;
    Request wanted = streamedRange(generators, 3000, begin, 1500, folder.path("rows.npy"));
    wanted.output.shardRows = 400;
    const auto first = truth.begin() + static_cast<std::ptrdiff_t>(begin);
    checkShards(wanted, begin, {first, first + 1500}, 1);
  }
}

TEST_CASE("shards of ranks beyond 64 bits say so in text") {
  const TemporaryFolder folder;
  const WideOracle oracle(kBeyond64, 4000);
  const WideNumber begin = (WideNumber(1) << 64) - 200;
  Request wanted = streamedRange(kBeyond64, 4000, begin, 500, folder.path("rows.npy"));
  wanted.output.shardRows = 100;
  const auto rows = oracle.rows(begin, 500);
  checkShards(wanted, begin, rows, 2);
}

TEST_CASE("an interrupted stream of a range is resumed to the same bytes, and by no other range") {
  for (const bool wide : {false, true}) {
    const TemporaryFolder folder;
    const Vector generators = wide ? kBeyond64 : Vector{13, 37, 38, 40};
    const std::uint64_t element = wide ? 4000 : 12'000;
    const WideNumber begin = wide ? (WideNumber(1) << 64) + 12'345 : WideNumber(12'345);
    const std::uint64_t count = 200'000;
    Request whole = streamedRange(generators, element, begin, count, folder.path("whole.npy"));
    (void)outcomeOf(whole, engineOptions(Mode::cpu));
    Request wanted = streamedRange(generators, element, begin, count, folder.path("rows.npy"));
    int interruptions = 0;
    for (;; ++interruptions) {
      REQUIRE(interruptions < 100);
      EngineOptions options = engineOptions(Mode::cpu);
      options.cpuBudget = 200;
      options.checkpointInterval = std::chrono::milliseconds(1);
      options.progressInterval = std::chrono::milliseconds(0);
      Enumeration* running = nullptr;
      const std::uint64_t enough = 40'000 * static_cast<std::uint64_t>(interruptions + 1);
      options.onProgress = [&](const Progress& progress) {
        if (progress.results >= enough) running->cancel();
      };
      Enumeration enumeration(wanted, options);
      running = &enumeration;
      CHECK(enumeration.resumeIfSaved() == (interruptions > 0));
      enumeration.run();
      if (enumeration.finished()) break;
      Request other = wanted;
      other.ranks->end = WideNumber(begin + count + 1).str();
      Enumeration stranger(other, engineOptions(Mode::cpu));
      CHECK_THROWS_AS((void)stranger.resumeIfSaved(), CheckpointError);
    }
    CHECK(interruptions > 0);
    const bool sameBytes = contentOf(folder.path("rows.npy")) == contentOf(folder.path("whole.npy"));
    CHECK(sameBytes);
  }
}
