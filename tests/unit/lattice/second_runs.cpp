// What later runs of a session do not do again.
#include <doctest/doctest.h>

#include <sys/resource.h>

#include <memory>

#include "slicepool/core/session.hpp"
#include "support/lattice/front.hpp"

using namespace slicepool;

namespace {

/// First touches of pages by this process.
long pageFaults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

}  // namespace

TEST_CASE("a small run that collects results touches few pages of its buffers") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  MESSAGE("[skipped] sanitizers have pages of their own");
#else
  lattice::Request request;
  request.basis = "[[1 3] [3 -2]]";
  EngineOptions options = test::twoThreads(Mode::cpu);
  options.session = std::make_shared<Session>();
  constexpr int kRuns = 50;
  (void)test::runLattice(request, options);
  const long before = pageFaults();
  for (int i = 0; i < kRuns; ++i) CHECK(test::runLattice(request, options).shortestSquaredNorm == "10");
  const long each = (pageFaults() - before) / kRuns;
  MESSAGE(each << " page faults a run");
  CHECK(each < 100);  // the buffers of both workers have 512 pages
#endif
}
