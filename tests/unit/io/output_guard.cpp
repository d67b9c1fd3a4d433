// Who may write a file: one run at a time, whatever name it uses, and no run two things into one file.
#include "runtime/io/output_guard.hpp"

#include <doctest/doctest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using slicepool::test::contentOf;
using slicepool::test::TemporaryFolder;

namespace {

OutputRole role(const std::string& path, const std::string& field = "output.path") {
  return {field, path, OutputNeed::text};
}

/// What a second run of these files is told; empty: it got them.
std::string refusal(const std::vector<OutputRole>& roles, const std::vector<InputRole>& inputs = {}) {
  OutputGuard guard;
  try {
    guard.claim(roles, inputs);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a file has one owner, who is named, until the owner ends") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows.csv");
  {
    OutputGuard guard;
    guard.claim({role(path), {"checkpoint", folder.path("c"), OutputNeed::checkpoint}});
    CHECK(contains(refusal({role(path)}), path));
    CHECK(contains(refusal({role(path)}), std::to_string(getpid())));
    CHECK(contains(refusal({role(folder.path("other")), role(folder.path("c"))}), folder.path("c")));
    CHECK_FALSE(std::filesystem::exists(folder.path("other.lock")));  // all locks or none
    CHECK(refusal({role(folder.path("other"))}).empty());
    guard.release();
    CHECK(folder.empty());
    CHECK(refusal({role(path)}).empty());
    guard.retake();
    CHECK_FALSE(refusal({role(path)}).empty());
  }
  CHECK(refusal({role(path)}).empty());
  CHECK(folder.empty());
}

TEST_CASE("one file by several names is one file") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("real/below"));
  std::filesystem::create_directory_symlink(folder.path("real"), folder.path("link"));
  std::ofstream(folder.path("real/a.csv")) << "old";
  std::filesystem::create_symlink("real/a.csv", folder.path("b.csv"));
  OutputGuard guard;
  guard.claim({role(folder.path("link/a.csv"))});
  for (const char* name : {"real/a.csv", "link/a.csv", "b.csv", "link/below/../a.csv", "real//./a.csv"}) {
    CAPTURE(name);
    CHECK_FALSE(refusal({role(folder.path(name))}).empty());
  }
  CHECK(std::filesystem::exists(folder.path("real/a.csv.lock")));
  CHECK(contentOf(folder.path("real/a.csv")) == "old");
}

TEST_CASE("a lock that a killed process left is no obstacle and is cleaned up") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows.csv");
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    OutputGuard guard;
    guard.claim({role(path)});
    (void)!write(ready[1], "x", 1);
    for (;;) pause();
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  CHECK(contains(refusal({role(path)}), "process " + std::to_string(child) + " "));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  CHECK(std::filesystem::exists(path + ".lock"));
  CHECK(refusal({role(path)}).empty());
  CHECK(folder.empty());
}

TEST_CASE("what lies under the name of a lock and is none stays as it is") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows");
  std::ofstream(path + ".lock") << "somebody else's\n";
  CHECK(contains(refusal({role(path)}), "rows.lock"));
  CHECK(contentOf(path + ".lock") == "somebody else's\n");
  std::filesystem::remove(path + ".lock");
  std::ofstream(folder.path("precious")) << "precious";
  for (const char* suffix : {".lock", ".part", ".tmp"}) {
    CAPTURE(suffix);
    std::filesystem::create_symlink(folder.path("precious"), path + suffix);
    CHECK(contains(refusal({role(path)}), path + suffix));
    std::filesystem::remove(path + suffix);
  }
  CHECK(contentOf(folder.path("precious")) == "precious");
}

TEST_CASE("a lock file that was removed in the middle does not let two in") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows");
  OutputGuard guard;
  guard.claim({role(path)});
  std::filesystem::remove(path + ".lock");  // a hand did it
  OutputGuard second;
  second.claim({role(path)});
  guard.release();  // does not remove the lock of the second
  CHECK_FALSE(refusal({role(path)}).empty());
}

TEST_CASE("two things of one run into one file are refused, and so is writing what is read") {
  const TemporaryFolder folder;
  const auto both = [&](const char* first, const char* second, bool sharded = false) {
    OutputRole output = role(folder.path(first), "first");
    output.sharded = sharded;
    return refusal({output, role(folder.path(second), "second")});
  };
  CHECK(contains(both("a", "a"), "second: got"));
  CHECK(contains(both("a", "a"), "which first names"));
  CHECK_FALSE(both("a", "a.part").empty());
  CHECK_FALSE(both("a.tmp", "a").empty());
  CHECK_FALSE(both("a", "a.lock").empty());
  CHECK(both("a", "b").empty());
  CHECK_FALSE(both("r.npy", "r.manifest.json", true).empty());
  CHECK_FALSE(both("r.npy", "r-00012.npy", true).empty());
  CHECK_FALSE(both("r.npy", "r-00012.npy.part", true).empty());
  CHECK(both("r.npy", "r-0012.npy", true).empty());
  CHECK(both("r.npy", "r-00012.npy", false).empty());
  CHECK(refusal({role("/dev/null", "first"), role("/dev/null", "second")}).empty());
  std::ofstream(folder.path("in")) << "read";
  CHECK(contains(refusal({role(folder.path("in"))}, {{"basis", folder.path("in")}}), "which basis names"));
  CHECK(refusal({role(folder.path("out"))}, {{"basis", folder.path("in")}}).empty());
}

TEST_CASE("a checkpoint that cannot be read is given back") {
  const TemporaryFolder folder;
  std::ofstream(folder.path("c")) << "damaged";
  OutputGuard guard;
  guard.claim({role(folder.path("rows"))});
  CHECK_THROWS_AS(guard.resume(folder.path("c"), false, [] { throw CheckpointError("damaged"); }),
                  CheckpointError);
  CHECK(refusal({role(folder.path("c"))}).empty());
  CHECK_FALSE(refusal({role(folder.path("rows"))}).empty());
  guard.resume(folder.path("c"), false, [] {});
  CHECK_FALSE(refusal({role(folder.path("c"))}).empty());
}
