// Short vectors and reduced bases of lattices. Called by slicepool/_lattice.py and _reduce.py.
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "numbers.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/lattice/front_answers.hpp"
#include "runtime/lattice/front_many.hpp"
#include "runtime/lattice/front_request.hpp"
#include "runtime/reduce/front_answers.hpp"
#include "runtime/reduce/front_request.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/reduce/reduction.hpp"
#include "task.hpp"

namespace slicepool::python {
namespace {

using namespace nb::literals;
using lattice::Enumeration;
using lattice::Outcome;
using lattice::Request;

class LatticeRun final : public config::EnumerationRun<Enumeration> {
 public:
  LatticeRun(const Request& request, const config::RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}
  [[nodiscard]] config::Answers answers() const override {
    return config::latticeAnswers(outcome_, request_, finished());
  }
  Outcome& outcome() { return outcome_; }

 private:
  Request request_;
};

/// "[1 -2 3]" as a list of Python's integers.
nb::list elementsOf(const std::string& text) {
  nb::list elements;
  for (std::size_t at = 1; at + 1 < text.size();) {
    const std::size_t end = text.find_first_of(" ]", at);
    elements.append(integerOf(text.substr(at, end - at)));
    at = end + 1;
  }
  return elements;
}

nb::list listOf(const std::vector<std::int64_t>& numbers) {
  nb::list list;
  for (const std::int64_t number : numbers) list.append(nb::int_(number));
  return list;
}

/// Requests are copied by threads that do not hold Python's lock.
std::shared_ptr<nb::object> heldFunction(nb::object function) {
  return {new nb::object(std::move(function)),
          [](nb::object* last) {
            const nb::gil_scoped_acquire lock;
            delete last;
          }};
}

/// A test of solutions by a function of Python: of the squared norm as text, the vector and the coefficients.
/// None is the answer of one that has raised: the search fails then, and saves nothing. It would book what
/// the test did not come to as refused.
std::function<bool(const lattice::Solution&)> testBy(nb::object function) {
  if (function.is_none()) return {};
  return [held = heldFunction(std::move(function))](const lattice::Solution& solution) {
    const nb::gil_scoped_acquire lock;
    nb::list coefficients;
    for (const auto coefficient : solution.coefficients) coefficients.append(nb::int_(coefficient));
    const nb::object answer = (*held)(solution.squaredNorm, elementsOf(solution.text), coefficients);
    if (answer.is_none()) throw slicepool::Error("accept: the function raised an exception");
    return nb::cast<bool>(answer);
  };
}

/// The same of vectors close to one of many targets: of its index, the squared distance as text and the
/// vector.
std::function<bool(std::uint64_t, const lattice::LatticeVector&)> testOfManyBy(nb::object function) {
  if (function.is_none()) return {};
  return
      [held = heldFunction(std::move(function))](std::uint64_t target, const lattice::LatticeVector& found) {
        const nb::gil_scoped_acquire lock;
        return nb::cast<bool>((*held)(nb::int_(target), found.squaredNorm,
                                      found.text.empty() ? listOf(found.vector) : elementsOf(found.text)));
      };
}

class LatticeJob final : public RunJob {
 public:
  /// `pruning`: coefficients, one for each row; none: as the document says. `accept`: a function that returns
  /// a bool, or None instead of raising, or None.
  LatticeJob(const std::string& document, bool follow, std::vector<double> pruning, nb::object accept)
      : RunJob(document, follow), pruning_(std::move(pruning)), accept_(testBy(std::move(accept))) {}

  Outcome& outcome() {
    if (run_ == nullptr) throw std::logic_error("the run has no outcome");
    return run_->outcome();
  }

  [[nodiscard]] std::size_t kept() { return outcome().solutions.size(); }
  /// (squared norm or distance as text, vector, coefficients) of the vectors from `begin` to `end` of those
  /// that were kept, shortest first.
  nb::list solutions(std::size_t begin, std::size_t end) {
    nb::list list;
    for (; begin < end; ++begin) {
      const auto& solution = outcome().solutions.at(begin);
      nb::list coefficients;
      for (const auto coefficient : solution.coefficients) coefficients.append(nb::int_(coefficient));
      list.append(nb::make_tuple(solution.squaredNorm, elementsOf(solution.text), coefficients));
    }
    return list;
  }

