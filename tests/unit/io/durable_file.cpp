// Files that are replaced as a whole: the new content, or the old one untouched, and nothing beside it; and
// the words for what went wrong.
#include "runtime/io/durable_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "slicepool/core/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using slicepool::test::contentOf;
using slicepool::test::TemporaryFolder;

TEST_CASE("a replaced file has the new content, zero bytes included, and leaves no other file") {
  const TemporaryFolder folder;
  const std::string path = folder.path("file");
  const std::string longer(100'000, '\0');
  for (const std::string& content : {longer, std::string("shorter"), std::string()}) {
    CHECK(replaceFile(path, content) == 0);
    CHECK(contentOf(path) == content);
    CHECK_FALSE(std::filesystem::exists(path + ".tmp"));
  }
}

TEST_CASE("a file that cannot be replaced says why and leaves nothing") {
  const TemporaryFolder folder;
  CHECK(replaceFile(folder.path("missing/file"), "text") == ENOENT);
  const std::string occupied = folder.path("occupied");
  std::filesystem::create_directory(occupied);
  CHECK(replaceFile(occupied, "text") == EISDIR);
  CHECK_FALSE(std::filesystem::exists(occupied + ".tmp"));
}

TEST_CASE("a full disk is told from other errors, and folders of bare names are the present one") {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  CHECK(isDiskFull(writeAll(full, "text")));
  ::close(full);
  CHECK_FALSE(isDiskFull(EIO));
  CHECK(folderOf("name") == ".");
  CHECK(folderOf("/name") == "/");
  CHECK(folderOf("folder/name") == "folder");
}

TEST_CASE("the throwing replacement names the file, and a full disk is a limit") {
  const TemporaryFolder folder;
  const std::string path = folder.path("file");
  replaceFileOrThrow("record", path, "text");
  CHECK(contentOf(path) == "text");
  const std::string missing = folder.path("missing/file");
  CHECK_THROWS_WITH_AS(
      replaceFileOrThrow("record", missing, "text"),
      ("record " + missing + ": its 4 bytes cannot be written: No such file or directory").c_str(), Error);
  CHECK_THROWS_WITH_AS(throwFileError("record", ENOSPC), "record: No space left on device", LimitError);
  CHECK_THROWS_WITH_AS(throwFileError("record", EIO), "record: Input/output error", Error);
}

TEST_CASE("a folder in which no file can be made is refused for the field that named it") {
  const TemporaryFolder folder;
  CHECK_NOTHROW(requireFolder(folder.path("file")));
  CHECK_NOTHROW(requireFolder("file"));
  const auto fieldOf = [](const std::string& path, const std::string& field) {
    try {
      requireFolder(path, field);
    } catch (const ConfigError& error) {
      return error.field();
    }
    return std::string();
  };
  CHECK(fieldOf(folder.path("missing/file"), "record") == "record");
  REQUIRE(replaceFile(folder.path("file"), "text") == 0);
  CHECK(fieldOf(folder.path("file/below"), "record") == "record");
  CHECK_THROWS_WITH_AS(requireFolder(folder.path("missing/file")), doctest::Contains("output.path"),
                       ConfigError);
}
