// See row_plan.hpp.
#include "runtime/factorizations/row_plan.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "runtime/factorizations/rank_selection.hpp"
#include "runtime/io/part_file.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kCsvWindowBytes = std::size_t{64} << 20;  // of packed rows, on CPU workers
constexpr std::size_t kCsvDeviceWindowBytes = std::size_t{256}
                                              << 20;  // an engine with a device costs more to start
constexpr double kDeviceRowShare = 0.6;               // of free device memory, for rows

using Bytes = unsigned __int128;  // products of 64-bit counts

std::uint64_t atMost64(Bytes bytes) {
  return bytes > kMaximum64 ? kMaximum64 : static_cast<std::uint64_t>(bytes);
}

void requireMemory(const RowPlan& plan, const Request& request, const Plan& tables, const RowLimits& limits) {
  if (request.output.memory != nullptr)
    return requireCallersMemory(request.output, plan.rows, plan.rowBytes());
  const Bytes bytes = static_cast<Bytes>(plan.rows) * plan.rowBytes();
  const std::size_t taken = tables.tableBytes();
  const std::string numbers =
      "rows: " + std::to_string(plan.rows) + " rows of " + std::to_string(plan.rowBytes()) + " bytes need " +
      (bytes > kMaximum64 ? "more than 2^64" : std::to_string(atMost64(bytes))) + " bytes";
  const std::string available = "; the memory limit is " + std::to_string(tables.memoryLimit) +
                                " bytes, of which tables take " + std::to_string(taken);
  if (bytes + taken > tables.memoryLimit) throw LimitError(numbers + available);
  if (!limits.checkpoint.empty() && 2 * bytes + taken > tables.memoryLimit) {
    throw LimitError(numbers + ", twice that while a checkpoint is written" + available +
                     ". Rows in a .npy file need no copy");
  }
}

void planPlaced(RowPlan& plan, const Request& request, const Plan& tables, const RowLimits& limits) {
  plan.placed = true;
  plan.rows = *tables.total;
  if (request.sink.kind == SinkKind::first) plan.rows = std::min(plan.rows, request.sink.firstCount);
  plan.windowRows = std::max<std::uint64_t>(1, std::min(plan.rows, limits.deviceRows));
  if (plan.format == OutputFormat::none) requireMemory(plan, request, tables, limits);
  if (plan.format == OutputFormat::none && plan.inWindows() && !limits.checkpoint.empty()) {
    throw ConfigError("checkpoint",
                      "\"" + limits.checkpoint + "\" with rows in memory that go through a device in windows",
                      "a checkpoint of rows in a .npy file, or more memory of the device");
  }
  const Bytes allBytes = static_cast<Bytes>(plan.rows) * plan.rowBytes();
  if (plan.format == OutputFormat::npy) plan.diskBytes = atMost64(allBytes);
  if (plan.format == OutputFormat::npyZstd) plan.diskBytes = 0;  // how small it gets is not known
  if (plan.format == OutputFormat::csv) {
    // A digit and a separator for each coordinate is the least that a row takes.
    plan.diskBytes = atMost64(static_cast<Bytes>(plan.rows) * 2 * plan.dimension);
    const std::size_t most = limits.device ? kCsvDeviceWindowBytes : kCsvWindowBytes;
    const std::size_t bytes = std::min(most, tables.memoryLimit / 4);
    plan.windowRows = std::min(plan.windowRows, std::max<std::uint64_t>(1, bytes / plan.rowBytes()));
  }
  const bool tooLarge =
      plan.format == OutputFormat::npy && allBytes + tables.tableBytes() > tables.memoryLimit;
  if (mustStream(request.output) || (tooLarge && request.output.writing == Writing::automatic))
    streamRows(plan, request, tables, limits);
}

void planUnplaced(RowPlan& plan, const Request& request, const Plan& tables, const RowLimits& limits) {
  if (!request.output.path.empty()) plan.diskBytes = 0;
  if (mustStream(request.output))
    (void)streamOf(0, request, tables, limits);  // its errors now, not at the end of the run
  if (request.sink.kind == SinkKind::first) {
    if (limits.checkpoint.empty()) return;
    throw ConfigError(
        "checkpoint", limits.checkpoint,
        "no checkpoint with first:K where no counting table fits: the rows are walked in order");
  }
  // Counts may overflow at residuals that no row passes, so that there are few rows all the same.
  const bool beyond64 =
      tables.exactTotal.has_value() && parseRank(*tables.exactTotal, "count") > Rank(kMaximum64);
  if (!beyond64) return;
  throw LimitError("rows: " + *tables.exactTotal + " rows of " + std::to_string(plan.rowBytes()) +
                   " bytes each; no memory or disk holds that many");
}

}  // namespace