 private:
  std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config) override {
    Request request = config::parseLatticeRequest(config);
    if (!pruning_.empty()) request.pruning = pruning_;
    request.accept = accept_;
    auto run = std::make_unique<LatticeRun>(request, config);
    run_ = run.get();
    return run;
  }

  std::vector<double> pruning_;
  std::function<bool(const lattice::Solution&)> accept_;
  LatticeRun* run_ = nullptr;  ///< owned by the execution
};

class ManyRun final : public config::EnumerationRun<lattice::ManyLattices> {
 public:
  using EnumerationRun::EnumerationRun;
  [[nodiscard]] config::Answers answers() const override { return config::manyAnswers(outcome_); }
  lattice::ManyOutcome& outcome() { return outcome_; }
};

/// Many lattices in memory, or many targets of the one that the document has.
class LatticesJob final : public RunJob {
 public:
  /// `accept`: a function that returns a bool and does not raise, or None.
  LatticesJob(const std::string& document, bool follow, nb::object accept)
      : RunJob(document, follow), accept_(testOfManyBy(std::move(accept))) {}

  void addText(bool gram, const std::string& text) {
    lattice::GivenLattice given;
    given.gram = gram;
    given.text = text;
    lattices_.push_back(std::move(given));
  }
  using Matrices = nb::ndarray<const std::int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
  /// One matrix after the other.
  void addArray(bool gram, const Matrices& matrices) {
    const std::size_t size = matrices.shape(1) * matrices.shape(2);
    for (std::size_t i = 0; i < matrices.shape(0); ++i) {
      const std::int64_t* const begin = matrices.data() + i * size;
      lattices_.push_back({gram,
                           static_cast<int>(matrices.shape(1)),
                           static_cast<int>(matrices.shape(2)),
                           {begin, begin + size},
                           {},
                           {}});
    }
  }

  void addTarget(const std::string& text) {
    lattice::GivenLattice given;
    given.targetText = text;
    lattices_.push_back(std::move(given));
  }
  using Targets = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  /// One target a row.
  void addTargets(const Targets& targets) {
    const std::size_t size = targets.shape(1);
    for (std::size_t i = 0; i < targets.shape(0); ++i) {
      const std::int64_t* const begin = targets.data() + i * size;
      lattice::GivenLattice given;
      given.target.assign(begin, begin + size);
      lattices_.push_back(std::move(given));
    }
  }

  [[nodiscard]] std::size_t answered() const {
    if (run_ == nullptr) throw std::logic_error("the run has no outcome");
    return run_->outcome().answers.size();
  }
  /// For each lattice from `begin` to `end` (error, count, vectors); a vector is (squared norm or distance as
  /// text, elements, coefficients, if there are).
  nb::list answers(std::size_t begin, std::size_t end) {
    nb::list list;
    for (; begin < end; ++begin) {
      const auto& answer = run_->outcome().answers.at(begin);
      nb::list vectors;
      for (const auto& found : answer.vectors) {
        vectors.append(nb::make_tuple(found.squaredNorm,
                                      found.text.empty() ? listOf(found.vector) : elementsOf(found.text),
                                      listOf(found.coefficients)));
      }
      list.append(nb::make_tuple(answer.error, answer.count, vectors));
    }
    return list;
  }

 private:
  std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config) override {
    lattice::ManyRequest request = config::parseManyRequest(config);
    request.lattices = std::move(lattices_);
    if (accept_) request.accept = accept_;
    auto run = std::make_unique<ManyRun>(std::move(request), config);
    run_ = run.get();
    return run;
  }

  std::vector<lattice::GivenLattice> lattices_;
  std::function<bool(std::uint64_t, const lattice::LatticeVector&)> accept_;
  ManyRun* run_ = nullptr;  ///< owned by the execution
};

