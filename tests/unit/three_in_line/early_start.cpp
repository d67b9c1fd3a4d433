// Searches whose length is known ask for the GPUs before they begin, where that pays, and say so.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "slicepool/core/devices.hpp"
#include "slicepool/detail/batch_device.hpp"
#include "slicepool/three_in_line/enumeration.hpp"
#include "slicepool/three_in_line/problem_factory.hpp"
#include "support/gpu_list.hpp"

namespace {
namespace three_in_line_start_test {

using namespace slicepool;
using three_in_line::Request;

Request requestOf(int size) {
  Request request;
  request.size = size;
  return request;
}

/// Whether the driver is asked for before the first step.
bool asks(const Request& request, Mode mode, int threads) {
  const test::DriverWithoutGpus driver;
  EngineOptions options;
  options.mode = mode;
  options.threads = threads;
  const three_in_line::Enumeration enumeration(request, options);
  return driverWasAsked();
}

TEST_CASE("a search that is known to take some tenths of a second asks for a GPU before it is cut") {
  // 6.3e6 boards, and 5.3e7: at 8e6 a second by each core 0.39 and 3.3 s of two, 0.05 and 0.41 s of 16.
  CHECK_FALSE(asks(requestOf(12), Mode::automatic, 2));
  CHECK(asks(requestOf(12), Mode::hybrid, 2));
  CHECK(asks(requestOf(13), Mode::automatic, 2));
  CHECK_FALSE(asks(requestOf(12), Mode::hybrid, 16));
  CHECK(asks(requestOf(13), Mode::automatic, 16));
  CHECK_FALSE(asks(requestOf(13), Mode::automatic, 64));
  CHECK_FALSE(asks(requestOf(13), Mode::cpu, 2));
  CHECK_FALSE(asks(requestOf(10), Mode::hybrid, 1));
}

TEST_CASE("a search that may end before, or was never made, asks when it has lasted") {
  Request first = requestOf(13);
  first.first = 1;
  CHECK_FALSE(asks(first, Mode::hybrid, 1));
  Request shard = requestOf(13);
  shard.shards = 8;
  CHECK_FALSE(asks(shard, Mode::hybrid, 1));
  Request group = requestOf(14);
  group.group = three_in_line::Group::c4;
  CHECK_FALSE(asks(group, Mode::hybrid, 1));
}

TEST_CASE("what a search has asked for before it began is told") {
  three_in_line::ProblemSpec spec;
  spec.n = 13;
  registerDeviceFactory(
      three_in_line::makeProblem(spec)->type(),
      [](const Problem&, const DeviceOptions&) -> std::unique_ptr<BatchDevice> { return nullptr; });
  const test::DriverWithoutGpus driver;
  EngineOptions options;
  options.mode = Mode::automatic;
  options.threads = 2;
  options.stepLimit = 1;
  three_in_line::Enumeration enumeration(requestOf(13), options);
  enumeration.run();
  const AutomaticChoice choice = enumeration.outcome().run.automatic.value();
  CHECK(choice.devices);
  CHECK(choice.askedSeconds == 0);
  CHECK(choice.reason == "3.3 s of the CPU workers were expected");
}

}  // namespace three_in_line_start_test
}  // namespace
