// What an output may be: every kind of path, for every need; nothing is replaced, removed or followed by
// accident.
#include "runtime/io/output_place.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "runtime/io/durable_file.hpp"
#include "runtime/io/part_file.hpp"
#include "slicepool/core/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using slicepool::test::contentOf;
using slicepool::test::TemporaryFolder;

namespace {

std::string refusal(const std::string& path, OutputNeed need) {
  try {
    (void)placeOf(path, need, "field");
  } catch (const ConfigError& error) {
    CHECK(error.field() == "field");
    return error.what();
  }
  return {};
}

void makeSocket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  close(descriptor);
}

}  // namespace

TEST_CASE("every kind of path is accepted or refused for what an output needs") {
  const TemporaryFolder folder;
  std::ofstream(folder.path("file")) << "old";
  std::filesystem::create_directory(folder.path("folder"));
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  makeSocket(folder.path("socket"));
  std::filesystem::create_symlink("file", folder.path("link"));
  std::filesystem::create_symlink("nothing", folder.path("dangling"));
  std::filesystem::create_symlink("folder", folder.path("folderlink"));
  std::filesystem::create_symlink("loop", folder.path("loop"));
  std::filesystem::create_symlink("pipe", folder.path("pipelink"));
  struct Row {
    const char* name;
    bool file, checkpoint, text;
    const char* word;
  };
  const Row rows[] = {
      {"new", true, true, true, ""},
      {"file", true, true, true, ""},
      {"link", true, false, true, "symbolic link"},
      {"folder", false, false, false, "a folder"},
      {"folder/", false, false, false, "a folder"},
      {".", false, false, false, "a folder"},
      {"folder/..", false, false, false, "a folder"},
      {"folderlink", false, false, false, "a folder"},
      {"pipe", false, false, true, "a pipe"},
      {"pipelink", false, false, true, "a pipe"},
      {"socket", false, false, false, "a socket"},
      {"dangling", false, false, false, "symbolic link to nothing"},
      {"loop", false, false, false, "symbolic links"},
      {"missing/new", false, false, false, "No such file"},
      {"missing/", false, false, false, ""},
      {"file/below", false, false, false, "Not a directory"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const std::string path = folder.path(row.name);
    const auto check = [&](OutputNeed need, bool accepted) {
      const std::string text = refusal(path, need);
      CAPTURE(text);
      CHECK(text.empty() == accepted);
      if (!accepted) CHECK(text.find(row.word) != std::string::npos);
    };
    check(OutputNeed::file, row.file);
    check(OutputNeed::checkpoint, row.checkpoint);
    check(OutputNeed::text, row.text);
  }
  CHECK(contentOf(folder.path("file")) == "old");
  CHECK(refusal("", OutputNeed::text) != "");
  CHECK(refusal(std::string("a\0b", 3), OutputNeed::text).find("zero byte") != std::string::npos);
  CHECK(refusal(folder.path(std::string(247, 'n')), OutputNeed::file).find("at most 246") !=
        std::string::npos);
  CHECK(refusal(folder.path(std::string(246, 'n')), OutputNeed::file).empty());
  CHECK(refusal(folder.path(std::string(300, 'n')), OutputNeed::file).find("at most 246") !=
        std::string::npos);
}

TEST_CASE("device nodes are for text only, and block devices for nothing") {
  const TemporaryFolder folder;
  CHECK(refusal("/dev/null", OutputNeed::text).empty());
  CHECK(refusal("/dev/null", OutputNeed::file).find("a character device") != std::string::npos);
  CHECK(refusal("/dev/null", OutputNeed::checkpoint).find("a character device") != std::string::npos);
  // Private nodes, where we may make them: never the machine's own.
  const std::string path = folder.path("block.npy");
  if (mknod(path.c_str(), S_IFBLK | 0600, makedev(240, 0)) != 0) return;
  for (const auto need : {OutputNeed::file, OutputNeed::checkpoint, OutputNeed::text})
    CHECK(refusal(path, need).find("a block device") != std::string::npos);
}

TEST_CASE("a link to a file stays, and the file behind it is replaced, in its own folder") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("real"));
  std::ofstream(folder.path("real/file")) << "old";
  std::filesystem::create_symlink("real/file", folder.path("link"));
  CHECK(placeOf(folder.path("link"), OutputNeed::file).path ==
        std::filesystem::canonical(folder.path("real/file")));
  REQUIRE(replaceFile(folder.path("link"), "new") == 0);
  CHECK(std::filesystem::is_symlink(folder.path("link")));
  CHECK(contentOf(folder.path("real/file")) == "new");
  {
    PartFile part = PartFile::create(folder.path("link"), 0);
    CHECK(std::filesystem::exists(folder.path("real/file.part")));
    part.write(0, std::as_bytes(std::span("newer", 5)));
    part.publish();
  }
  CHECK(std::filesystem::is_symlink(folder.path("link")));
  CHECK(contentOf(folder.path("real/file")) == "newer");
}

