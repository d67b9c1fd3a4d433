// Files that are replaced as a whole: the new content, or the old one untouched, and nothing beside it.
#include "runtime/core/durable_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

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
