// What is kept between runs. Called by slicepool/_session.py.
#include "slicepool/core/session.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "gil.hpp"
#include "runtime/app/config/json.hpp"
#include "runtime/app/config/run_config.hpp"

namespace slicepool::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// JSON text of a size in bytes, such as 1000 or "4GiB"; empty: the default. Throws ConfigError.
std::size_t sizeOf(const std::string& text, const std::string& field, std::size_t standard) {
  return text.empty() ? standard : config::requireSize(config::parseJson(text, field), field);
}

std::shared_ptr<Session> makeSession(const std::string& device, const std::string& host) {
  SessionOptions options;
  options.deviceBytes = sizeOf(device, "device_memory", options.deviceBytes);
  options.hostBytes = sizeOf(host, "host_memory", options.hostBytes);
  return std::make_shared<Session>(options);
}

nb::dict reportOf(const Session& session) {
  const SessionReport report = session.report();
  nb::dict all;
  all["runs"] = report.runs;
  all["seats_made"] = report.seatsMade;
  all["arenas_made"] = report.arenasMade;
  all["threads_started"] = report.threadsStarted;
  all["seats"] = report.seats;
  all["arenas"] = report.arenas;
  all["threads"] = report.threads;
  all["device_bytes"] = report.deviceBytes;
  all["host_bytes"] = report.hostBytes;
  return all;
}

}  // namespace

void bindSession(nb::module_& module) {
  nb::class_<Session>(module, "Session")
      .def("release", &Session::release, nb::call_guard<GilReleased>())
      .def("close", &Session::close, nb::call_guard<GilReleased>())
      .def("report", &reportOf, nb::sig("def report(self) -> dict[str, int]"))
      .def(
          "warm_up",
          [](Session& session, const std::string& mode, int threads, int first, int count) {
            session.warmUp(config::parseMode(mode), threads, first, count);
          },
          "mode"_a, "threads"_a, "first"_a, "count"_a, nb::call_guard<GilReleased>());
  module.def("make_session", &makeSession, "device_memory"_a, "host_memory"_a);
  module.def("process_session", [] { return Session::ofProcess(); });
}

}  // namespace slicepool::python
