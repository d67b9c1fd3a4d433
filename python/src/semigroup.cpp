// Transformation monoids: an exploration, and questions about what it found. Called by
// slicepool/_semigroup.py.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cpu_workers/core/setup_stop.hpp"
#include "gil.hpp"
#include "numbers.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/semigroup/front_request.hpp"
#include "slicepool/semigroup/enumeration.hpp"
#include "task.hpp"

namespace slicepool::python {
namespace {

using namespace nb::literals;
using semigroup::Element;
using semigroup::Enumeration;
using semigroup::Image;
using semigroup::Outcome;
using semigroup::Transformation;
using semigroup::Word;

class SemigroupRun final : public config::EnumerationRun<Enumeration> {
 public:
  using EnumerationRun::EnumerationRun;
  [[nodiscard]] config::Answers answers() const override {
    config::Answers answers;
    answers.record(outcome_.complete ? "size" : "partial_size", config::exactNumber(outcome_.size));
    answers.record("stages", outcome_.stages);
    answers.record("rules", config::exactNumber(outcome_.rules));
    return answers;
  }
  const Outcome& outcome() { return outcome_; }
  Enumeration& enumeration() { return enumeration_; }
};

class SemigroupJob final : public RunJob {
 public:
  using RunJob::RunJob;
  const Outcome& outcome() { return run().outcome(); }
  const Enumeration& enumeration() { return run().enumeration(); }

  [[nodiscard]] bool begun() const { return run_ != nullptr; }

  /// From the next execute() on the exploration ends after the stage in which it has gone on for so long, and
  /// the one after that goes on; negative: not before all elements are found.
  void pauseAfter(double seconds) { pauseAfter_ = seconds; }

  void execute(const report::StopRequest& stop, const report::RunWatcher& watcher) override {
    if (run_ == nullptr && pauseAfter_ < 0) return RunJob::execute(stop, watcher);
    if (run_ == nullptr) {
      const SetupGuard guard(
          [&]() -> std::string { return stop.requested() ? "stopped in the set-up" : ""; });
      execution_.times.started = report::utcNow();
      execution_.run = prepare(config_);
      if (!config_.resumePath.empty()) run_->resumeFrom(config_.resumePath);
    }
    {
      const report::Watchdog watchdog(*run_, config_.timeLimitSeconds, stop);
      const struct Watched {
        const report::RunWatcher& watcher;
        ~Watched() { watcher(nullptr); }
      } watched{watcher};
      watcher(run_);
      if (pauseAfter_ < 0)
        run_->run();
      else
        run_->enumeration().runFor(std::chrono::nanoseconds(std::llround(pauseAfter_ * 1e9)));
    }
    run_->collect();
  }

 private:
  SemigroupRun& run() {
    if (run_ == nullptr) throw std::logic_error("the run has no outcome");
    return *run_;
  }
  std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config) override {
    auto made = std::make_unique<SemigroupRun>(config::parseSemigroupRequest(config), config);
    run_ = made.get();
    return made;
  }

  SemigroupRun* run_ = nullptr;  ///< owned by the execution
  double pauseAfter_ = -1;       ///< seconds
};

/// A view on the library's own memory, which `self` keeps alive. It is read-only.
nb::object leftGraphView(const nb::object& self) {
  const Enumeration& enumeration = nb::cast<SemigroupJob&>(self).enumeration();
  const auto graph = enumeration.leftGraph();
  const std::size_t columns = enumeration.generatorCount();
  const std::size_t shape[] = {graph.size() / columns, columns};
  return nb::cast(nb::ndarray<nb::numpy, const Element>(graph.data(), 2, shape, self));
}

nb::object rightGraphArray(SemigroupJob& job) {
  const Enumeration& enumeration = job.enumeration();
  const std::size_t rows = enumeration.rightRows();
  const std::size_t columns = enumeration.generatorCount();
  std::vector<Element> numbers(rows * columns);
  enumeration.copyRightGraph(numbers.data());
  return arrayOf(std::move(numbers), {rows, columns});
}

nb::object elementsArray(SemigroupJob& job, std::uint64_t begin, std::uint64_t end) {
  const Enumeration& enumeration = job.enumeration();
  const std::size_t points = enumeration.points();
  std::vector<Image> images((end - begin) * points);
  {
    const GilReleased released;
    enumeration.copyElements(begin, end, images.data());
  }
  return arrayOf(std::move(images), {end - begin, points});
}

nb::object idempotentsArray(SemigroupJob& job) {
  std::vector<Element> found;
  {
    const GilReleased released;
    found = job.enumeration().idempotents();
  }
  const std::size_t size = found.size();
  return arrayOf(std::move(found), {size});
}

/// Left side and right side of each rule: their letters, one word after another, and where each word ends.
nb::tuple ruleArrays(SemigroupJob& job) {
  std::vector<std::uint32_t> letters;
  std::vector<std::uint64_t> ends;
  {
    const GilReleased released;
    for (const auto& rule : job.enumeration().rules()) {
      for (const Word* word : {&rule.first, &rule.second}) {
        letters.insert(letters.end(), word->begin(), word->end());
        ends.push_back(letters.size());
      }
    }
  }
  const std::size_t size = letters.size();
  const std::size_t words = ends.size();
  return nb::make_tuple(arrayOf(std::move(letters), {size}), arrayOf(std::move(ends), {words}));
}

}  // namespace

void bindSemigroup(nb::module_& module) {
  nb::class_<SemigroupJob, RunJob>(module, "SemigroupJob")
      .def(nb::init<const std::string&, bool>(), "document"_a, "follow"_a)
      .def("pause_after", &SemigroupJob::pauseAfter, "seconds"_a)
      .def("size", [](SemigroupJob& job) { return job.begun() ? job.outcome().size : 0; })
      .def("complete", [](SemigroupJob& job) { return job.outcome().complete; })
      .def("points", [](SemigroupJob& job) { return job.outcome().points; })
      .def("generator_count", [](SemigroupJob& job) { return job.outcome().generators; })
      .def("stages", [](SemigroupJob& job) { return job.outcome().stages; })
      .def("number_of_rules", [](SemigroupJob& job) { return job.outcome().rules; })
      .def(
          "word", [](SemigroupJob& job, Element x) { return job.enumeration().word(x); }, "element"_a)
      .def(
          "find",
          [](SemigroupJob& job, const Transformation& images) { return job.enumeration().find(images); },
          "images"_a)
      .def("rules", &ruleArrays, nb::sig("def rules(self) -> tuple[typing.Any, typing.Any]"))
      .def("elements", &elementsArray, "begin"_a, "end"_a)
      .def("idempotents", &idempotentsArray)
      .def("right_graph", &rightGraphArray);
  module.def("left_graph", &leftGraphView, "job"_a);
}

}  // namespace slicepool::python
