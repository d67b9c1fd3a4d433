// See sample_rows.hpp.
#include "runtime/factorizations/sample_rows.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "runtime/factorizations/csv.hpp"
#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::uint64_t kBlockRows = 1U << 17;  // between two looks at cancel

unsigned elementBytes(const RankIndex& index, const SampleSpec& spec) {
  return spec.output.elementBytes != 0 ? spec.output.elementBytes : index.elementBytes();
}

/// Draws block after block; `place(done, now)` is where the next `now` rows go, `finish(now)` follows.
/// False when `goOn` said no.
bool drawBlocks(const RankIndex& index, RankSampler& sampler, const SampleSpec& spec,
                const std::function<bool(std::uint64_t)>& goOn,
                const std::function<std::byte*(std::uint64_t)>& place,
                const std::function<void(std::uint64_t)>& finish) {
  for (std::uint64_t done = 0; done < spec.rows;) {
    if (!goOn(done)) return false;
    const std::uint64_t now = std::min(kBlockRows, spec.rows - done);
    index.sample(sampler, now, elementBytes(index, spec), place(done), spec.threads);
    finish(now);
    done += now;
  }
  return goOn(spec.rows);
}

}  // namespace

void requireSpace(const RankIndex& index, const SampleSpec& spec) {
  const std::size_t rowBytes = std::size_t{index.dimension()} * elementBytes(index, spec);
  const OutputFormat format = outputFormat(spec.output);
  const auto bytes = static_cast<unsigned __int128>(spec.rows) *
                     (format == OutputFormat::csv ? std::size_t{2} * index.dimension() : rowBytes);
  if (format != OutputFormat::none) {
    if (spec.output.path == "-") return;
    constexpr auto kMaximum = static_cast<unsigned __int128>(std::numeric_limits<std::uint64_t>::max());
    return requireDiskSpace(spec.output.path, static_cast<std::uint64_t>(std::min(bytes, kMaximum)));
  }
  if (bytes + index.bytes() <= spec.memoryLimit) return;
  throw LimitError("sample: " + std::to_string(spec.rows) + " rows of " + std::to_string(rowBytes) +
                   " bytes; the memory limit is " + std::to_string(spec.memoryLimit) +
                   " bytes, of which the rank index takes " + std::to_string(index.bytes()));
}

SampledRows sampleRows(const RankIndex& index, RankSampler& sampler, const SampleSpec& spec,
                       const std::function<bool(std::uint64_t)>& goOn) {
  const unsigned width = elementBytes(index, spec);
  const std::size_t rowBytes = std::size_t{index.dimension()} * width;
  SampledRows result;
  if (outputFormat(spec.output) == OutputFormat::csv) {
    CsvFile file(spec.output.path, index.dimension(), spec.output.header, 0);
    RowMatrix buffer(std::min(kBlockRows, spec.rows), index.dimension(), width);
    result.complete = drawBlocks(
        index, sampler, spec, goOn, [&](std::uint64_t) { return buffer.data(); },
        [&](std::uint64_t now) { file.write(buffer.data(), now, width, spec.threads); });
    result.outputBytes = file.bytes();
    if (result.complete) file.publish();
  } else if (outputFormat(spec.output) == OutputFormat::npy) {
    NpyFile file(spec.output.path, spec.rows, index.dimension(), width, false);
    result.complete = drawBlocks(
        index, sampler, spec, goOn, [&](std::uint64_t done) { return file.rows() + done * rowBytes; },
        [](std::uint64_t) {});
    result.outputBytes = file.fileBytes();
    if (result.complete) file.publish();
  } else {
    result.rows = RowMatrix(spec.rows, index.dimension(), width);
    result.complete = drawBlocks(
        index, sampler, spec, goOn, [&](std::uint64_t done) { return result.rows.data() + done * rowBytes; },
        [](std::uint64_t) {});
  }
  return result;
}

}  // namespace slicepool::factorizations
