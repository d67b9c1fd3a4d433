// Files under construction: their name only when they are whole, their bytes as written by several threads,
// and what an earlier process left is taken only after it was looked at.
#include "runtime/io/part_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "slicepool/core/error.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using slicepool::test::contentOf;
using slicepool::test::TemporaryFolder;

namespace {

std::span<const std::byte> bytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }
bool isThere(const std::string& path) { return std::filesystem::exists(path); }
void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
void accept(const PartFile&) {}

}  // namespace

TEST_CASE("a part file becomes the file when it is published, and nothing else is left") {
  for (const bool durably : {false, true}) {
    const TemporaryFolder folder;
    const std::string path = folder.path("file");
    put(path, "the old one");
    PartFile file = PartFile::create(path, 0);
    file.write(6, bytesOf("world"));
    file.write(0, bytesOf("hello "));
    CHECK(contentOf(path) == "the old one");
    CHECK(isThere(path + ".part"));
    if (durably)
      file.publishDurably();
    else
      file.publish();
    CHECK(contentOf(path) == "hello world");
    CHECK_FALSE(isThere(path + ".part"));
  }
}

TEST_CASE(
    "a part file that is not published goes, unless it is to be kept; an object that was moved from leaves "
    "it "
    "alone") {
  const TemporaryFolder folder;
  const std::string path = folder.path("file");
  { const PartFile file = PartFile::create(path, 100); }
  CHECK(folder.empty());
  {
    PartFile file = PartFile::create(path, 0);
    file.write(0, bytesOf("abc"));
    PartFile other(std::move(file));
    other.write(3, bytesOf("def"));
    other.keepPart();
  }
  CHECK(contentOf(path + ".part") == "abcdef");
  CHECK_FALSE(isThere(path));
}

TEST_CASE("threads that write at offsets make the file that one thread makes") {
  const TemporaryFolder folder;
  const std::string path = folder.path("file");
  std::string expected;
  for (int i = 0; i < 4000; ++i) expected += std::to_string(i) + ",";
  PartFile file = PartFile::create(path, expected.size(), Reservation::guaranteed);
  {
    std::vector<std::jthread> threads;
    for (std::size_t first = 0; first < 4; ++first) {
      threads.emplace_back([&, first] {
        for (std::size_t at = first * 100; at < expected.size(); at += 400)
          file.write(at, bytesOf(expected).subspan(at, std::min<std::size_t>(100, expected.size() - at)));
      });
    }
  }
  std::string read(100, ' ');
  file.read(500, std::as_writable_bytes(std::span(read)));
  CHECK(read == expected.substr(500, 100));
  CHECK_THROWS_AS(file.read(expected.size() - 5, std::as_writable_bytes(std::span(read))), Error);
  FileMapping mapping = file.map(expected.size());
  CHECK(static_cast<char>(mapping.data()[1]) == expected[1]);
  mapping.data()[0] = std::byte{'x'};
  mapping.sync();
  mapping.close();
  expected[0] = 'x';
  file.publish();
  CHECK(contentOf(path) == expected);
}

TEST_CASE("a file that has no room is a LimitError at once, and leaves nothing") {
  const TemporaryFolder folder;
  const test::FileSizeLimit limit(1000);
  CHECK_THROWS_AS((void)PartFile::create(folder.path("large"), 2000, Reservation::guaranteed), LimitError);
  CHECK(folder.empty());
  PartFile file = PartFile::create(folder.path("growing"), 0);
  CHECK_THROWS_AS(file.write(0, bytesOf(std::string(2000, 'x'))), LimitError);
}

TEST_CASE("reopened: the right bytes and no more, after a look; else nothing is changed") {
  const TemporaryFolder folder;
  const std::string path = folder.path("file");
  const std::string part = path + ".part";
  put(part, "0123456789rest");
  CHECK_THROWS_AS((void)PartFile::reopen(path, 20, true, accept), CheckpointError);   // too short
  CHECK_THROWS_AS((void)PartFile::reopen(path, 10, false, accept), CheckpointError);  // must have just these
  CHECK_THROWS_AS((void)PartFile::reopen(path, 10, true, [](const PartFile& file) { file.refuse("so"); }),
                  CheckpointError);
  CHECK(contentOf(part) == "0123456789rest");
  {
    PartFile file = PartFile::reopen(path, 10, true, [](const PartFile& found) {
      FileHash hash;
      found.hash(hash, 0, 10);
      FileHash same;
      same.update(bytesOf("0123456789"));
      if (hash.digits() != same.digits()) found.refuse("another hash");
    });
    CHECK(contentOf(part) == "0123456789");
    file.write(10, bytesOf("ABC"));
    // It stays without keepPart: a checkpoint counts on it.
  }
  CHECK(contentOf(part) == "0123456789ABC");
  PartFile::reopen(path, 13, false, accept).publish();
  CHECK(contentOf(path) == "0123456789ABC");
}

TEST_CASE("reopened after the name was given and before a checkpoint said so: a copy of the first bytes") {
  const TemporaryFolder folder;
  const std::string path = folder.path("file");
  CHECK_THROWS_AS((void)PartFile::reopen(path, 4, true, accept), CheckpointError);  // neither is there
  put(path, "whole file");
  CHECK_THROWS_AS((void)PartFile::reopen(path, 5, true, [](const PartFile& file) { file.refuse("no"); }),
                  CheckpointError);
  CHECK(contentOf(path) == "whole file");
  CHECK_FALSE(isThere(path + ".part"));
  {
    PartFile file = PartFile::reopen(path, 5, true, accept);
    CHECK(contentOf(path + ".part") == "whole");
    CHECK(contentOf(path) == "whole file");
    file.write(5, bytesOf("some"));
    file.publishDurably();
  }
  CHECK(contentOf(path) == "wholesome");
}
