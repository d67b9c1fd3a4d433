// The external enumerator of plugins/fplll, for the libfplll that fpylll brings. Called by
// slicepool/fpylll.py. It is compiled into this extension, so that a wheel has one copy of the engine and of
// the kernels.
#include <cstdint>
#include <string>
#include <tuple>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bindings.hpp"

#ifdef SLICEPOOL_HAVE_FPLLL
#include <dlfcn.h>
#include <fplll/fplll.h>

#include "plugins/fplll/settings.hpp"
#include "plugins/fplll/slicepool_fplll.h"
#include "runtime/app/config/run_config.hpp"
#endif

namespace slicepool::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

#ifdef SLICEPOOL_HAVE_FPLLL

/// The linker's name of fplll::set_external_enumerator, in which the types of the interface and the size of
/// its array are: a libfplll that has the same name takes the same enumerators. Empty: it is not known.
std::string interfaceName() {
  Dl_info found{};
  const bool known = dladdr(reinterpret_cast<void*>(&fplll::set_external_enumerator), &found) != 0;
  return known && found.dli_sname != nullptr ? found.dli_sname : "";
}

std::uintptr_t enumerator() { return reinterpret_cast<std::uintptr_t>(&slicepool_fplll_enumerate); }

/// min_dimension, min_nodes, engine_nodes, threads, dual.
std::tuple<int, double, double, int, int> limits() {
  const fplll_plugin::Settings settings = fplll_plugin::currentSettings();
  return {settings.minDimension, settings.minNodes, settings.engineNodes, settings.threads, settings.dual};
}

std::string mode() { return config::modeName(fplll_plugin::currentSettings().mode); }

bool change(const std::string& name, const std::string& value) {
  return slicepool_fplll_set(name.c_str(), value.c_str()) == 0;
}

/// declined, sequential, pooled, nodes.
std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t> counts() {
  slicepool_fplll_counts values{};
  slicepool_fplll_statistics(&values);
  return {values.declined, values.sequential, values.pooled, values.nodes};
}

#endif

}  // namespace

void bindFplll([[maybe_unused]] nb::module_& module) {
#ifdef SLICEPOOL_HAVE_FPLLL
  module.def("fplll_interface", &interfaceName);
  module.def("fplll_enumerator", &enumerator);
  module.def("fplll_limits", &limits);
  module.def("fplll_mode", &mode);
  module.def("fplll_change", &change, "name"_a, "value"_a);
  module.def("fplll_counts", &counts);
#endif
}

}  // namespace slicepool::python
