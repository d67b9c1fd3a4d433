// The tree of numerical semigroups: ranked sets, and semigroups of ranks as arrays. Called by
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
#include "slicepool/numerical_semigroups/gap_set.hpp"
#include "slicepool/numerical_semigroups/ranked.hpp"
#include "table_job.hpp"

namespace nb = nanobind;

namespace slicepool::python {
namespace {

using namespace nb::literals;
using numerical_semigroups::RankedSemigroups;

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
  /// Of the ranks begin, begin + step, .., `rows` of them.
  SemigroupsAtJob(const std::string& document, std::shared_ptr<RankedSemigroups> ranked, std::uint64_t begin,
                  std::uint64_t step, std::uint64_t rows)
      : TableJob(document), ranked_(std::move(ranked)), begin_(begin), step_(step), rows_(rows) {}

  /// All generators, one semigroup after another, and where the generators of each end.
  nb::tuple take() {
    const std::size_t numbers = generators_.size();
    const std::size_t rows = ends_.size();
    return nb::make_tuple(arrayOf(std::move(generators_), {numbers}), arrayOf(std::move(ends_), {rows}));
  }

 private:
  void make() override {
    for (std::uint64_t row = 0; row < rows_; ++row) ranks_.push_back(begin_ + row * step_);
    for (const auto& gaps : ranked_->at(ranks_)) {
      if (ends_.size() % kRowsBetweenLooks == 0) checkSetup();
      const auto generators = numerical_semigroups::generatorsOf(gaps);
      generators_.insert(generators_.end(), generators.begin(), generators.end());
      ends_.push_back(generators_.size());
    }
  }

  static constexpr std::size_t kRowsBetweenLooks = 256;
  std::shared_ptr<RankedSemigroups> ranked_;
  std::vector<std::uint64_t> ranks_;
  std::uint64_t begin_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<std::int32_t> generators_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace

void bindNumericalSemigroups(nb::module_& module) {
  nb::class_<RankedSemigroups>(module, "RankedSemigroups");
  nb::class_<RankingJob, Job>(module, "RankingJob")
      .def(nb::init<const std::string&, int, int>(), "document"_a, "genus"_a, "multiplicity"_a)
      .def("ranked", &RankingJob::ranked);
  nb::class_<SemigroupsAtJob, Job>(module, "SemigroupsAtJob")
      .def(nb::init<const std::string&, std::shared_ptr<RankedSemigroups>, std::vector<std::uint64_t>>(),
           "document"_a, "ranked"_a, "ranks"_a)
      .def(nb::init<const std::string&, std::shared_ptr<RankedSemigroups>, std::uint64_t, std::uint64_t,
                    std::uint64_t>(),
           "document"_a, "ranked"_a, "begin"_a, "step"_a, "rows"_a)
      .def("take", &SemigroupsAtJob::take, nb::sig("def take(self) -> tuple[typing.Any, typing.Any]"));
}

}  // namespace slicepool::python
