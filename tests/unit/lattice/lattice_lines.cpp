// Lines of a file of many lattices: handed out whole and in order, whatever groups and blocks are.
#include "runtime/lattice/lattice_lines.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "support/scale.hpp"
#include "support/temporary_folder.hpp"

namespace {
namespace lines_test {

using slicepool::lattice::kLongestLine;
using slicepool::lattice::LatticeLines;
using slicepool::lattice::LineGroup;

const std::atomic<bool> kNeverStopped{false};

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Short lines, some that are empty, and few that are longer than a block.
std::string randomText(std::mt19937_64& random) {
  std::string text;
  const std::size_t count = random() % 3000;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = random() % 200;
    const std::size_t length = kind == 0 ? random() % 600'000 : kind < 20 ? 0 : random() % 400;
    text.append(length, static_cast<char>('a' + i % 26));
    if (i + 1 != count || random() % 2 == 0) text += '\n';
  }
  return text;
}

}  // namespace lines_test
using namespace lines_test;
}  // namespace

TEST_CASE("lines are handed out whole and in their order, with all bytes of the file") {
  const slicepool::test::TemporaryFolder folder;
  const std::string path = folder.path("lines");
  std::mt19937_64 random(2911);
  for (std::size_t round = 0; round < slicepool::test::scaled(40); ++round) {
    const std::string text = randomText(random);
    std::ofstream(path, std::ios::binary) << text;
    LatticeLines lines(path, kNeverStopped);
    CHECK(lines.bytes() == text.size());
    const std::size_t most = 1 + random() % 300;
    const std::size_t bytes = std::size_t{1} << (random() % 21);
    std::vector<std::string> seen;
    std::size_t taken = 0;
    // Groups have had other lines before.
    std::vector<LineGroup> groups(3);
    for (std::size_t i = 0; lines.next(most, bytes, groups[i % 3]); ++i) {
      const LineGroup& group = groups[i % 3];
      REQUIRE(group.first == seen.size() + 1);
      REQUIRE(group.size() <= most);
      std::size_t before = 0;
      for (std::size_t k = 0; k < group.size(); ++k) {
        REQUIRE(before < bytes);
        before += group.line(k).size() + 1;
        seen.emplace_back(group.line(k));
      }
      taken += group.taken;
    }
    CHECK(lines.atEnd());
    CHECK(taken == text.size());
    CHECK(seen == linesOf(text));
  }
}

TEST_CASE("what has come through a pipe is handed out before one waits for more") {
  const slicepool::test::TemporaryFolder folder;
  const std::string path = folder.path("fifo");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const int writer = open(path.c_str(), O_RDWR);
  REQUIRE(writer >= 0);
  const auto write = [&](const std::string& text) {
    REQUIRE(::write(writer, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  std::atomic<bool> stop{false};
  LatticeLines lines(path, stop);
  LineGroup group;
  write("one\ntwo\nthr");
  REQUIRE(lines.next(100, 1000, group));
  REQUIRE(group.size() == 2);
  CHECK(group.line(1) == "two");
  write("ee\n");
  REQUIRE(lines.next(100, 1000, group));
  REQUIRE(group.size() == 1);
  CHECK(group.line(0) == "three");
  CHECK(group.first == 3);
  stop = true;
  CHECK_FALSE(lines.next(100, 1000, group));
  CHECK_FALSE(lines.atEnd());
  close(writer);
}

TEST_CASE("a line that is too long is passed over, at the end as well, and needs no memory") {
  const slicepool::test::TemporaryFolder folder;
  const std::string path = folder.path("long");
  {
    std::ofstream file(path, std::ios::binary);
    file << "a\n";
    file.seekp(static_cast<std::streamoff>(kLongestLine + 10));  // zeros
    file << "\nb\n";
    file.seekp(static_cast<std::streamoff>(3 * kLongestLine));
    file << "c";
  }
  LatticeLines lines(path, kNeverStopped);
  std::vector<std::string> seen;
  std::size_t taken = 0;
  LineGroup group;
  while (lines.next(100, 1000, group)) {
    CHECK(group.bytes.capacity() < 2 * kLongestLine);
    for (std::size_t k = 0; k < group.size(); ++k)
      seen.push_back(group.lines[k].tooLong ? "too long" : std::string(group.line(k)));
    taken += group.taken;
  }
  CHECK(seen == std::vector<std::string>{"a", "too long", "b", "too long"});
  CHECK(taken == 3 * kLongestLine + 1);
}
