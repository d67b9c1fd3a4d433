// What modes auto and hybrid say where factorizations decide before an engine does. A stand-in is the driver.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>

#include "runtime/core/session_impl.hpp"
#include "runtime/factorizations/algorithm_choice.hpp"
#include "runtime/factorizations/problem_setup.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/session.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "support/factorizations/front.hpp"
#include "support/gpu_list.hpp"

using namespace slicepool;
using namespace slicepool::testing;
using factorizations::Algorithm;
using factorizations::SinkKind;

namespace {

using NoGpu = test::DriverWithoutGpus;

const Vector kEight = {13, 37, 38, 40, 41, 42, 43, 44};

RunReport reportOf(factorizations::Request wanted, std::uint64_t stepLimit = 0) {
  EngineOptions options = engineOptions(Mode::automatic);
  options.stepLimit = stepLimit;
  return outcomeOf(wanted, options).run;
}

}  // namespace

TEST_CASE("ranked reductions say how many factorizations there are, and what CPU workers take for them") {
  const NoGpu driver;
  const AutomaticChoice choice =
      reportOf(request({13, 37, 38, 40}, 3000, SinkKind::fingerprint, Algorithm::ranked)).automatic.value();
  CHECK_FALSE(choice.devices);
  CHECK(choice.stepsLeft == 6557);
  CHECK(choice.secondsLeft == doctest::Approx(6557 / 2e9));
  CHECK_FALSE(choice.askedSeconds);
  CHECK(choice.reason ==
        "CPU workers take about 3.28e-06 s for 6557 factorizations, less than the start of a GPU");
}

TEST_CASE("large ranked reductions ask the driver, which says that there is no GPU") {
  const NoGpu driver;
  const AutomaticChoice choice =
      reportOf(request(kEight, 6000, SinkKind::fingerprint, Algorithm::ranked), 1000).automatic.value();
  CHECK_FALSE(choice.devices);
  CHECK(choice.reason == "there is no usable GPU: the stand-in has none");
}

TEST_CASE("small ranked reductions and rows in mode hybrid are for CPU workers, and nobody asks the driver") {
  const NoGpu driver;
  for (const SinkKind sink : {SinkKind::fingerprint, SinkKind::rows}) {
    const RunReport report =
        outcomeOf(request({13, 37, 38, 40}, 3000, sink, Algorithm::ranked), engineOptions(Mode::hybrid)).run;
    CHECK(report.complete);
    CHECK(report.automatic.value().reason ==
          "CPU workers take about 3.28e-06 s for 6557 factorizations, less than the start of a GPU");
    CHECK_FALSE(driverWasAsked());
  }
}

TEST_CASE("large ranked reductions in mode hybrid wait for the driver, and end where it has no GPU") {
  const NoGpu driver;
  CHECK_THROWS_AS(
      outcomeOf(request(kEight, 6000, SinkKind::fingerprint, Algorithm::ranked), engineOptions(Mode::hybrid)),
      DeviceError);
}

TEST_CASE("other algorithms leave the choice to the engine, and a count off the table needs none") {
  const NoGpu driver;
  const RunReport searched =
      reportOf(request({13, 37, 38, 40}, 3000, SinkKind::fingerprint, Algorithm::candidate));
  CHECK(searched.automatic.value().reason.starts_with("this build has no GPU kernels for this"));
  CHECK_FALSE(reportOf(request({13, 37, 38, 40}, 3000, SinkKind::count)).automatic);
}

TEST_CASE("rows that a session's GPU copies slowly are for CPU workers, before there are tables for a GPU") {
  GpuProvider provider;
  provider.list = [] { return test::gpuList(1); };
  provider.warmUp = [](int) {};
  registerGpuProvider(provider);
  const struct Leave {
    ~Leave() { registerGpuProvider({}); }
  } leave;
  startGpus();
  awaitGpuStart();
  REQUIRE(gpuIsReady(0));

  const auto session = std::make_shared<Session>();
  const auto inSession = [&](Mode mode) {
    EngineOptions options = engineOptions(mode);
    options.session = session;
    return options;
  };
  // Long enough for the rate of CPU workers to be learnt.
  const auto wanted = request(kEight, 1800, SinkKind::rows, Algorithm::ranked);
  const factorizations::Outcome byCpu = outcomeOf(wanted, inSession(Mode::cpu));
  factorizations::ProblemSpec spec =
      factorizations::specOf(wanted, factorizations::makePlan(wanted, inSession(Mode::cpu)));
  spec.rows = factorizations::ProblemSpec::Rows{nullptr, {0, byCpu.rows.rows()}, byCpu.rows.elementBytes()};
  const auto problem = factorizations::makeProblem(spec);
  for (const Mode mode : {Mode::hybrid, Mode::automatic}) {
    const double cpuRate = 2 * session->impl().rate(*problem, "cpu");
    REQUIRE(cpuRate > 0);
    session->impl().learnRate(*problem, "gpu", 0.4 * cpuRate);
    const factorizations::Outcome left = outcomeOf(wanted, inSession(mode));
    CHECK(left.run.complete);
    CHECK(left.run.automatic.value().reason ==
          "earlier runs have copied rows from the GPUs at less than half of the CPU workers' rate");
    CHECK(left.tableRows == byCpu.tableRows);
    REQUIRE(left.rows.rows() == byCpu.rows.rows());
    CHECK(std::memcmp(left.rows.data(), byCpu.rows.data(), byCpu.rows.rows() * byCpu.rows.rowBytes()) == 0);
  }
  // A faster one takes part, which the stand-in cannot.
  session->impl().learnRate(*problem, "gpu", 1.2 * session->impl().rate(*problem, "cpu"));
  CHECK_THROWS_AS(outcomeOf(wanted, inSession(Mode::hybrid)), DeviceError);
}

TEST_CASE("ranks beyond 64 bits are for CPU workers, without a warning in mode auto") {
  const NoGpu driver;
  auto wide = request({2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61}, 30'000,
                      SinkKind::fingerprint);
  wide.ranks = factorizations::RankInterval{"18446744073709551616", "18446744073709551626"};
  const RunReport report = reportOf(wide);
  CHECK(report.automatic.value().reason == "ranks beyond 64 bits run on CPU workers only, not on a GPU");
  CHECK(report.warnings.empty());
}

TEST_CASE("where no GPU can be the reason says so, and other modes have none") {
  const auto wanted = request({13, 37, 38, 40}, 3000, SinkKind::fingerprint, Algorithm::ranked);
  CHECK(reportOf(wanted).automatic.value().reason.starts_with("there is no usable GPU: "));
  CHECK_FALSE(outcomeOf(wanted, engineOptions(Mode::cpu)).run.automatic);
}
