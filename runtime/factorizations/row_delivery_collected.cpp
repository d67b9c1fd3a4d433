// Rows that were collected because their places were not known: sorted, and delivered at once. See
// row_delivery.hpp.
#include <utility>

#include "runtime/factorizations/csv.hpp"
#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/row_delivery.hpp"
#include "runtime/factorizations/row_stream.hpp"

namespace slicepool::factorizations {
namespace {

void deliverStreamed(const RowRun& run, const RowMatrix& rows, const StreamShape& shape) {
  StreamBooks books = makeStreamBooks(run.request, rows.rows(), run.plan.elementBytes);
  books.checkpointInterval = run.options.checkpointInterval;
  RowStream stream(shape, std::move(books), std::nullopt);
  if (rows.rows() != 0) stream.submit({0, rows.rows()}, rows.data(), {}, 0);
  finishStream(stream, shape, run.outcome);
}

}  // namespace

void deliverCollected(const RowRun& run, std::uint64_t count, const std::function<void(std::byte*)>& write,
                      const std::optional<StreamShape>& stream) {
  const OutputSpec& output = run.request.output;
  const RowPlan& plan = run.plan;
  run.outcome.outputPath = output.path;
  const PhaseScope delivering(&run.clock, output.path.empty() ? Phase::merging : Phase::writing);
  if (plan.format == OutputFormat::npy && !stream.has_value()) {
    NpyFile file(output.path, count, plan.dimension, plan.elementBytes, false);
    if (count != 0) write(file.rows());
    run.outcome.outputBytes = file.fileBytes();
    return file.publish();
  }
  if (output.memory != nullptr) {
    requireCallersMemory(output, count, plan.rowBytes());
    return write(output.memory);
  }
  RowMatrix matrix(count, plan.dimension, plan.elementBytes);
  if (count != 0) write(matrix.data());
  if (stream.has_value()) return deliverStreamed(run, matrix, *stream);
  if (plan.format == OutputFormat::none) {
    run.outcome.rows = std::move(matrix);
    return;
  }
  CsvFile file(output.path, plan.dimension, output.header, 0);
  file.write(matrix.data(), count, plan.elementBytes, run.threads);
  run.outcome.outputBytes = file.bytes();
  file.publish();
}

}  // namespace slicepool::factorizations
