// The life of a run behind its handle: it runs once, it is resumed before that, it keeps what it was resumed
// from until its files are written. On three in line, whose runs are short and whose findings show every
// loss.
#include "runtime/core/run_life.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "slicepool/core/error.hpp"
#include "slicepool/three_in_line/enumeration.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using test::contentOf;
using three_in_line::Enumeration;
using three_in_line::Request;

namespace {

Request request() {
  Request made;
  made.size = 8;  // 3453 boards
  return made;
}

EngineOptions options(const std::string& checkpoint = {}, std::uint64_t stepLimit = 0) {
  EngineOptions made;
  made.mode = Mode::cpu;
  made.threads = 1;
  made.cpuBudget = 100;
  made.checkpointPath = checkpoint;
  made.stepLimit = stepLimit;
  return made;
}

/// Stops a run on its way.
void stopAt(const std::string& checkpoint, std::uint64_t steps) {
  Enumeration enumeration(request(), options(checkpoint, steps));
  enumeration.run();
  REQUIRE_FALSE(enumeration.finished());
  REQUIRE(enumeration.outcome().checkpointPath == checkpoint);
  REQUIRE(std::filesystem::exists(checkpoint));
}

void checkFindings(const three_in_line::Findings& findings) {
  CHECK(findings.count == 57);  // OEIS A000769
  CHECK(findings.total == 380);
  CHECK(findings.nodes == 3453);
}

}  // namespace

TEST_CASE("an enumeration runs once, has an outcome after that, and is resumed before") {
  const test::TemporaryFolder folder;
  const std::string checkpoint = folder.path("c");
  stopAt(checkpoint, 1000);
  Enumeration enumeration(request(), options());
  CHECK_THROWS_AS((void)enumeration.outcome(), Error);
  enumeration.run();
  CHECK_THROWS_WITH_AS(enumeration.resumeFrom(checkpoint), doctest::Contains("has already run"),
                       CheckpointError);
  CHECK_THROWS_WITH_AS(enumeration.run(), "an enumeration runs once", Error);
  checkFindings(enumeration.outcome().findings);
  CHECK(std::filesystem::exists(checkpoint));  // it was another run's
}

TEST_CASE("a run that is resumed without a checkpoint of its own goes on saving to the one it came from") {
  const test::TemporaryFolder folder;
  const std::string checkpoint = folder.path("c");
  stopAt(checkpoint, 1000);
  const std::string before = contentOf(checkpoint);
  Enumeration second(request(), options({}, 1000));
  second.resumeFrom(checkpoint);
  second.run();
  REQUIRE_FALSE(second.finished());
  CHECK(second.outcome().checkpointPath == checkpoint);
  CHECK(contentOf(checkpoint) != before);
  Enumeration last(request(), options());
  last.resumeFrom(checkpoint);
  last.run();
  CHECK(last.finished());
  const auto outcome = last.outcome();
  CHECK(outcome.run.stepsBefore >= 2000);
  CHECK(outcome.checkpointPath.empty());
  checkFindings(outcome.findings);
  CHECK(folder.empty());
}

TEST_CASE("a run with a checkpoint of its own saves there, and removes both when it has ended") {
  const test::TemporaryFolder folder;
  stopAt(folder.path("old"), 1000);
  const std::string before = contentOf(folder.path("old"));
  Enumeration second(request(), options(folder.path("new"), 1000));
  second.resumeFrom(folder.path("old"));
  second.run();
  REQUIRE_FALSE(second.finished());
  CHECK(contentOf(folder.path("old")) == before);
  std::filesystem::remove(folder.path("old"));
  Enumeration third(request(), options(folder.path("newest")));
  third.resumeFrom(folder.path("new"));
  third.run();
  checkFindings(third.outcome().findings);
  CHECK(folder.empty());
}

TEST_CASE("a run whose answer is settled early keeps no checkpoint") {
  const test::TemporaryFolder folder;
  const std::string checkpoint = folder.path("c");
  Request first = request();
  first.first = 3;
  Enumeration stopped(first, options(checkpoint, 200));
  stopped.run();
  REQUIRE_FALSE(stopped.finished());
  Enumeration enumeration(first, options());
  enumeration.resumeFrom(checkpoint);
  enumeration.run();
  CHECK(enumeration.finished());
  CHECK(enumeration.outcome().solutions.size() == 3);
  CHECK(folder.empty());
}

TEST_CASE("a run whose output cannot be written is not finished and can be resumed") {
  const test::TemporaryFolder folder;
  const std::string checkpoint = folder.path("c");
  Request written = request();
  written.outputPath = folder.path("s.txt");
  {
    Enumeration stopped(written, options(checkpoint, 1000));
    stopped.run();
    REQUIRE_FALSE(stopped.finished());
  }
  {
    const test::FileSizeLimit limit(1);
    Enumeration enumeration(written, options());
    enumeration.resumeFrom(checkpoint);
    CHECK_THROWS_AS(enumeration.run(), LimitError);
    CHECK_FALSE(enumeration.finished());
  }
  CHECK_FALSE(std::filesystem::exists(written.outputPath));
  REQUIRE(std::filesystem::exists(checkpoint));
  Enumeration again(written, options());
  again.resumeFrom(checkpoint);
  again.run();
  checkFindings(again.outcome().findings);
  CHECK(std::filesystem::exists(written.outputPath));
  CHECK_FALSE(std::filesystem::exists(checkpoint));
}

TEST_CASE("fewer threads than none are refused by name") {
  EngineOptions bad = options();
  bad.threads = -1;
  CHECK_THROWS_WITH_AS(Enumeration(request(), bad), doctest::Contains("threads"), ConfigError);
}