TEST_CASE("files on the way are never written through links, and old ones are not cut under other names") {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  std::ofstream(folder.path("precious")) << "precious";
  std::filesystem::create_symlink("precious", path + ".tmp");
  CHECK(replaceFile(path, "text") == 0);  // the link goes, what it names stays
  CHECK(contentOf(path) == "text");
  std::filesystem::create_symlink("precious", path + ".part");
  CHECK_THROWS_AS(PartFile::create(path, 0), ConfigError);
  std::filesystem::remove(path + ".part");
  std::filesystem::create_hard_link(folder.path("precious"), path + ".part");
  { const PartFile part = PartFile::create(path, 0); }
  std::filesystem::create_hard_link(folder.path("precious"), path + ".tmp");
  CHECK(replaceFile(path, "text") == 0);
  CHECK(contentOf(folder.path("precious")) == "precious");
}

TEST_CASE("a part file has one writer") {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  const PartFile part = PartFile::create(path, 10);
  CHECK_THROWS_WITH_AS(PartFile::create(path, 10), doctest::Contains("another process"), ConfigError);
  CHECK_THROWS_WITH_AS(PartFile::reopen(path, 10, false, [](const PartFile&) {}),
                       doctest::Contains("another process"), ConfigError);
  CHECK(std::filesystem::file_size(path + ".part") == 10);
}

TEST_CASE("text is written in place into pipes, devices and open descriptors, and nothing is removed") {
  const TemporaryFolder folder;
  const std::string pipePath = folder.path("pipe");
  REQUIRE(mkfifo(pipePath.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = contentOf(pipePath); });
  {
    PartFile file = PartFile::createText(pipePath);
    CHECK(file.inPlace());
    for (const char* piece : {"one ", "two"})
      file.write(0, std::as_bytes(std::span(piece, std::strlen(piece))));
    file.sync();
    file.publish();
  }
  reader.join();
  CHECK(read == "one two");
  CHECK(factsOf(pipePath).kind == PathKind::pipe);

  writeTextOrThrow("record", "/dev/null", "text");
  CHECK(factsOf("/dev/null").kind == PathKind::characterDevice);
  CHECK_THROWS_WITH_AS(writeTextOrThrow("record", "/dev/full", "text"),
                       doctest::Contains("record /dev/full: its 4 bytes"), LimitError);
  CHECK(factsOf("/dev/full").kind == PathKind::characterDevice);

  const int open = ::open(folder.path("descriptor").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(open >= 0);
  REQUIRE(writeAll(open, "before ") == 0);
  const std::string name = "/dev/fd/" + std::to_string(open);
  writeTextOrThrow("record", name, "text");
  CHECK(contentOf(folder.path("descriptor")) == "before text");
  CHECK_FALSE(refusal(name, OutputNeed::file).empty());
  CHECK_FALSE(refusal(name, OutputNeed::checkpoint).empty());
  ::close(open);
  CHECK_FALSE(refusal(name, OutputNeed::text).empty());
  CHECK(replaceFile(pipePath, "text") == EINVAL);
  CHECK(replaceFile("/dev/null", "text") == EINVAL);
}
