// The extension slicepool._slicepool: what the Python package is made of. Users import slicepool.
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <spdlog/spdlog.h>

#include "bindings.hpp"
#include "cpu_workers/core/setup_stop.hpp"
#include "gil.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "task.hpp"
#ifdef SLICEPOOL_HAVE_CUDA
#include "kernels/core/registration.hpp"
#endif

namespace slicepool::python {
namespace {

namespace nb = nanobind;

void raise(const char* name, const std::string& message) {
  const nb::object type = nb::module_::import_("slicepool.errors").attr(name);
  PyErr_SetString(type.ptr(), message.c_str());
}

void raiseConfigError(const ConfigError& error) {
  const nb::object type = nb::module_::import_("slicepool.errors").attr("ConfigError");
  const nb::object instance = type(error.what(), error.field());
  PyErr_SetObject(type.ptr(), instance.ptr());
}

/// What the library throws, as the classes of slicepool/errors.py. Others are nanobind's.
void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const SetupStopped& error) {
    raise("SetupStopped", error.what());
  } catch (const ConfigError& error) {
    raiseConfigError(error);
  } catch (const DeviceError& error) {
    raise("DeviceError", error.what());
  } catch (const LimitError& error) {
    raise("LimitError", error.what());
  } catch (const CheckpointError& error) {
    raise("CheckpointError", error.what());
  } catch (const Error& error) {
    raise("Error", error.what());
  } catch (const std::bad_alloc&) {
    raise("LimitError", "memory: the system refused an allocation; lower memory_limit or ask for less");
  } catch (const std::system_error& error) {
    const bool threads = error.code() == std::errc::resource_unavailable_try_again;
    raise(threads ? "LimitError" : "Error",
          (threads ? "threads: the system refused one; lower threads: " : "") + std::string(error.what()));
  }
}

}  // namespace

void bindErrors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace slicepool::python

NB_MODULE(_slicepool, module) {
  using namespace slicepool::python;  // NOLINT: the parts of this module
  // A library says what it has to say by its results and exceptions.
  spdlog::set_level(spdlog::level::off);
#ifdef SLICEPOOL_HAVE_CUDA
  slicepool::registerCudaKernels();  // a table of names; asks no driver
#endif
  module.def("await_gpu_start", &slicepool::awaitGpuStart,
             nanobind::call_guard<slicepool::python::GilReleased>(),
             "Waits until a driver that is starting has started.");
  module.def(
      "end",
      [](bool threads) {
        if (threads) nanobind::set_leak_warnings(false);  // what these have is never given back
        slicepool::python::GilReleased::end();
        slicepool::leaveWithoutDriver();  // its handlers run after this
      },
      nanobind::arg("threads"),
      "Called once, at the end of Python: threads in functions of this module come back no more. `threads`: "
      "there may be some.");
  bindErrors(module);
  bindSession(module);
  bindRecordText(module);
  bindTask(module);
  bindTableJob(module);
  bindConfigurations(module);
  bindFactorizations(module);
  bindDeviceRows(module);
  bindThreeInLine(module);
  bindNumericalSemigroups(module);
  bindIntegerPoints(module);
  bindLattice(module);
  bindFplll(module);
  bindSemigroup(module);
  bindSource(module);
}
