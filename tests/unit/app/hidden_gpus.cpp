// A command with one chosen GPU hides the others from the driver, before it starts. A stand-in is the driver.
#include "runtime/app/cli/hidden_gpus.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "slicepool/core/devices.hpp"
#include "support/environment_variable.hpp"
#include "support/gpu_list.hpp"

using namespace slicepool;

namespace {

constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";

class Visible : public test::WithEnvironment {
 public:
  explicit Visible(const std::optional<std::string>& value) : WithEnvironment(kVariable, value) {}
  [[nodiscard]] static std::optional<std::string> now() { return test::environmentVariable(kVariable); }
};

/// A driver that nobody has asked.
class StandIn {
 public:
  StandIn() {
    GpuProvider provider;
    provider.list = [] { return test::gpuList(1); };
    registerGpuProvider(provider);
  }
  ~StandIn() { registerGpuProvider({}); }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;
};

EngineOptions onGpu(int index, Mode mode = Mode::hybrid) {
  EngineOptions options;
  options.mode = mode;
  options.devices = 1;
  options.device.deviceIndex = index;
  return options;
}

}  // namespace

TEST_CASE("a chosen GPU is the only one that the driver sees, and reports call it as the user does") {
  for (const Mode mode : {Mode::gpu, Mode::hybrid, Mode::automatic}) {
    const StandIn driver;
    const Visible visible(std::nullopt);
    EngineOptions options = onGpu(3, mode);
    cli::hideOtherGpus(options, 8);
    CHECK(Visible::now() == "3");
    CHECK(options.device.deviceIndex == 0);
    CHECK(options.devices == 1);
    CHECK(shownGpu(0) == 3);
    CHECK(onlyGpu() == 3);
  }
  CHECK(shownGpu(0) == 0);  // another driver
}

TEST_CASE("of a list that is there already it is the entry of this number") {
  const StandIn driver;
  const Visible visible("4,6,GPU-7f2a");
  EngineOptions options = onGpu(2);
  cli::hideOtherGpus(options, 8);
  CHECK(Visible::now() == "GPU-7f2a");
  CHECK(shownGpu(0) == 2);
}

TEST_CASE("the next shard of the process finds the others hidden") {
  const StandIn driver;
  const Visible visible(std::nullopt);
  for (int shard = 0; shard < 3; ++shard) {
    EngineOptions options = onGpu(5);
    cli::hideOtherGpus(options, 8);
    CHECK(options.device.deviceIndex == 0);
    CHECK(shownGpu(0) == 5);
    CHECK(Visible::now() == "5");
    (void)knownGpus();
  }
}

TEST_CASE(
    "nothing is hidden without a chosen GPU, from one that is not there, or when the driver has started") {
  const StandIn driver;
  const Visible visible("4,6");
  const auto stays = [](EngineOptions options) {
    const int index = options.device.deviceIndex;
    cli::hideOtherGpus(options, 8);
    CHECK(Visible::now() == "4,6");
    CHECK(options.device.deviceIndex == index);
    CHECK_FALSE(onlyGpu());
  };
  stays(onGpu(1, Mode::cpu));
  stays(onGpu(1, Mode::emulated));
  stays(onGpu(2));
  EngineOptions all = onGpu(0);
  all.devices = 0;
  stays(all);
  (void)knownGpus();
  stays(onGpu(1));
}

TEST_CASE("nothing is hidden where there can be no GPU") {
  const Visible visible("4,6");
  EngineOptions options = onGpu(1);
  cli::hideOtherGpus(options, 8);
  CHECK(Visible::now() == "4,6");
  CHECK(options.device.deviceIndex == 1);
}
