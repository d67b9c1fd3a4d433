// See table_job.hpp.
#include "table_job.hpp"

#include <chrono>

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/core/memory.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::python {

namespace {

namespace nb = nanobind;
using namespace nb::literals;

config::RunConfig parsed(const std::string& document) {
  return config::parseRunConfig(config::parseJson(document, "configuration"), config::Strictness::single);
}

}  // namespace

TableJob::TableJob(const std::string& document) : config_(parsed(document)) {}

void TableJob::execute(const report::StopRequest& stop, const report::RunWatcher&) {
  const auto begin = std::chrono::steady_clock::now();
  const SetupGuard guard([&]() -> std::string {
    if (stop.requested()) return "stopped before the answer was there; nothing was saved";
    const auto limit = config_.timeLimitSeconds;
    if (!limit || secondsSince(begin) < *limit) return {};
    return "stopped by the time limit before the answer was there; nothing was saved";
  });
  make();
}

void requireMemory(const config::RunConfig& config, const std::string& what, std::uint64_t rows,
                   std::size_t rowBytes, std::size_t taken) {
  const std::size_t given = config.engine.memoryLimit;
  const std::size_t limit = hostMemoryLimit(given);
  // Half of what is free does not have in it what was taken before.
  const std::size_t own = given == 0 ? 0 : taken;
  if (static_cast<unsigned __int128>(rows) * rowBytes + own <= limit) return;
  throw LimitError(what + ": " + std::to_string(rows) + " rows of " + std::to_string(rowBytes) +
                   " bytes; the memory limit is " + std::to_string(limit) + " bytes" +
                   (own == 0 ? "" : ", of which the ranks take " + std::to_string(own)));
}

void bindTableJob(nb::module_& module) {
  module.def(
      "require_memory",
      [](const std::string& document, const std::string& what, std::uint64_t rows, std::size_t rowBytes) {
        requireMemory(parsed(document), what, rows, rowBytes);
      },
      "document"_a, "what"_a, "rows"_a, "row_bytes"_a);
}

}  // namespace slicepool::python