bool hasRows(const SinkSpec& sink) { return sink.kind == SinkKind::rows || sink.kind == SinkKind::first; }

bool mustStream(const OutputSpec& output) {
  return needsStream(output) || output.writing == Writing::streamed;
}

RowPlan planRows(const Request& request, const Plan& tables, const RowLimits& limits) {
  RowPlan plan;
  plan.format = outputFormat(request.output);
  plan.dimension = static_cast<unsigned>(request.generators.size());
  plan.elementBytes = elementBytesFor(request);
  plan.wanted = hasRows(request.sink);
  if (!plan.wanted) return plan;
  if (tables.total.has_value())
    planPlaced(plan, request, tables, limits);
  else
    planUnplaced(plan, request, tables, limits);
  return plan;
}

void streamRows(RowPlan& plan, const Request& request, const Plan& tables, const RowLimits& limits) {
  plan.stream = streamOf(plan.rows, request, tables, limits);
  plan.windowRows = plan.stream->windowRows;
}

StreamShape streamOf(std::uint64_t rows, const Request& request, const Plan& tables,
                     const RowLimits& limits) {
  return makeStreamShape(request,
                         {rows, std::max<std::uint64_t>(1, limits.deviceRows), elementBytesFor(request),
                          tables.memoryLimit, tables.tableBytes(), limits.threads});
}

std::uint64_t heldRows(const RowPlan& plan, const OutputSpec& output) {
  if (plan.stream.has_value()) return plan.stream->buffers * plan.stream->windowRows;
  if (plan.format == OutputFormat::csv) return plan.windowRows;
  return plan.format == OutputFormat::none && output.memory == nullptr ? plan.rows : 0;
}

void requireCallersMemory(const OutputSpec& output, std::uint64_t rows, std::size_t rowBytes) {
  if (rows <= output.memoryBytes / rowBytes) return;
  throw LimitError("rows: " + std::to_string(rows) + " rows of " + std::to_string(rowBytes) +
                   " bytes do not fit the " + std::to_string(output.memoryBytes) +
                   " bytes of memory that were given");
}

void requireHistogramMemory(const Request& request, std::size_t memoryLimit, int threads) {
  if (request.sink.kind != SinkKind::lengths) return;
  const std::uint64_t longest =
      request.element / *std::min_element(request.generators.begin(), request.generators.end());
  const Bytes copies = static_cast<Bytes>(threads) + 2;  // one per worker, one merged, one reported
  if (copies * (static_cast<Bytes>(longest) + 1) * sizeof(std::uint64_t) <= memoryLimit) return;
  throw LimitError("lengths: a histogram of " + std::to_string(longest) + " lengths for each of " +
                   std::to_string(threads) + " workers needs more than the memory limit of " +
                   std::to_string(memoryLimit) + " bytes");
}

std::uint64_t deviceRows(const EngineOptions& options, std::size_t tableBytes, std::size_t rowBytes) {
  if (!usesDevice(options.mode)) return kMaximum64;
  const PhaseScope waiting(options.phases.get(), Phase::devices);
  const GpuList list = knownGpus();
  const bool found = std::any_of(list.gpus.begin(), list.gpus.end(), [&](const GpuDescription& gpu) {
    return gpu.index == options.device.deviceIndex;
  });
  if (!found) return kMaximum64;
  auto limit = static_cast<std::size_t>(kDeviceRowShare *
                                        static_cast<double>(freeGpuBytes(options.device.deviceIndex)));
  if (options.device.memoryLimit != 0) limit = std::min(limit, options.device.memoryLimit);
  return std::max<std::uint64_t>(1, (limit > tableBytes ? limit - tableBytes : 0) / rowBytes);
}

void requireDisk(const std::string& path, std::uint64_t bytes) {
  if (std::filesystem::exists(path + ".part") || std::filesystem::exists(path + ".checkpoint")) return;
  requireDiskSpace(path, bytes);
}

bool usesDevice(Mode mode) { return mode == Mode::gpu || mode == Mode::hybrid || mode == Mode::automatic; }

}  // namespace slicepool::factorizations
