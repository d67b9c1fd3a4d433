// A guard of the set-up stops loops, alone and in parallel, and nothing outside its scope.
#include "cpu_workers/core/setup_stop.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "cpu_workers/core/parallel.hpp"
#include "cpu_workers/core/thread_limit.hpp"
#include "runtime/semigroup/generators.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/tables.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"

using namespace slicepool;

namespace {

/// Says stop at the n-th question.
struct StopAt {
  int question;
  std::atomic<int>* asked;
  std::string operator()() const { return ++*asked >= question ? "enough" : std::string(); }
};

}  // namespace

TEST_CASE("without a guard nothing stops, and a guard ends with its scope") {
  CHECK_NOTHROW(checkSetup());
  {
    const SetupGuard guard([] { return std::string("now"); });
    CHECK_THROWS_WITH_AS(checkSetup(), "now", SetupStopped);
    {
      const SetupGuard inner([] { return std::string(); });
      CHECK_NOTHROW(checkSetup());
    }
    CHECK_THROWS_AS(checkSetup(), SetupStopped);
  }
  CHECK_NOTHROW(checkSetup());
}

TEST_CASE("a parallel loop asks the guard of the thread that began it, in every thread") {
  for (const int threads : {1, 2, 3}) {
    std::atomic<int> asked{0};
    std::atomic<std::uint64_t> done{0};
    const SetupGuard guard(StopAt{50, &asked});
    inArena(threads, [&] {
      CHECK_THROWS_AS(parallelFor(0, 100'000, 1, [&](std::uint64_t, std::uint64_t) { ++done; }),
                      SetupStopped);
    });
    CHECK(asked >= 50);
    CHECK(done < 100'000);
  }
}

TEST_CASE("frontiers, tables and generators stop where they are") {
  for (const int question : {1, 3}) {
    std::atomic<int> asked{0};
    const SetupGuard guard(StopAt{question, &asked});
    three_in_line::ProblemSpec spec;
    spec.n = 16;
    CHECK_THROWS_AS((void)three_in_line::frontier(spec, 1'000'000'000), SetupStopped);
    asked = 0;
    CHECK_THROWS_AS((void)factorizations::makeSuffixCounts({13, 37, 38, 40}, 500), SetupStopped);
    asked = 0;
    CHECK_THROWS_AS((void)semigroup::parseGenerators("4 2\n0 0\n0 1\n1 0\n1 1\n", "text"), SetupStopped);
    asked = 0;
    CHECK_THROWS_AS((void)semigroup::namedGenerators("renner:7"), SetupStopped);
  }
}

TEST_CASE("a frontier within its memory is the same, and one beyond it is refused") {
  three_in_line::ProblemSpec spec;
  spec.n = 12;
  const auto free = three_in_line::frontier(spec, 3000);
  const auto limited = three_in_line::frontier(spec, 3000, std::size_t{1} << 30);
  CHECK(free.roots.size() == limited.roots.size());
  CHECK(free.words == limited.words);
  CHECK_THROWS_AS((void)three_in_line::frontier(spec, 3000, 1000), LimitError);
}

TEST_CASE("threads that the system grants are granted again") {
  CHECK_NOTHROW(requireThreads(1));
  CHECK_NOTHROW(requireThreads(64));
  CHECK_NOTHROW(requireThreads(8));
}
