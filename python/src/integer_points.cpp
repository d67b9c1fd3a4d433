// Lists of integer points, as arrays. Called by slicepool/_integer_points.py.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "cpu_workers/core/setup_stop.hpp"
#include "numbers.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/integer_points/front_answers.hpp"
#include "runtime/integer_points/front_request.hpp"
#include "slicepool/integer_points/enumeration.hpp"
#include "task.hpp"

namespace slicepool::python {
namespace {

using namespace nb::literals;
using integer_points::Request;

class PointsRun final : public config::EnumerationRun<integer_points::Enumeration> {
 public:
  PointsRun(const Request& request, const config::RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}
  [[nodiscard]] config::Answers answers() const override {
    return config::pointAnswers(outcome_, request_, finished());
  }
  [[nodiscard]] std::size_t columns() const { return request_.system.matrix.front().size(); }
  integer_points::Outcome& outcome() { return outcome_; }

 private:
  Request request_;
};

/// A run whose points go into an array, and not through the text of a record.
class PointsJob final : public RunJob {
 public:
  using RunJob::RunJob;

  /// Of a finished run: shape (points, columns).
  nb::object takePoints() {
    if (run_ == nullptr) throw std::logic_error("the run has no points");
    const std::size_t columns = run_->columns();
    const std::size_t rows = values_.size() / columns;
    return arrayOf(std::move(values_), {rows, columns});
  }

 private:
  std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config) override {
    auto run = std::make_unique<PointsRun>(config::parsePointRequest(config), config);
    run_ = run.get();
    return run;
  }

  void takeAnswer() override {
    constexpr std::size_t kPointsBetweenLooks = 4096;
    auto& points = run_->outcome().points;
    values_.reserve(points.size() * run_->columns());
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % kPointsBetweenLooks == 0) checkSetup();
      values_.insert(values_.end(), points[i].begin(), points[i].end());
      points[i] = {};
    }
    points = {};
  }

  std::vector<std::int64_t> values_;
  PointsRun* run_ = nullptr;  ///< owned by the execution
};

}  // namespace

void bindIntegerPoints(nb::module_& module) {
  nb::class_<PointsJob, RunJob>(module, "PointsJob")
      .def(nb::init<const std::string&, bool>(), "document"_a, "follow"_a)
      .def("take_points", &PointsJob::takePoints);
}

}  // namespace slicepool::python
