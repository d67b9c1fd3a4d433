// Checkpoint files: what is written is read, block by block and by any number of threads; whatever is
// damaged, cut, longer, of another format or of another problem is refused, naming the file and why.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/core/checkpoint.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/three_in_line/driver.hpp"

using namespace slicepool;

namespace {

std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}
/// As if that had been written: with the hash that belongs to it.
std::string hashed(std::string content) {
  content.resize(content.size() - sizeof(std::uint64_t));
  const std::uint64_t hash = XXH3_64bits(content.data(), content.size());
  content.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  return content;
}

Checkpoint sample(std::size_t slices, std::size_t sliceBytes = 16) {
  std::mt19937_64 random(slices);
  Checkpoint checkpoint;
  checkpoint.workload = "interval";
  checkpoint.identity = "n=\"7\"";
  checkpoint.sliceBytes = sliceBytes;
  checkpoint.shared = ~std::uint64_t{0} - 3;
  checkpoint.steps = 9007199254740991.0;
  checkpoint.seconds = 0.125;
  for (std::size_t i = 0; i < slices * sliceBytes; ++i)
    checkpoint.slices.push_back(static_cast<std::byte>(random() % 5));
  for (int i = 0; i < 3; ++i) checkpoint.words.push_back(random());
  for (std::size_t i = 0; i < slices; ++i) checkpoint.consumer.push_back(static_cast<std::byte>(random()));
  return checkpoint;
}

std::vector<std::string> sortedSlices(const Checkpoint& checkpoint) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < checkpoint.slices.size(); at += checkpoint.sliceBytes)
    all.emplace_back(reinterpret_cast<const char*>(checkpoint.slices.data()) + at, checkpoint.sliceBytes);
  std::sort(all.begin(), all.end());
  return all;
}

void checkSame(const Checkpoint& read, const Checkpoint& written) {
  CHECK(read.workload == written.workload);
  CHECK(read.identity == written.identity);
  CHECK(read.shared == written.shared);
  CHECK(read.steps == written.steps);
  CHECK(read.seconds == written.seconds);
  CHECK(read.words == written.words);
  CHECK(read.consumer == written.consumer);
  CHECK(sortedSlices(read) == sortedSlices(written));
}

}  // namespace

TEST_CASE("a checkpoint is read as it was written, also with slices that lie elsewhere and by threads") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("a.checkpoint");
  for (const std::size_t slices : {std::size_t{0}, std::size_t{1}, std::size_t{100}, test::scaled(70'000)}) {
    for (const int threads : {1, 3}) {
      Checkpoint checkpoint = sample(slices);
      const std::uint64_t bytes = writeCheckpoint(path, checkpoint, {}, nullptr, threads);
      CHECK(bytes == std::filesystem::file_size(path));
      checkSame(readCheckpoint(path, nullptr, threads), checkpoint);
      // The same, half of them held by others.
      Checkpoint half = checkpoint;
      half.slices.resize(slices / 2 * 16);
      const std::vector<SliceSpan> rest{{nullptr, std::span(checkpoint.slices).subspan(half.slices.size())}};
      (void)writeCheckpoint(path, half, rest, nullptr, threads);
      checkSame(readCheckpoint(path), checkpoint);
      CHECK_FALSE(std::filesystem::exists(path + ".tmp"));
    }
  }
}

TEST_CASE("every flipped bit and every cut is refused, as a checkpoint and as its header") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("a.checkpoint");
  const Checkpoint checkpoint = sample(40);
  (void)writeCheckpoint(path, checkpoint);
  const std::string whole = contentOf(path);
  const auto refused = [&](const std::string& content) {
    write(path, content);
    CHECK_THROWS_AS((void)readCheckpoint(path), CheckpointError);
    CHECK_THROWS_AS((void)readCheckpointHeader(path), CheckpointError);
  };
  const auto stride = static_cast<std::size_t>(test::largest(1, 7));
  for (std::size_t at = 0; at < whole.size(); at += stride) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    refused(damaged);
  }
  for (std::size_t length = 0; length < whole.size(); length += stride) refused(whole.substr(0, length));
  refused(whole + '\0');
  refused(whole + whole);
  write(path, whole);
  checkSame(readCheckpoint(path), checkpoint);
}

TEST_CASE("a checkpoint whose hash is right but whose content is not is refused as well") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("a.checkpoint");
  (void)writeCheckpoint(path, sample(40));
  const std::string whole = contentOf(path);
  const std::size_t body = 16 + static_cast<unsigned char>(whole[8]) +
                           256 * static_cast<std::size_t>(static_cast<unsigned char>(whole[9]));
  REQUIRE(body < whole.size());
  std::mt19937_64 random(5);
  std::size_t refused = 0;
  const std::size_t rounds = test::scaled(3000);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string damaged = whole;
    damaged[8 + random() % (whole.size() - 16)] = static_cast<char>(random());
    if (round % 3 == 0) damaged.erase(body + random() % (whole.size() - body - 8), 1 + random() % 20);
    write(path, hashed(damaged));
    try {
      (void)readCheckpoint(path);
    } catch (const CheckpointError& error) {
      CHECK(std::string(error.what()).find(path) != std::string::npos);
      ++refused;
    }
  }
  CHECK(refused > rounds / 2);
}

TEST_CASE("another format is refused by its number, another packing by its name") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("a.checkpoint");
  (void)writeCheckpoint(path, sample(10));
  std::string other = contentOf(path);
  other[7] = '1';
  write(path, other);
  CHECK_THROWS_WITH_AS((void)readCheckpoint(path),
                       doctest::Contains("made by an older slicepool: format 1; this program reads format 2"),
                       CheckpointError);
  other[7] = '3';
  write(path, other);
  CHECK_THROWS_WITH_AS((void)readCheckpoint(path),
                       doctest::Contains("made by a newer slicepool: format 3; this program reads format 2"),
                       CheckpointError);
  write(path, "something else entirely");
  CHECK_THROWS_WITH_AS((void)readCheckpoint(path), doctest::Contains("not a slicepool checkpoint"),
                       CheckpointError);

  three_in_line::ProblemSpec spec;
  spec.n = 8;
  const auto problem = makeProblem(spec);
  Checkpoint checkpoint = sample(0);
  checkpoint.sliceBytes = problem->sliceBytes();
  checkpoint.slices = problem->roots();
  (void)writeCheckpoint(path, checkpoint, {}, problem.get());
  CHECK(readCheckpoint(path, problem.get()).slices.size() == problem->sliceBytes());
  CHECK_THROWS_WITH_AS((void)readCheckpoint(path), doctest::Contains("packed as \"boards-1\""),
                       CheckpointError);
  CHECK_THROWS_WITH_AS((void)readCheckpointHeaderOf(path, "interval", "another"),
                       doctest::Contains("belongs to another request"), CheckpointError);
}
