// No-three-in-line searches. Called by slicepool/_three_in_line.py.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "numbers.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/three_in_line/front_request.hpp"
#include "slicepool/three_in_line/enumeration.hpp"
#include "task.hpp"

namespace slicepool::python {
namespace {

using namespace nb::literals;
using three_in_line::Enumeration;
using three_in_line::Outcome;
using three_in_line::Request;

class ThreeInLineRun final : public config::EnumerationRun<Enumeration> {
 public:
  using EnumerationRun::EnumerationRun;
  [[nodiscard]] config::Answers answers() const override {
    config::Answers answers;
    config::addFindings(answers, outcome_.findings, finished());
    return answers;
  }
  Outcome& outcome() { return outcome_; }
};

class ThreeInLineJob final : public RunJob {
 public:
  using RunJob::RunJob;
  Outcome& outcome() {
    if (run_ == nullptr) throw std::logic_error("the run has no outcome");
    return run_->outcome();
  }

  /// Row y of a solution as a number: bit x is the cell in column x.
  nb::object masks() {
    const auto n = static_cast<std::size_t>(size_);
    std::vector<std::uint32_t> rows;
    for (const auto& solution : outcome().solutions)
      rows.insert(rows.end(), solution.rows, solution.rows + n);
    return arrayOf(std::move(rows), {outcome().solutions.size(), n});
  }

 private:
  std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config) override {
    const Request request = config::parseThreeInLineRequest(config);
    size_ = request.size;
    auto run = std::make_unique<ThreeInLineRun>(request, config);
    run_ = run.get();
    return run;
  }

  ThreeInLineRun* run_ = nullptr;  ///< owned by the execution
  int size_ = 0;
};

}  // namespace

void bindThreeInLine(nb::module_& module) {
  nb::class_<ThreeInLineJob, RunJob>(module, "ThreeInLineJob")
      .def(nb::init<const std::string&, bool>(), "document"_a, "follow"_a)
      .def(
          "count", [](ThreeInLineJob& job) { return job.outcome().findings.count; })
      .def(
          "total", [](ThreeInLineJob& job) { return job.outcome().findings.total; })
      .def(
          "nodes", [](ThreeInLineJob& job) { return job.outcome().findings.nodes; })
      .def(
          "classes",
          [](ThreeInLineJob& job) {
            const auto& classes = job.outcome().findings.classes;
            return std::vector<std::uint64_t>(classes.begin(), classes.end());
          })
      .def(
          "fingerprint",
          [](ThreeInLineJob& job) { return fingerprintText(job.outcome().findings.fingerprint); })
      .def("masks", &ThreeInLineJob::masks);
}

}  // namespace slicepool::python
