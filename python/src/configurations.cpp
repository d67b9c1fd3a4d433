// Runs and sweeps from JSON, as the command takes them, and what this build and machine are. Called by
// slicepool/_configurations.py and _options.py.
#include <cstdio>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "gil.hpp"
#include "runtime/app/cli/command_main.hpp"
#include "runtime/app/config/suggest.hpp"
#include "runtime/app/config/sweep_config.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/app/report/page.hpp"
#include "runtime/app/report/summary.hpp"
#include "runtime/app/report/sweep.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "task.hpp"

namespace slicepool::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using config::Json;

/// `slicepool sweep`: the directory gets results.jsonl, summary.csv and report.html.
class SweepJob final : public Job {
 public:
  SweepJob(const std::string& document, const std::string& source, const std::string& directory, bool restart)
      : sweep_(
            config::parseSweepConfig(config::parseJson(document, source), config::TimeClass::large, source)) {
    settings_.directory = directory.empty() ? sweep_.outputDirectory : directory;
    settings_.restart = restart;
    if (settings_.directory.empty())
      throw ConfigError("directory", "nothing", "a directory, here or as /output/directory of the sweep");
  }

  void execute(const report::StopRequest& stop, const report::RunWatcher&) override {
    OutputGuard guard;
    report::claimDirectory(settings_.directory, guard);
    outcome_ = report::runSweep(sweep_, settings_, report::inProcessRunner(stop, session_), stop);
    const auto summary = report::summarize(sweep_, outcome_.records);
    (void)report::writeReport(settings_.directory, sweep_, summary, outcome_.records, outcome_.mismatches);
  }

  void use(std::shared_ptr<Session> session) override { session_ = std::move(session); }

  /// The records, JSON texts.
  [[nodiscard]] std::vector<std::string> records() const {
    std::vector<std::string> texts;
    for (const Json& record : outcome_.records) texts.push_back(record.dump());
    return texts;
  }
  [[nodiscard]] const report::SweepOutcome& outcome() const { return outcome_; }

 private:
  config::SweepConfig sweep_;
  report::SweepSettings settings_;
  report::SweepOutcome outcome_;
  std::shared_ptr<Session> session_;
};

std::string infoText(bool askGpus) {
  const Json build = report::buildRecord();
  Json record = {{"version", build["version"]}};
  record["machine"] = report::machineRecord(askGpus);
  if (askGpus) {
    const GpuList gpus = listGpus();
    record["gpu_reason"] = gpus.gpus.empty() ? Json(gpus.whyNone) : Json(nullptr);
  }
  record["build"] = build;
  record["workloads"] = config::workloadNames();
  return record.dump();
}

/// All of the command `slicepool`, for a process that is nothing else: it takes over signals and standard
/// error.
int command(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int code = cli::commandMain(static_cast<int>(arguments.size()), pointers.data());
  (void)std::fflush(nullptr);
  return code;
}

}  // namespace

void bindConfigurations(nb::module_& module) {
  nb::class_<SweepJob, Job>(module, "SweepJob")
      .def(nb::init<const std::string&, const std::string&, const std::string&, bool>(), "document"_a,
           "source"_a, "directory"_a, "restart"_a)
      .def("records", &SweepJob::records)
      .def("mismatches", [](const SweepJob& job) { return job.outcome().mismatches; })
      .def("stopped", [](const SweepJob& job) { return job.outcome().stopped; });
  module.def("info", &infoText, "ask_gpus"_a, nb::call_guard<GilReleased>());
  module.def("command", &command, "arguments"_a, nb::call_guard<GilReleased>());
  module.def("nearest_word", &config::nearestWord, "word"_a, "candidates"_a);
}

}  // namespace slicepool::python
