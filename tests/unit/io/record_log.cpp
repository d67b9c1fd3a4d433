// Checkpoints that grow: what was committed is there to the last bit or refused, what was torn off is not
// there.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "runtime/io/record_log.hpp"
#include "slicepool/core/error.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

using Records = std::vector<std::vector<std::byte>>;

constexpr const char* kFormat = "TESTLOG1";
constexpr std::size_t kSlotsBegin = 8;
constexpr std::size_t kSlotsEnd = 72;

std::vector<std::byte> record(const std::string& text) {
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

void append(RecordLog& log, const std::vector<std::string>& texts) {
  Records records;
  for (const auto& text : texts) records.push_back(record(text));
  log.append(records);
}

/// The records of a file, or "refused".
std::vector<std::string> recordsOf(const std::string& path) {
  RecordLog log(path, kFormat);
  std::vector<std::string> texts;
  try {
    const RecordLogContent content = log.read();
    CHECK(content.header == "header");
    for (const auto& one : content.records)
      texts.emplace_back(reinterpret_cast<const char*>(one.data()), one.size());
  } catch (const CheckpointError&) {
    return {"refused"};
  }
  return texts;
}

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// Three commits: "one"; "two", "" and "three"; a long one. Returns the file after each.
std::vector<std::string> threeCommits(const std::string& path) {
  RecordLog log(path, kFormat);
  log.start("header", Records{record("one")});
  std::vector<std::string> contents{contentOf(path)};
  append(log, {"two", "", "three"});
  contents.push_back(contentOf(path));
  append(log, {std::string(300, 'x')});
  contents.push_back(contentOf(path));
  return contents;
}

const std::vector<std::string> kAll = {"one", "two", "", "three", std::string(300, 'x')};

}  // namespace

TEST_CASE("records are read back in order, and a file only grows") {
  TemporaryFolder folder;
  const std::string path = folder.path("log");
  const auto contents = threeCommits(path);
  CHECK(recordsOf(path) == kAll);
  for (std::size_t i = 1; i < contents.size(); ++i) {
    CHECK(contents[i].size() > contents[i - 1].size());
    CHECK(contents[i].substr(kSlotsEnd, contents[i - 1].size() - kSlotsEnd) ==
          contents[i - 1].substr(kSlotsEnd));
  }
  RecordLog again(path, kFormat);
  (void)again.read();
  append(again, {"four"});
  auto all = kAll;
  all.emplace_back("four");
  CHECK(recordsOf(path) == all);
}

TEST_CASE("a flipped bit is refused or changes nothing, whichever it is") {
  TemporaryFolder folder;
  const std::string path = folder.path("log");
  const std::string content = threeCommits(path).back();
  for (std::size_t at = 0; at < content.size(); ++at) {
    for (int bit = 0; bit < 8; bit += scaled(8) == 8 ? 1 : 3) {
      CAPTURE(at);
      std::string damaged = content;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      write(path, damaged);
      const auto found = recordsOf(path);
      const bool slot = at >= kSlotsBegin && at < kSlotsEnd;  // there are two, and one is enough
      CHECK((found == std::vector<std::string>{"refused"} || (slot && found == kAll)));
    }
  }
}

TEST_CASE("a file cut anywhere before its committed end is refused") {
  TemporaryFolder folder;
  const std::string path = folder.path("log");
  const std::string content = threeCommits(path).back();
  for (std::size_t size = 0; size < content.size(); ++size) {
    CAPTURE(size);
    write(path, content.substr(0, size));
    CHECK(recordsOf(path) == std::vector<std::string>{"refused"});
  }
}

TEST_CASE("what a killed process was appending is cut off: the last whole record counts") {
  TemporaryFolder folder;
  const std::string path = folder.path("log");
  const auto contents = threeCommits(path);
  // The slots of the first commit, and the beginning of the second.
  for (std::size_t size = contents[0].size(); size <= contents[1].size(); ++size) {
    CAPTURE(size);
    write(path, contents[0] + contents[1].substr(contents[0].size(), size - contents[0].size()));
    const auto found = recordsOf(path);
    REQUIRE(found.size() >= 1);
    REQUIRE(found.size() <= 4);
    CHECK(found ==
          std::vector<std::string>(kAll.begin(), kAll.begin() + static_cast<std::ptrdiff_t>(found.size())));
    CHECK((found.size() == 4) == (size == contents[1].size()));
    RecordLog log(path, kFormat);
    (void)log.read();
    append(log, {"new"});
    auto expected = found;
    expected.emplace_back("new");
    CHECK(recordsOf(path) == expected);
  }
  // Anything may be there after a loss of power.
  write(path, contents[0] + std::string(500, '\0'));
  CHECK(recordsOf(path) == std::vector<std::string>{"one"});
}

TEST_CASE("records in another order, and those of another file, are refused") {
  TemporaryFolder folder;
  const std::string path = folder.path("log");
  RecordLog log(path, kFormat);
  log.start("header", Records{record("aaaa"), record("bbbb")});
  const std::string content = contentOf(path);
  const std::size_t length = 24 + 4;
  const std::size_t first = content.size() - 2 * length;
  write(path, content.substr(0, first) + content.substr(first + length) + content.substr(first, length));
  CHECK(recordsOf(path) == std::vector<std::string>{"refused"});
  RecordLog other(folder.path("other"), kFormat);
  other.start("another header", Records{record("aaaa"), record("bbbb")});
  const std::string foreign = contentOf(folder.path("other"));
  write(path, content.substr(0, first) + foreign.substr(foreign.size() - 2 * length));
  CHECK(recordsOf(path) == std::vector<std::string>{"refused"});
}

TEST_CASE("another format is named") {
  TemporaryFolder folder;
  const std::string path = folder.path("log");
  write(path,
        "SLPCKPT1 and whatever follows, longer than what a log begins with, so that this is not why it is "
        "refused");
  RecordLog log(path, kFormat);
  CHECK_THROWS_WITH_AS((void)log.read(),
                       doctest::Contains("its format is \"SLPCKPT1\"; accepted: format TESTLOG1"),
                       CheckpointError);
  CHECK_THROWS_WITH_AS((void)RecordLog(folder.path("none"), kFormat).read(),
                       doctest::Contains("cannot be opened"), CheckpointError);
  CHECK_THROWS_WITH_AS((void)RecordLog(folder.path(""), kFormat).read(),
                       doctest::Contains("not a regular file"), CheckpointError);
}

TEST_CASE("a file that something else has changed or removed is not appended to") {
  TemporaryFolder folder;
  const std::string path = folder.path("log");
  RecordLog log(path, kFormat);
  log.start("header", {});
  RecordLog other(path, kFormat);
  (void)other.read();
  append(other, {"theirs"});
  CHECK_THROWS_AS(append(log, {"ours"}), CheckpointError);
  CHECK(recordsOf(path) == std::vector<std::string>{"theirs"});
  std::filesystem::remove(path);
  CHECK_THROWS_AS(append(other, {"more"}), CheckpointError);
  CHECK_FALSE(std::filesystem::exists(path));
}
