// Searches of the user's own, compiled from C++ text. Called by slicepool/_workload.py, which compiles.
#include <dlfcn.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "gil.hpp"
#include "numbers.hpp"
#include "runtime/app/config/counting_run.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/batch_device.hpp"
#include "slicepool/python/workload.hpp"
#include "task.hpp"

namespace slicepool::python {
namespace {

using namespace nb::literals;

/// A compiled text. It stays loaded until the process ends: exceptions and problems may outlive this object.
class LoadedWorkload {
 public:
  /// Throws Error for a file that is no compiled workload.
  explicit LoadedWorkload(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error(std::string("the compiled workload cannot be loaded: ") + dlerror());
    using Get = const WorkloadFactory* (*)();
    const auto get = reinterpret_cast<Get>(dlsym(library, "slicepoolPythonWorkload"));
    if (get == nullptr)
      throw ConfigError("text", "no workload", "a last line such as SLICEPOOL_PYTHON_WORKLOAD(NQueens, n);");
    factory_ = get();
  }

  [[nodiscard]] std::string name() const { return factory_->name(); }
  [[nodiscard]] std::vector<std::string> parameters() const { return separated(factory_->parameters()); }
  [[nodiscard]] bool hasKernels() const { return factory_->hasKernels(); }

  /// The problem of these numbers; GPUs are known to run it when they can. Throws what the text throws.
  [[nodiscard]] std::unique_ptr<const Problem> make(const std::vector<Number>& numbers) const {
    auto problem = factory_->make(numbers);
    if (factory_->hasKernels()) {
      registerDeviceFactory(
          problem->type(),
          [factory = factory_](const Problem& of, const DeviceOptions& how) {
            return factory->makeDevice(of, how);
          });
    }
    return problem;
  }

 private:
  const WorkloadFactory* factory_ = nullptr;
};

class SourceRun final : public config::ProblemRun {
 public:
  using ProblemRun::count;
  using ProblemRun::ProblemRun;
};

class SourceJob final : public RunJob {
 public:
  /// `identity`: of the text, for checkpoints.
  SourceJob(const std::string& document, bool follow, std::shared_ptr<LoadedWorkload> workload,
            const std::vector<std::variant<std::int64_t, double>>& numbers, std::string identity)
      : RunJob(config::parseRunOptions(config::parseJson(document, "run"), config::Strictness::single),
               follow),
        workload_(std::move(workload)),
        identity_(std::move(identity)) {
    for (const auto& number : numbers) {
      const auto* integer = std::get_if<std::int64_t>(&number);
      numbers_.push_back(integer != nullptr ? Number{false, *integer, 0}
                                            : Number{true, 0, std::get<double>(number)});
    }
  }

  [[nodiscard]] std::uint64_t count() const { return run_ == nullptr ? 0 : run_->count(); }

 private:
  std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config) override {
    config::Json identity = {{"workload", config.workload}, {"text", identity_}};
    for (const Number& number : numbers_)
      identity["numbers"].push_back(number.real ? config::Json(number.value) : config::Json(number.integer));
    auto run = std::make_unique<SourceRun>(config, identity, workload_->make(numbers_));
    run_ = run.get();
    return run;
  }

  std::shared_ptr<LoadedWorkload> workload_;
  std::vector<Number> numbers_;
  std::string identity_;
  SourceRun* run_ = nullptr;  ///< owned by execution_
};

}  // namespace

void bindSource(nb::module_& module) {
  nb::class_<LoadedWorkload>(module, "LoadedWorkload")
      .def(nb::init<const std::string&>(), "path"_a)
      .def_prop_ro("name", &LoadedWorkload::name)
      .def_prop_ro("parameters", &LoadedWorkload::parameters)
      .def_prop_ro("has_kernels", &LoadedWorkload::hasKernels);
  nb::class_<SourceJob, RunJob>(module, "SourceJob")
      .def(nb::init<const std::string&, bool, std::shared_ptr<LoadedWorkload>,
                    const std::vector<std::variant<std::int64_t, double>>&, std::string>(),
           "document"_a, "follow"_a, "workload"_a, "numbers"_a, "identity"_a)
      .def("count", &SourceJob::count);
  // Compute capabilities of the GPUs of this process ("90"), from driver and device names alone: no context.
  module.def(
      "gpu_architectures",
      [] {
        std::vector<std::string> found;
        if (builtWithCuda() && gpusAreLikely())
          for (const auto& gpu : knownGpus().gpus)
            found.push_back(std::to_string(10 * gpu.computeMajor + gpu.computeMinor));
        return found;
      },
      nb::call_guard<GilReleased>());
  module.attr("BUILT_WITH_CUDA") = builtWithCuda();
  // How std::string and its like are laid out here, which a compiled text must share.
  module.attr("CXX11_ABI") = static_cast<int>(_GLIBCXX_USE_CXX11_ABI);
}

}  // namespace slicepool::python
