// Factorizations: the counting table with its ranks, and enumerations. Called by
// slicepool/_factorizations.py.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cpu_workers/core/setup_stop.hpp"
#include "gil.hpp"
#include "numbers.hpp"
#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/factorizations/front_answers.hpp"
#include "runtime/factorizations/front_request.hpp"
#include "runtime/factorizations/manifest_check.hpp"
#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/factorizations/rank_index.hpp"
#include "table_job.hpp"

namespace slicepool::python {
namespace {

using namespace nb::literals;
using factorizations::Enumeration;
using factorizations::Outcome;
using factorizations::Rank;
using factorizations::RankIndex;
using factorizations::RankSampler;
using factorizations::Request;
using factorizations::RowMatrix;

/// Makes the table of an element.
class IndexJob final : public TableJob {
 public:
  /// `document`: a run of factorizations, of which generators and element count, too.
  explicit IndexJob(const std::string& document)
      : TableJob(document),
        request_(config::parseFactorizationsRequest(config_, config::Strictness::single)) {}

  /// Nothing before the job is done.
  [[nodiscard]] std::shared_ptr<RankIndex> index() const { return index_; }

 private:
  void make() override {
    index_ = std::make_shared<RankIndex>(request_.generators, request_.element, config_.engine.memoryLimit);
  }

  Request request_;
  std::shared_ptr<RankIndex> index_;
};

nb::object matrixArray(RowMatrix rows, unsigned dimension, unsigned elementBytes) {
  auto owner = std::make_unique<RowMatrix>(std::move(rows));
  const std::vector<std::size_t> shape{owner->rows(),
                                       owner->dimension() == 0 ? dimension : owner->dimension()};
  const unsigned bytes = owner->elementBytes() == 0 ? elementBytes : owner->elementBytes();
  void* data = owner->data();
  return arrayOver(std::move(owner), data, shape, unsignedType(bytes));
}

/// Makes rows of an index, for arrays.
class RowsJob : public TableJob {
 public:
  RowsJob(const std::string& document, std::shared_ptr<RankIndex> index, std::uint64_t rows)
      : TableJob(document), index_(std::move(index)), rows_(rows) {}

  nb::object takeRows() {
    return matrixArray(std::move(matrix_), index_->dimension(), index_->elementBytes());
  }

 protected:
  /// Throws LimitError before there is an array that outgrows the memory limit. `what` asks for it.
  void allocate(const std::string& what) {
    const unsigned width = index_->elementBytes();
    requireMemory(config_, what, rows_, std::size_t{index_->dimension()} * width, index_->bytes());
    matrix_ = RowMatrix(rows_, index_->dimension(), width);
  }

  std::shared_ptr<RankIndex> index_;
  std::uint64_t rows_;
  RowMatrix matrix_;
};

class SampleJob final : public RowsJob {
 public:
  SampleJob(const std::string& document, std::shared_ptr<RankIndex> index, std::uint64_t rows,
            std::uint64_t seed)
      : RowsJob(document, std::move(index), rows), seed_(seed) {}

 private:
  void make() override {
    RankSampler sampler(0, index_->count(), seed_);
    allocate("sample");
    index_->sample(sampler, rows_, matrix_.elementBytes(), matrix_.data(), config_.engine.threads);
  }

  std::uint64_t seed_;
};

/// The rows of the ranks first, first + stride, .., `rows` of them, to `matrix`. O(rows d log n) on one
/// thread: for few rows, or rows far apart.
void unrankTo(const RankIndex& index, const Rank& first, const Rank& stride, std::uint64_t rows,
              RowMatrix& matrix) {
  constexpr std::uint64_t kRowsBetweenLooks = 256;
  std::byte* output = matrix.data();
  Rank rank = first;
  for (std::uint64_t row = 0; row < rows; ++row, rank += stride) {
    if (row % kRowsBetweenLooks == 0) checkSetup();
    for (const std::uint64_t coordinate : index.unrank(rank)) {
      std::memcpy(output, &coordinate, matrix.elementBytes());  // little-endian: the low bytes
      output += matrix.elementBytes();
    }
  }
}

class RowsAtJob final : public RowsJob {
 public:
  RowsAtJob(const std::string& document, std::shared_ptr<RankIndex> index, const nb::int_& begin,
            const nb::object& step, std::uint64_t rows)
      : RowsJob(document, std::move(index), rows), first_(wideOf(begin)), stride_(nb::str(step).c_str()) {}

