// The external enumerator of plugins/fplll, for the libfplll that fpylll brings. Called by
// slicepool/fpylll.py. It is compiled into this extension, so that a wheel has one copy of the engine and of
// the kernels.
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
/// its array are: a libfplll that has the same name takes the same enumerators. And that of
/// fplll::get_external_enumerator. Empty: it is not known.
std::tuple<std::string, std::string> interfaceNames() {
  const auto nameOf = [](void* function) -> std::string {
    Dl_info found{};
    return dladdr(function, &found) != 0 && found.dli_sname != nullptr ? found.dli_sname : "";
  };
  return {nameOf(reinterpret_cast<void*>(&fplll::set_external_enumerator)),
          nameOf(reinterpret_cast<void*>(&fplll::get_external_enumerator))};
}

/// The external enumerator of the libfplll of fpylll, which is another one than that of this extension where
/// fpylll brings its own. `get` and `set`: addresses of that library's fplll::get_external_enumerator and
/// fplll::set_external_enumerator, of the interface above. slicepool/fpylll.py has a lock around all calls.
class TheirEnumerator {
 public:
  /// Makes slicepool the enumerator, for one user more.
  void enter(std::uintptr_t get, std::uintptr_t set) {
    const auto current = reinterpret_cast<Get*>(get)();
    const auto* target = current.target<Function>();
    if (target == nullptr || *target != &slicepool_fplll_enumerate) {
      before_.push_back({users_, current});
      reinterpret_cast<Set*>(set)(&slicepool_fplll_enumerate);
    }
    ++users_;
  }
  /// A user less. Who was found by the first of the users that are gone is the enumerator again.
  void leave(std::uintptr_t set) {
    --users_;
    while (!before_.empty() && before_.back().users >= users_) {
      reinterpret_cast<Set*>(set)(std::move(before_.back().enumerator));
      before_.pop_back();
    }
  }

 private:
  using Function = extenum_fc_enumerate*;
  using Get = std::function<extenum_fc_enumerate>();
  using Set = void(std::function<extenum_fc_enumerate>);
  struct Before {
    int users;  ///< when it was found
    std::function<extenum_fc_enumerate> enumerator;
  };
  int users_ = 0;
  std::vector<Before> before_;
};

TheirEnumerator& theirEnumerator() {
  static TheirEnumerator ofProcess;
  return ofProcess;
}

void enter(std::uintptr_t get, std::uintptr_t set) { theirEnumerator().enter(get, set); }

void leave(std::uintptr_t set) { theirEnumerator().leave(set); }

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
  module.def("fplll_interface", &interfaceNames);
  module.def("fplll_enter", &enter, "get"_a, "set"_a);
  module.def("fplll_leave", &leave, "set"_a);
  module.def("fplll_limits", &limits);
  module.def("fplll_mode", &mode);
  module.def("fplll_change", &change, "name"_a, "value"_a);
  module.def("fplll_counts", &counts);
#endif
}

}  // namespace slicepool::python
