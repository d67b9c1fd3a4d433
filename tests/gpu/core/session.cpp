// A session on a GPU: one seat for runs of different workloads, the right answers from memory that was used
// before, and unused memory within its limits and given back.
#include "slicepool/core/session.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "support/gpu.hpp"

using namespace slicepool;

namespace {

EngineOptions options(Mode mode, const std::shared_ptr<Session>& session) {
  EngineOptions made;
  made.mode = mode;
  made.threads = 2;
  made.devices = 1;
  made.session = session;
  return made;
}

std::vector<std::uint64_t> boards(int n, const EngineOptions& how) {
  three_in_line::ProblemSpec spec;
  spec.n = n;
  const auto problem = three_in_line::makeProblem(spec);
  Engine engine(*problem, how);
  engine.run();
  const RunReport report = engine.report();
  CHECK(report.complete);
  CHECK(report.warnings.empty());
  return report.words;
}

/// Count and fingerprint, by slices that are ranges of ranks.
std::string fingerprint(const std::vector<std::uint64_t>& generators, std::uint64_t element,
                        const EngineOptions& how) {
  factorizations::Request request;
  request.generators = generators;
  request.element = element;
  request.sink.kind = factorizations::SinkKind::fingerprint;
  factorizations::Enumeration enumeration(request, how);
  enumeration.run();
  const auto outcome = enumeration.outcome();
  CHECK(outcome.run.complete);
  return outcome.count + " " + std::to_string(outcome.fingerprint->sum) + " " +
         std::to_string(outcome.fingerprint->exclusiveOr);
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("runs of different workloads share a seat and find what the CPU finds") {
  if (!test::gpuUsable()) return;
  const auto session = std::make_shared<Session>();
  const auto nine = boards(9, options(Mode::cpu, session));
  const auto eight = boards(8, options(Mode::cpu, session));
  const auto wide = fingerprint({13, 37, 38, 40}, 3000, options(Mode::cpu, session));
  const auto narrow = fingerprint({6, 9, 20}, 5000, options(Mode::cpu, session));
  for (const Mode mode : {Mode::gpu, Mode::hybrid, Mode::automatic, Mode::gpu}) {
    CAPTURE(static_cast<int>(mode));
    const EngineOptions how = options(mode, session);
    CHECK(boards(9, how) == nine);
    CHECK(fingerprint({13, 37, 38, 40}, 3000, how) == wide);
    CHECK(boards(8, how) == eight);
    CHECK(fingerprint({6, 9, 20}, 5000, how) == narrow);
  }
  CHECK(session->report().seatsMade == 1);
  CHECK(session->report().seats == 1);
}

TEST_CASE("unused memory is bounded, and goes back with release") {
  if (!test::gpuUsable()) return;
  constexpr std::size_t kLittle = std::size_t{1} << 20;
  auto session = std::make_shared<Session>(SessionOptions{.deviceBytes = kLittle, .hostBytes = kLittle});
  const auto expected = boards(8, options(Mode::cpu, session));
  for (int run = 0; run < 3; ++run) {
    CHECK(boards(8, options(Mode::gpu, session)) == expected);
    CHECK(session->report().deviceBytes <= kLittle);
  }
  session.reset();
  const auto generous = std::make_shared<Session>();
  CHECK(boards(8, options(Mode::gpu, generous)) == expected);
  CHECK(generous->report().deviceBytes > kLittle);
  generous->release();
  CHECK(generous->report().deviceBytes == 0);
  CHECK(boards(8, options(Mode::gpu, generous)) == expected);
}

TEST_CASE("runs at the same time on one GPU have a seat each") {
  if (!test::gpuUsable()) return;
  const auto session = std::make_shared<Session>();
  const auto expected = boards(8, options(Mode::cpu, session));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.emplace_back([&] {
      for (int run = 0; run < 5; ++run) CHECK(boards(8, options(Mode::gpu, session)) == expected);
    });
  for (auto& thread : threads) thread.join();
  CHECK(session->report().seatsMade <= 3);
  CHECK(session->report().seats == session->report().seatsMade);
}