 private:
  void make() override {
    allocate("slice");
    unrankTo(*index_, first_, stride_, rows_, matrix_);
  }

  Rank first_;
  Rank stride_;
};

/// The same at once, on the calling thread: for so few rows that nobody waits.
nb::object rowsAt(const RankIndex& index, const nb::int_& begin, const nb::object& step,
                  std::uint64_t count) {
  const Rank first = wideOf(begin);
  const Rank stride(nb::str(step).c_str());
  RowMatrix matrix(count, index.dimension(), index.elementBytes());
  {
    const GilReleased released;
    unrankTo(index, first, stride, count, matrix);
  }
  return matrixArray(std::move(matrix), index.dimension(), index.elementBytes());
}

class FactorizationsRun final : public config::EnumerationRun<Enumeration> {
 public:
  FactorizationsRun(const Request& request, const config::RunConfig& config)
      : EnumerationRun(request, config),
        sink_(request.sink),
        sinkText_(config.document.value("sink", std::string("count"))) {}
  [[nodiscard]] config::Answers answers() const override {
    return config::factorizationsAnswers(outcome_, sink_, sinkText_, finished());
  }
  Outcome& outcome() { return outcome_; }

 private:
  factorizations::SinkSpec sink_;
  std::string sinkText_;
};

class FactorizationsJob final : public RunJob {
 public:
  /// `address`: memory of the caller for the rows, `bytes` long; 0: none.
  FactorizationsJob(const std::string& document, bool follow, std::uintptr_t address, std::size_t bytes,
                    unsigned elementBytes)
      : RunJob(document, follow),
        // NOLINTNEXTLINE(performance-no-int-to-ptr): NumPy gives addresses as integers
        memory_(reinterpret_cast<std::byte*>(address)),
        bytes_(bytes),
        elementBytes_(elementBytes) {}

  Outcome& outcome() {
    if (run_ == nullptr) throw std::logic_error("the run has no outcome");
    return run_->outcome();
  }

 private:
  std::unique_ptr<config::WorkloadRun> prepare(const config::RunConfig& config) override {
    Request request = config::parseFactorizationsRequest(config, config::Strictness::single);
    request.output.memory = memory_;
    request.output.memoryBytes = bytes_;
    if (elementBytes_ != 0) request.output.elementBytes = elementBytes_;
    auto run = std::make_unique<FactorizationsRun>(request, config);
    run_ = run.get();
    return run;
  }

