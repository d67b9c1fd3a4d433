// See problem_setup.hpp.
#include "runtime/factorizations/problem_setup.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cpu_workers/factorizations/tail_reduction.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"
#include "slicepool/factorizations/steps/tables.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::uint64_t kRowsOfDeviceTurn = 1U << 20;  // of one warp
/// Rows are copied while others are made, and other workers want a share. A device cuts them further.
constexpr std::uint32_t kRootsOfDevice = 1024;

FillMethod fillMethod(DynamicParallelism parallelism) {
  switch (parallelism) {
    case DynamicParallelism::sequential: return FillMethod::sequential;
    case DynamicParallelism::factorizationwise: return FillMethod::factorizationwise;
    case DynamicParallelism::elementwise: break;
  }
  return FillMethod::elementwise;
}

/// For stored tails: a quarter of what counting tables and rows in memory leave.
std::size_t tailMemory(const Request& request, const Plan& plan, const RowPlan& rows) {
  const std::size_t taken = plan.tableBytes() + heldRows(rows, request.output) * rows.rowBytes();
  return (plan.memoryLimit - std::min(plan.memoryLimit, taken)) / 4;
}

void requireTailMemory(const Request& request, const Plan& plan, const TailChoice& choice) {
  const unsigned tail = plan.tabulatedDimension;
  const std::size_t bytes = suffixRowsBytes(request.generators, *plan.rankCounts, tail, choice);
  if (bytes <= choice.memoryLimit) return;
  throw LimitError("tabulated_dimension: tables of the last " + std::to_string(tail) + " coordinates take " +
                   (bytes == std::numeric_limits<std::size_t>::max() ? "more than 2^31 rows"
                                                                     : std::to_string(bytes) + " bytes") +
                   "; " + std::to_string(choice.memoryLimit) + " bytes allowed (of memory limit " +
                   std::to_string(plan.memoryLimit) + ")");
}

/// The stored tails of `ranked`, for the kinds of workers that the mode has. Ranks beyond 64 bits go row by
/// row.
void makeTails(ProblemSpec& spec, FilledTables& filled, const Request& request, const Plan& plan,
               const RowPlan& rows, EngineOptions& options, int threads) {
  const auto kind = tailValuesOf(spec.reductions);
  const bool reduces = request.sink.kind != SinkKind::count || request.sink.fingerprint;
  if (plan.rankCounts == nullptr || !kind.has_value() || (!rows.wanted && !reduces)) return;
  TailChoice choice;
  choice.elementBytes = rows.elementBytes;
  choice.threads = threads;
  choice.memoryLimit = tailMemory(request, plan, rows);
  choice.rows = rows.wanted ? rows.rows : *plan.total;
  choice.values = *kind != TailValues::none;
  choice.rowless = choice.values && !rows.wanted;
  if (plan.tabulatedDimension != 0) requireTailMemory(request, plan, choice);
  const auto chosen = [&](bool device) {
    choice.device = device;
    return plan.tabulatedDimension != 0 ? plan.tabulatedDimension
                                        : chooseTail(request.generators, *plan.rankCounts, choice);
  };
  const std::vector<std::uint64_t> weights = tailWeights(spec.reductions, *kind, rows.dimension);
  const unsigned cpuTail = options.mode != Mode::gpu ? chosen(false) : 0;
  if (cpuTail != 0) {
    spec.cpuTail = std::make_shared<const SuffixRows>(makeSuffixRows(request.generators, *plan.rankCounts,
                                                                     cpuTail, rows.elementBytes, weights,
                                                                     {threads, choice.rowless}));
    filled.tabulatedDimension = cpuTail;
    filled.rows = spec.cpuTail->storedRows();
    filled.seconds = spec.cpuTail->seconds;
  }
  if (!usesDevice(options.mode) || knownGpus().gpus.empty()) return;
  if (const unsigned tail = chosen(true); tail != 0) {
    spec.deviceTail = std::make_shared<const DeviceTail>(planDeviceTail(
        request.generators, *plan.rankCounts, tail, rows.elementBytes, weights, choice.rowless));
    filled.tabulatedDimension = tail;
    filled.rows = spec.deviceTail->storedRows();
  }
  const bool alone = options.mode == Mode::gpu && (options.devices == 1 || knownGpus().gpus.size() == 1);
  if (spec.deviceTail != nullptr && (rows.wanted || !alone)) spec.rootSlices = kRootsOfDevice;
  // Warps go through ranks fast and at a known pace: few launches, and copies that can be queued with them.
  if (spec.deviceTail != nullptr && options.gpuBudget == 0) options.gpuBudget = kRowsOfDeviceTurn;
}

}  // namespace

ProblemSpec specOf(const Request& request, const Plan& plan) {
  ProblemSpec spec;
  spec.generators = request.generators;
  spec.element = request.element;
  spec.algorithm = plan.algorithm == Algorithm::dynamic ? Algorithm::tabulated : plan.algorithm;
  spec.moduloJump = request.moduloJump;
  spec.rankCounts = plan.rankCounts;
  spec.suffixCounts = plan.suffixCounts;
  spec.stepCounts = plan.stepCounts;
  spec.wideRanks = plan.wideRanks;
  if (request.ranks.has_value()) spec.ranks = RankRange{plan.firstRank, plan.firstRank + *plan.total};
  const SinkKind kind = request.sink.kind;
  spec.reductions.fingerprint = request.sink.fingerprint || kind == SinkKind::fingerprint;
  spec.reductions.extremes = kind == SinkKind::extremes;
  spec.reductions.coordinateMaxima = kind == SinkKind::coordinateMaxima;
  spec.reductions.lengths = kind == SinkKind::lengths;
  if (kind == SinkKind::any || kind == SinkKind::all) {
    spec.reductions.predicate = request.sink.predicate;
    spec.stop =
        kind == SinkKind::any ? ProblemSpec::Stop::firstSatisfying : ProblemSpec::Stop::firstViolating;
  }
  return spec;
}

FilledTables fillTables(ProblemSpec& spec, const Request& request, const Plan& plan, const RowPlan& rows,
                        EngineOptions& options, int threads) {
  FilledTables filled;
  filled.tabulatedDimension = plan.tabulatedDimension;
  if (plan.algorithm == Algorithm::ranked) makeTails(spec, filled, request, plan, rows, options, threads);
  // For `dynamic` all lists, of which Z(n) is one leaf.
  filled.ofDynamic = plan.algorithm == Algorithm::dynamic;
  if (plan.algorithm != Algorithm::tabulated && !filled.ofDynamic) return filled;
  const unsigned m = filled.ofDynamic ? rows.dimension : plan.tabulatedDimension;
  const std::size_t limit = plan.leafMemory();
  auto table = std::make_shared<LeafTable>(
      request.dynamicOnGpu
          ? makeLeafTableOnGpu(request.generators, m, plan.leafLimit, options.device.deviceIndex, limit)
          : makeLeafTable(request.generators, m, plan.leafLimit, fillMethod(request.dynamicParallelism),
                          threads, limit));
  filled.seconds = table->fillSeconds;
  filled.rows = table->offsets.back();
  spec.leafTable = std::move(table);
  return filled;
}

}  // namespace slicepool::factorizations
