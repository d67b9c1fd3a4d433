// Searches that are expected to be long ask for the GPUs before they begin, and say so.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "runtime/lattice/prepared_search.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "support/gpu_list.hpp"
#include "support/lattice/front.hpp"

namespace {
namespace early_start_test {

using namespace slicepool;

/// Of a search that stops with its first turn, as if there were kernels for it and perhaps a GPU.
AutomaticChoice choiceOf(const lattice::Request& request) {
  lattice::ProblemSpec spec = lattice::prepareSearch(request).spec;
  spec.collect = true;
  registerDeviceFactory(
      lattice::makeProblem(spec)->type(),
      [](const Problem&, const DeviceOptions&) -> std::unique_ptr<BatchDevice> { return nullptr; });
  EngineOptions options;
  options.mode = Mode::automatic;
  options.threads = 1;
  options.stepLimit = 1;
  for (;;) {
    const test::DriverWithoutGpus driver;
    const AutomaticChoice choice = test::runLattice(request, options).run.automatic.value();
    CHECK(choice.devices == driverWasAsked());
    // On a machine so loaded that the first turn took 20 ms the engine has asked by itself.
    if (choice.askedSeconds.value_or(0) == 0) return choice;
  }
}

TEST_CASE("what is long whatever the reduction makes of it asks before that") {
  lattice::Request request;
  request.basisPath = test::latticePath("k55.txt");
  request.reduction = "none";
  const AutomaticChoice choice = choiceOf(request);
  CHECK(choice.reason == "a search in 55 rows is expected to be long");
  CHECK(choice.devices);
  CHECK(choice.askedSeconds == 0);
}

TEST_CASE("what is long by its expected nodes asks, what is short does not") {
  struct Case {
    const char* file;
    double ghFactor;
    bool isLong;
  };
  // Of the second one a core takes 0.3 s where it has AVX2 for itself.
  for (const auto& [file, ghFactor, isLong] :
       {Case{"k50.txt", 1.1, true}, Case{"k45.txt", 1.07, false}, Case{"e8.txt", 1.1, false}}) {
    CAPTURE(file);
    lattice::Request request;
    request.basisPath = test::latticePath(file);
    request.reduction = "none";
    request.ghFactor = ghFactor;
    request.fixedRadius = true;
    const AutomaticChoice choice = choiceOf(request);
    CHECK(choice.devices == isLong);
    CHECK(choice.reason.ends_with("s of the CPU workers were expected") == isLong);
  }
}

}  // namespace early_start_test
}  // namespace
