// What modes auto and hybrid say where factorizations decide before an engine does. A stand-in is the driver.
#include <doctest/doctest.h>

#include <string>

#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
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