class ReduceRun final : public config::EnumerationRun<reduce::Reduction> {
 public:
  ReduceRun(const reduce::Request& request, const config::RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}
  [[nodiscard]] config::Answers answers() const override {
    return config::reduceAnswers(outcome_, request_, finished());
  }
  reduce::Outcome& outcome() { return outcome_; }

 private:
  reduce::Request request_;
};

class ReduceJob final : public RunJob {
 public:
  ReduceJob(const std::string& document, bool follow) : RunJob(document, follow) {}

  /// Of the reduced basis; by a Gram matrix coefficients.
  nb::list rows() { return rowsOf(outcome().basis); }
  /// That of the reduced basis; by a basis none.
  nb::list gram() { return rowsOf(outcome().gram); }

 private:
  reduce::Outcome& outcome() {
    if (run_ == nullptr) throw std::logic_error("the run has no outcome");
    return run_->outcome();
  }

  static nb::list rowsOf(const std::string& text) {
    nb::list list;  // "[[1 2]\n[3 4]]"
    for (std::size_t at = 1; at + 1 < text.size();) {
      const std::size_t end = text.find(']', at) + 1;
      list.append(elementsOf(text.substr(at, end - at)));
      at = end + 1;
    }
    return list;
  }

  std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config) override {
    auto run = std::make_unique<ReduceRun>(config::parseReduceRequest(config), config);
    run_ = run.get();
    return run;
  }

  ReduceRun* run_ = nullptr;  ///< owned by the execution
};

}  // namespace

void bindLattice(nb::module_& module) {
  nb::class_<LatticesJob, RunJob>(module, "LatticesJob")
      .def(nb::init<const std::string&, bool, nb::object>(), "document"_a, "follow"_a, "accept"_a.none())
      .def("add_text", &LatticesJob::addText, "gram"_a, "text"_a)
      .def("add_array", &LatticesJob::addArray, "gram"_a, "matrices"_a)
      .def("add_target", &LatticesJob::addTarget, "text"_a)
      .def("add_targets", &LatticesJob::addTargets, "targets"_a)
      .def("answered", &LatticesJob::answered)
      .def("answers", &LatticesJob::answers, "begin"_a, "end"_a,
           nb::sig("def answers(self, begin: int, end: int) -> list[tuple[str, int, list[tuple[str, "
                   "list[int], list[int]]]]]"));
  nb::class_<ReduceJob, RunJob>(module, "ReduceJob")
      .def(nb::init<const std::string&, bool>(), "document"_a, "follow"_a)
      .def("rows", &ReduceJob::rows, nb::sig("def rows(self) -> list[list[int]]"))
      .def("gram", &ReduceJob::gram, nb::sig("def gram(self) -> list[list[int]]"));
  nb::class_<LatticeJob, RunJob>(module, "LatticeJob")
      .def(nb::init<const std::string&, bool, std::vector<double>, nb::object>(), "document"_a, "follow"_a,
           "pruning"_a, "accept"_a.none())
      .def("count", [](LatticeJob& job) { return job.outcome().count; })
      .def("nodes", [](LatticeJob& job) { return job.outcome().nodes; })
      .def("nodes_per_level", [](LatticeJob& job) { return job.outcome().nodesPerLevel; })
      .def("fingerprint", [](LatticeJob& job) { return fingerprintText(job.outcome().fingerprint); })
      .def("squared_radius", [](LatticeJob& job) { return job.outcome().squaredRadius.text(); })
      .def("nearest_plane_squared_distance",
           [](LatticeJob& job) { return job.outcome().nearestPlaneSquaredDistance; })
      .def("gh_factor", [](LatticeJob& job) { return job.outcome().ghFactor; })
      .def("reduction", [](LatticeJob& job) { return job.outcome().reduction; })
      .def("kept", &LatticeJob::kept)
      .def("solutions", &LatticeJob::solutions, "begin"_a, "end"_a,
           nb::sig("def solutions(self, begin: int, end: int) -> list[tuple[str, list[int], list[int]]]"));
}

}  // namespace slicepool::python
