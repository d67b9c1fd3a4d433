// The tree of numerical semigroups: lists, and semigroups of ranks, as arrays. Called by
// slicepool/_numerical_semigroups.py.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cpu_workers/core/setup_stop.hpp"
#include "numbers.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/numerical_semigroups/front_answers.hpp"
#include "runtime/numerical_semigroups/front_request.hpp"
#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "slicepool/numerical_semigroups/gap_set.hpp"
#include "slicepool/numerical_semigroups/ranked.hpp"
#include "table_job.hpp"

namespace nb = nanobind;

namespace slicepool::python {
namespace {

using namespace nb::literals;
using numerical_semigroups::GapSet;
using numerical_semigroups::RankedSemigroups;
using numerical_semigroups::Request;

/// Generators of semigroups, one after another, and where those of each end.
struct GeneratorRows {
  std::vector<std::int32_t> generators;
  std::vector<std::uint64_t> ends;

  void append(const std::vector<GapSet>& semigroups) {
    constexpr std::size_t kSemigroupsBetweenLooks = 256;
    for (const GapSet& gaps : semigroups) {
      if (ends.size() % kSemigroupsBetweenLooks == 0) checkSetup();
      const auto own = numerical_semigroups::generatorsOf(gaps);
      generators.insert(generators.end(), own.begin(), own.end());
      ends.push_back(generators.size());
    }
  }
  /// As two arrays.
  nb::tuple take() {
    const std::size_t numbers = generators.size();
    const std::size_t rows = ends.size();
    return nb::make_tuple(arrayOf(std::move(generators), {numbers}), arrayOf(std::move(ends), {rows}));
  }
};

class SemigroupsRun final : public config::EnumerationRun<numerical_semigroups::Enumeration> {
 public:
  SemigroupsRun(const Request& request, const config::RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}
  [[nodiscard]] config::Answers answers() const override {
    return config::genusAnswers(outcome_, request_, false, finished());
  }
  numerical_semigroups::Outcome& outcome() { return outcome_; }

 private:
  Request request_;
};

/// A run whose semigroups go into arrays, and not through the text of a record.
class SemigroupsJob final : public RunJob {
 public:
  using RunJob::RunJob;

  /// Of a finished run.
  nb::tuple take() { return rows_.take(); }

 private:
  std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config) override {
    auto run = std::make_unique<SemigroupsRun>(config::parseGenusRequest(config), config);
    run_ = run.get();
    return run;
  }

  void takeAnswer() override {
    rows_.append(run_->outcome().semigroups);
    run_->outcome().semigroups = {};
  }

  GeneratorRows rows_;
  SemigroupsRun* run_ = nullptr;  ///< owned by the execution
};

/// Counts the semigroups of every class.
class RankingJob final : public TableJob {
 public:
  RankingJob(const std::string& document, int genus, int multiplicity)
      : TableJob(document), genus_(genus), multiplicity_(multiplicity) {}
  /// Nothing before the job is done.
  [[nodiscard]] std::shared_ptr<RankedSemigroups> ranked() const { return ranked_; }

 private:
  void make() override { ranked_ = std::make_shared<RankedSemigroups>(genus_, multiplicity_); }

  int genus_;
  int multiplicity_;
  std::shared_ptr<RankedSemigroups> ranked_;
};

/// Finds the generators of the semigroups of some ranks.
class SemigroupsAtJob final : public TableJob {
 public:
  /// `ranks` ascend.
  SemigroupsAtJob(const std::string& document, std::shared_ptr<RankedSemigroups> ranked,
                  std::vector<std::uint64_t> ranks)
      : TableJob(document), ranked_(std::move(ranked)), ranks_(std::move(ranks)) {}
  /// Of the ranks begin, begin + step, .., `count` of them.
  SemigroupsAtJob(const std::string& document, std::shared_ptr<RankedSemigroups> ranked, std::uint64_t begin,
                  std::uint64_t step, std::uint64_t count)
      : TableJob(document), ranked_(std::move(ranked)), begin_(begin), step_(step), count_(count) {}

  nb::tuple take() { return rows_.take(); }

 private:
  void make() override {
    for (std::uint64_t i = 0; i < count_; ++i) ranks_.push_back(begin_ + i * step_);
    rows_.append(ranked_->at(ranks_));
  }

  std::shared_ptr<RankedSemigroups> ranked_;
  std::vector<std::uint64_t> ranks_;
  std::uint64_t begin_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t count_ = 0;
  GeneratorRows rows_;
};

}  // namespace

void bindNumericalSemigroups(nb::module_& module) {
  nb::class_<SemigroupsJob, RunJob>(module, "SemigroupsJob")
      .def(nb::init<const std::string&, bool>(), "document"_a, "follow"_a)
      .def("take", &SemigroupsJob::take, nb::sig("def take(self) -> tuple[typing.Any, typing.Any]"));
  nb::class_<RankedSemigroups>(module, "RankedSemigroups");
  nb::class_<RankingJob, Job>(module, "RankingJob")
      .def(nb::init<const std::string&, int, int>(), "document"_a, "genus"_a, "multiplicity"_a)
      .def("ranked", &RankingJob::ranked);
  nb::class_<SemigroupsAtJob, Job>(module, "SemigroupsAtJob")
      .def(nb::init<const std::string&, std::shared_ptr<RankedSemigroups>, std::vector<std::uint64_t>>(),
           "document"_a, "ranked"_a, "ranks"_a)
      .def(nb::init<const std::string&, std::shared_ptr<RankedSemigroups>, std::uint64_t, std::uint64_t,
                    std::uint64_t>(),
           "document"_a, "ranked"_a, "begin"_a, "step"_a, "count"_a)
      .def("take", &SemigroupsAtJob::take, nb::sig("def take(self) -> tuple[typing.Any, typing.Any]"));
}

}  // namespace slicepool::python
