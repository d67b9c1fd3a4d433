// SIGINT during a search by a pool reaches the program's handler when no worker is left, and the block is
// declined.
#include <setjmp.h>

#include <csignal>

#include <atomic>
#include <stdexcept>

#include "plugins/fplll/interrupts.hpp"
#include "support/fplll_plugin.hpp"

#include <doctest/doctest.h>

namespace {

using slicepool::test::ExternalBlock;
using slicepool::test::kDeclined;
using slicepool::test::latticeInstance;
using slicepool::test::RegisteredPlugin;

std::atomic<int> handled{0};
std::atomic<bool> searching{false};
std::atomic<bool> handledDuringSearch{false};
sigjmp_buf away;
bool jumps = false;

extern "C" void onInterrupt(int) {
  ++handled;
  if (searching) handledDuringSearch = true;
  if (jumps) siglongjmp(away, 1);  // as cysignals does in fpylll
}

/// Installs the handler of a program for a test.
struct ProgramHandler {
  ProgramHandler() {
    handled = 0;
    handledDuringSearch = false;
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before);
  }
  ~ProgramHandler() { sigaction(SIGINT, &before, nullptr); }
  struct sigaction before {};
};

/// A block whose first solution comes with a Ctrl-C.
ExternalBlock interruptedBlock() {
  ExternalBlock block;
  block.spec = latticeInstance("leech32").spec;
  block.process = [radius = block.spec.squaredRadius](double, double*) {
    searching = true;
    (void)std::raise(SIGINT);
    searching = false;
    return radius;
  };
  return block;
}

}  // namespace

TEST_CASE("a handler that returns is called once, after the search, and the block is declined") {
  const RegisteredPlugin plugin("0", "0", "0");
  const ProgramHandler handler;
  jumps = false;
  ExternalBlock block = interruptedBlock();
  CHECK(block.enumerate()[0] == kDeclined);
  CHECK(handled == 1);
  CHECK_FALSE(handledDuringSearch);
  block.process = [radius = block.spec.squaredRadius](double, double*) { return radius; };
  CHECK(block.enumerate()[0] != kDeclined);  // the next one is not stopped
  (void)std::raise(SIGINT);                  // and the handler is the program's again
  CHECK(handled == 2);
}

TEST_CASE("a handler that jumps away leaves no search behind") {
  const RegisteredPlugin plugin("0", "0", "0");
  const ProgramHandler handler;
  jumps = true;
  static ExternalBlock block;  // not of the frame that is left
  block = interruptedBlock();
  if (sigsetjmp(away, 1) == 0) {
    (void)block.enumerate();
    FAIL("the handler was not called");
  }
  jumps = false;
  CHECK(handled == 1);
  CHECK_FALSE(handledDuringSearch);
  block.process = [radius = block.spec.squaredRadius](double, double*) { return radius; };
  CHECK(block.enumerate()[0] != kDeclined);
}

TEST_CASE("a Ctrl-C in the last moment of a search, or of one that fails, reaches the handler once") {
  using slicepool::fplll_plugin::withoutInterrupts;
  const ProgramHandler handler;
  jumps = false;
  CHECK(withoutInterrupts([](const auto&) { (void)std::raise(SIGINT); }));
  CHECK(handled == 1);
  const auto fails = [](const auto&) {
    (void)std::raise(SIGINT);
    throw std::runtime_error("the search failed on purpose");
  };
  CHECK_THROWS_WITH(withoutInterrupts(fails), "the search failed on purpose");
  CHECK(handled == 2);
  CHECK_FALSE(withoutInterrupts([](const auto& stopped) { CHECK_FALSE(stopped()); }));
  CHECK(handled == 2);
}

TEST_CASE("of searches at once each is told of a Ctrl-C, and the last one hands it on") {
  using slicepool::fplll_plugin::withoutInterrupts;
  const ProgramHandler handler;
  jumps = false;
  CHECK(withoutInterrupts([](const auto& stopped) {
    CHECK(withoutInterrupts([](const auto&) { (void)std::raise(SIGINT); }));
    CHECK(handled == 0);
    CHECK(stopped());
  }));
  CHECK(handled == 1);
}