  std::byte* memory_;
  std::size_t bytes_;
  unsigned elementBytes_;
  FactorizationsRun* run_ = nullptr;  ///< owned by the execution
};

/// The count of a finished run, that of an unfinished one so far, or None.
nb::object countOf(const Outcome& outcome) {
  const std::string& digits = outcome.count.empty() ? outcome.partialCount : outcome.count;
  return digits.empty() ? nb::none() : integerOf(digits);
}

nb::tuple lengthsOf(const Outcome& outcome) {
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint64_t> counts;
  for (const auto& [length, count] : outcome.lengths) {
    lengths.push_back(length);
    counts.push_back(count);
  }
  const std::size_t size = lengths.size();
  return nb::make_tuple(arrayOf(std::move(lengths), {size}), arrayOf(std::move(counts), {size}));
}

nb::tuple verified(const std::string& path) {
  std::optional<factorizations::ManifestCheck> check;
  {
    const GilReleased released;
    check = factorizations::verifyManifest(path);
  }
  return nb::make_tuple(nb::cast(check->problems), nb::cast(check->notes));
}

nb::tuple manifestOf(const std::string& path) {
  const factorizations::Manifest manifest = factorizations::readManifest(path);
  nb::list shards;
  for (const auto& shard : manifest.shards)
    shards.append(nb::make_tuple(shard.file, integerOf(shard.firstRank), integerOf(shard.endRank)));
  return nb::make_tuple(manifest.generators, manifest.element, manifest.dtype, integerOf(manifest.firstRank),
                        manifest.rows, manifest.complete, shards);
}

}  // namespace

void bindFactorizations(nb::module_& module) {
  nb::class_<RankIndex>(module, "RankIndex")
      .def_prop_ro("count", [](const RankIndex& index) { return integerOf(index.count()); })
      .def(
          "unrank", [](const RankIndex& index, const nb::int_& rank) { return index.unrank(wideOf(rank)); },
          "rank"_a)
      .def(
          "rank_of",
          [](const RankIndex& index, const std::vector<std::uint64_t>& row) {
            return integerOf(index.rankOf(row));
          },
          "row"_a)
      .def("rows_at", &rowsAt, "begin"_a, "step"_a, "count"_a);
  nb::class_<IndexJob, Job>(module, "IndexJob")
      .def(nb::init<const std::string&>(), "document"_a)
      .def("index", &IndexJob::index);
  nb::class_<RowsJob, Job>(module, "RowsJob").def("take_rows", &RowsJob::takeRows);
  nb::class_<SampleJob, RowsJob>(module, "SampleJob")
      .def(nb::init<const std::string&, std::shared_ptr<RankIndex>, std::uint64_t, std::uint64_t>(),
           "document"_a, "index"_a, "rows"_a, "seed"_a);
  nb::class_<RowsAtJob, RowsJob>(module, "RowsAtJob")
      .def(nb::init<const std::string&, std::shared_ptr<RankIndex>, const nb::int_&, const nb::object&,
                    std::uint64_t>(),
           "document"_a, "index"_a, "begin"_a, "step"_a, "rows"_a);
  nb::class_<FactorizationsJob, RunJob>(module, "FactorizationsJob")
      .def(nb::init<const std::string&, bool, std::uintptr_t, std::size_t, unsigned>(), "document"_a,
           "follow"_a, "address"_a, "bytes"_a, "element_bytes"_a)
      .def("count", [](FactorizationsJob& job) { return countOf(job.outcome()); })
      .def(
          "take_rows",
          [](FactorizationsJob& job, unsigned dimension) {
            return matrixArray(std::move(job.outcome().rows), dimension, 1);
          },
          "dimension"_a)
      .def(
          "lengths", [](FactorizationsJob& job) { return lengthsOf(job.outcome()); },
          nb::sig("def lengths(self) -> tuple[typing.Any, typing.Any]"))
      .def("elasticity", [](FactorizationsJob& job) { return job.outcome().elasticity; })
      .def("delta_set", [](FactorizationsJob& job) { return job.outcome().deltaSet; })
      .def("coordinate_maxima", [](FactorizationsJob& job) { return job.outcome().coordinateMaxima; })
      .def("predicate_holds", [](FactorizationsJob& job) { return job.outcome().predicateHolds; })
      .def("fingerprint",
           [](FactorizationsJob& job) {
             const auto& fingerprint = job.outcome().fingerprint;
             return fingerprint ? fingerprintText(*fingerprint) : std::string{};
           })
      .def("output_path", [](FactorizationsJob& job) { return job.outcome().outputPath; });
  module.def("verify_manifest", &verified, "path"_a,
             nb::sig("def verify_manifest(path: str) -> tuple[list[str], list[str]]"));
  module.def("read_manifest", &manifestOf, "path"_a,
             nb::sig("def read_manifest(path: str) -> tuple[typing.Any, ...]"));
}

}  // namespace slicepool::python
