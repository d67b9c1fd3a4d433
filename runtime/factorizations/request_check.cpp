// See request_check.hpp.
#include "runtime/factorizations/request_check.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "runtime/factorizations/rank_selection.hpp"
#include "runtime/factorizations/stream_shape.hpp"
#include "runtime/io/zstd_frames.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"

namespace slicepool::factorizations {
namespace {

constexpr int kMaximumWriters = 256;
constexpr std::size_t kMaximumFrameBytes = std::size_t{1} << 30;

std::uint64_t longestLength(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  return element / *std::min_element(generators.begin(), generators.end());
}

void checkSink(const Request& request) {
  const SinkSpec& sink = request.sink;
  const bool predicated = sink.kind == SinkKind::any || sink.kind == SinkKind::all;
  if (!predicated && !sink.predicate.coefficients.empty()) {
    throw ConfigError("sink.predicate", "a predicate with sink " + sinkName(sink.kind),
                      "a predicate only with any or all");
  }
  if (predicated) checkPredicate(sink.predicate, request.generators, request.element);
  if (sink.kind == SinkKind::first && sink.firstCount == 0)
    throw ConfigError("sink", "first:0", "first:K with K >= 1");
  if (sink.kind != SinkKind::first && sink.firstCount != 0) {
    throw ConfigError("sink.firstCount",
                      std::to_string(sink.firstCount) + " with sink " + sinkName(sink.kind),
                      "0, or sink first");
  }
  if (predicated && sink.fingerprint) {
    throw ConfigError("fingerprint", "with sink " + sinkName(sink.kind),
                      "a sink that looks at every result (any and all stop early)");
  }
}

unsigned narrowestElementBytes(const Request& request) {
  const std::uint64_t largest = longestLength(request.generators, request.element);
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return 1;
  if (largest <= std::numeric_limits<std::uint16_t>::max()) return 2;
  return largest <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
}

/// What a setting of the output stands beside, for messages.
std::string beside(const OutputSpec& output) {
  return output.path.empty() ? " without an output" : " with output \"" + output.path + "\"";
}

void checkOutput(const Request& request, const EngineOptions& options) {
  const bool rows = request.sink.kind == SinkKind::rows || request.sink.kind == SinkKind::first;
  const OutputFormat format = outputFormat(request.output);
  if (!rows && format != OutputFormat::none) {
    throw ConfigError("output.path",
                      "\"" + request.output.path + "\" with sink " + sinkName(request.sink.kind),
                      "an output only with sink rows or first:K");
  }
  if (request.output.header && format != OutputFormat::csv)
    throw ConfigError("output.header", "true" + beside(request.output), "a header only in CSV output");
  if (request.output.path == "-" && !options.checkpointPath.empty()) {
    throw ConfigError("checkpoint", options.checkpointPath,
                      "no checkpoint with output \"-\": what was printed is gone");
  }
}

/// How rows are written: settings that the output does not read are errors.
void checkWriting(const Request& request) {
  const OutputSpec& output = request.output;
  const OutputFormat format = outputFormat(output);
  const bool array = format == OutputFormat::npy || format == OutputFormat::npyZstd;
  const bool compressed = format == OutputFormat::npyZstd;
  const auto requireFormat = [&](bool fits, const char* field, const std::string& value,
                                 const char* formats) {
    if (fits) return;
    throw ConfigError(field, value + beside(output),
                      std::string("this setting only with output to ") + formats);
  };
  if (compressed && !zstdAvailable())
    throw ConfigError("output.path", "\"" + output.path + "\"", ".npy or .csv: this build has no libzstd");
  requireFormat(array || output.shardRows == 0, "output.shard_rows", std::to_string(output.shardRows),
                ".npy or .npy.zst");
  requireFormat(array || output.bufferBytes == 0, "output.buffer_memory", std::to_string(output.bufferBytes),
                ".npy or .npy.zst");
  requireFormat(array || output.writers == 0, "output.writers", std::to_string(output.writers),
                ".npy or .npy.zst");
  requireFormat(array || output.writing == Writing::automatic, "output.writing",
                output.writing == Writing::mapped ? "mapped" : "streamed", ".npy or .npy.zst");
  requireFormat(compressed || output.frameBytes == 0, "output.frame_size", std::to_string(output.frameBytes),
                ".npy.zst");
  requireFormat(compressed || !output.compressionLevel.has_value(), "output.compression_level",
                std::to_string(output.compressionLevel.value_or(0)), ".npy.zst");
  const int level = output.compressionLevel.value_or(kDefaultCompressionLevel);
  if (level < 1 || level > kMaximumCompressionLevel)
    throw ConfigError("output.compression_level", std::to_string(level), "1 to 22");
  if (output.writers < 0 || output.writers > kMaximumWriters)
    throw ConfigError("output.writers", std::to_string(output.writers), "0 (automatic) to 256");
  if (output.frameBytes > kMaximumFrameBytes)
    throw ConfigError("output.frame_size", std::to_string(output.frameBytes), "at most 1 GiB");
}

/// A mapped file cannot be sharded or compressed, and is not written through buffers.
void checkMapping(const OutputSpec& output) {
  if (output.writing != Writing::mapped) return;
  const char* other = output.shardRows != 0                           ? "shard_rows"
                      : outputFormat(output) == OutputFormat::npyZstd ? "a .npy.zst output"
                      : output.bufferBytes != 0                       ? "buffer_memory"
                      : output.writers != 0                           ? "writers"
                                                                      : nullptr;
  if (other == nullptr) return;
  throw ConfigError("output.writing", std::string("mapped with ") + other, "streamed or auto with that");
}

void checkOutputShape(const Request& request) {
  const OutputSpec& output = request.output;
  const unsigned bytes = output.elementBytes;
  const unsigned narrowest = narrowestElementBytes(request);
  const bool known = bytes == 0 || bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (!known || (bytes != 0 && bytes < narrowest)) {
    throw ConfigError("output.element_type",
                      known ? elementTypeName(bytes) : std::to_string(bytes) + " bytes",
                      "auto (the narrowest), or a type of uint8, uint16, uint32 and uint64 that holds every "
                      "coordinate: here " +
                          elementTypeName(narrowest) + " or wider");
  }
  const bool rows = request.sink.kind == SinkKind::rows || request.sink.kind == SinkKind::first;
  if (bytes != 0 && !rows) {
    throw ConfigError("output.element_type",
                      elementTypeName(bytes) + " with sink " + sinkName(request.sink.kind),
                      "an element type only with sink rows or first:K");
  }
  if (output.memory != nullptr && (!rows || !output.path.empty())) {
    throw ConfigError("output.memory", rows ? "with a path" : "with sink " + sinkName(request.sink.kind),
                      "memory of the caller only with sink rows or first:K and without a path");
  }
}

void checkAlgorithm(const Request& request) {
  const Algorithm algorithm = request.algorithm;
  const bool mayTabulate = algorithm == Algorithm::tabulated || algorithm == Algorithm::automatic;
  if (request.tabulatedDimension.has_value()) {
    const unsigned m = *request.tabulatedDimension;
    if (!mayTabulate && algorithm != Algorithm::ranked) {
      throw ConfigError("tabulated_dimension",
                        std::to_string(m) + " with algorithm " + algorithmName(algorithm),
                        "only with algorithm tabulated, ranked or auto");
    }
    if (algorithm == Algorithm::ranked && (m < 2 || m + 1 > request.generators.size())) {
      throw ConfigError(
          "tabulated_dimension", std::to_string(m),
          "2 to d - 1 with algorithm ranked (d = " + std::to_string(request.generators.size()) + ")");
    }
    if (algorithm == Algorithm::ranked && !suffixRowsApply(request.generators, request.element)) {
      throw ConfigError("tabulated_dimension", std::to_string(m) + " with algorithm ranked",
                        "with ranked only for at most 16 generators, these and the element below 2^31");
    }
    if (m < 1 || m > request.generators.size()) {
      throw ConfigError("tabulated_dimension", std::to_string(m),
                        "1 to " + std::to_string(request.generators.size()));
    }
  }
  if (!request.moduloJump && (algorithm == Algorithm::ranked || algorithm == Algorithm::dynamic)) {
    throw ConfigError("modulo", "false with algorithm " + algorithmName(algorithm),
                      "only with algorithms that examine candidates: candidate, tabulated, auto");
  }
  const bool fills = algorithm == Algorithm::dynamic || mayTabulate;
  if (!fills && (request.dynamicOnGpu || request.dynamicParallelism != DynamicParallelism::elementwise)) {
    throw ConfigError(request.dynamicOnGpu ? "dynamic_on_gpu" : "dynamic_parallelism",
                      "set with algorithm " + algorithmName(algorithm),
                      "only with algorithms that fill a table: dynamic, tabulated, auto");
  }
  if (request.dynamicOnGpu && request.dynamicParallelism == DynamicParallelism::sequential) {
    throw ConfigError("dynamic_parallelism", "sequential on the GPU",
                      "factorizationwise on the GPU, or sequential on the CPU");
  }
}

/// What only the number of factorizations can tell is checked by selectRanks.
void checkRanks(const Request& request) {
  if (!request.ranks.has_value()) return;
  const std::string range = rankRangeText(*request.ranks);
  const Algorithm algorithm = request.algorithm;
  if (algorithm == Algorithm::tabulated || algorithm == Algorithm::dynamic) {
    throw ConfigError("rank_range", range + " with algorithm " + algorithmName(algorithm),
                      "a range of ranks with algorithm auto, ranked or candidate, which start anywhere");
  }
  // With `ranked` the tabulated dimension only says how long the stored tails are.
  const bool tabulates = request.tabulatedDimension.has_value() && algorithm != Algorithm::ranked;
  if (tabulates || request.dynamicOnGpu) {
    throw ConfigError(
        "rank_range", range + " with settings of a table",
        "a range of ranks without dynamic_on_gpu and, except with ranked, without tabulated_dimension");
  }
}

}  // namespace

void checkNumbers(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  if (generators.empty() || generators.size() > kMaximumGenerators)
    throw ConfigError("generators", std::to_string(generators.size()) + " of them", "1 to 64 generators");
  for (std::size_t i = 0; i < generators.size(); ++i) {
    if (generators[i] >= 1 && generators[i] <= kMaximumNumber) continue;
    throw ConfigError("generators[" + std::to_string(i) + "]", std::to_string(generators[i]),
                      "1 to 2^63 - 1");
  }
  if (element > kMaximumNumber) throw ConfigError("element", std::to_string(element), "0 to 2^63 - 1");
}

void checkPredicate(const LinearPredicate& predicate, const std::vector<std::uint64_t>& generators,
                    std::uint64_t element) {
  if (predicate.coefficients.size() != generators.size()) {
    throw ConfigError("sink.predicate", std::to_string(predicate.coefficients.size()) + " coefficients",
                      std::to_string(generators.size()) + ", one per generator");
  }
  const std::uint64_t length = longestLength(generators, element);
  const std::uint64_t largest = length == 0 ? kMaximumNumber + 1 : kMaximumNumber / length;
  for (const std::int64_t c : predicate.coefficients) {
    const auto magnitude = c < 0 ? 0 - static_cast<std::uint64_t>(c) : static_cast<std::uint64_t>(c);
    if (magnitude <= largest) continue;
    throw ConfigError("sink", "coefficient " + std::to_string(c),
                      "coefficients of magnitude at most " + std::to_string(largest) + " for this element");
  }
}

void checkRequest(const Request& request, const EngineOptions& options) {
  checkNumbers(request.generators, request.element);
  checkSink(request);
  checkOutput(request, options);
  checkOutputShape(request);
  checkWriting(request);
  checkMapping(request.output);
  checkAlgorithm(request);
  checkRanks(request);
}

OutputFormat outputFormat(const OutputSpec& output) {
  if (output.path.empty()) return OutputFormat::none;
  const auto endsWith = [&](std::string_view suffix) {
    return output.path.size() > suffix.size() && output.path.ends_with(suffix);
  };
  if (output.path == "-" || endsWith(".csv")) return OutputFormat::csv;
  if (endsWith(".npy")) return OutputFormat::npy;
  if (endsWith(".npy.zst")) return OutputFormat::npyZstd;
  throw ConfigError("output.path", "\"" + output.path + "\"",
                    "a file name that ends in .npy, .npy.zst or .csv, or - for CSV on standard output");
}

bool needsStream(const OutputSpec& output) {
  return output.shardRows != 0 || outputFormat(output) == OutputFormat::npyZstd;
}

std::string elementTypeName(unsigned elementBytes) {
  return elementBytes == 0 ? "auto" : "uint" + std::to_string(8 * elementBytes);
}

unsigned elementBytesFor(const Request& request) {
  return request.output.elementBytes != 0 ? request.output.elementBytes : narrowestElementBytes(request);
}

std::string algorithmName(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::candidate: return "candidate";
    case Algorithm::tabulated: return "tabulated";
    case Algorithm::dynamic: return "dynamic";
    case Algorithm::ranked: return "ranked";
    case Algorithm::automatic: break;
  }
  return "auto";
}

std::string sinkName(SinkKind kind) {
  switch (kind) {
    case SinkKind::count: return "count";
    case SinkKind::rows: return "rows";
    case SinkKind::lengths: return "lengths";
    case SinkKind::extremes: return "extremes";
    case SinkKind::coordinateMaxima: return "coordinate-maxima";
    case SinkKind::fingerprint: return "fingerprint";
    case SinkKind::first: return "first";
    case SinkKind::any: return "any";
    case SinkKind::all: break;
  }
  return "all";
}

namespace {

std::string problemText(const Request& request) {
  std::string text = "generators=";
  for (std::size_t i = 0; i < request.generators.size(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(request.generators[i]);
  text += " element=" + std::to_string(request.element);
  if (request.ranks.has_value()) text += " ranks=" + rankRangeText(*request.ranks);
  return text;
}

std::string sinkText(const Request& request) {
  std::string text = " sink=" + sinkName(request.sink.kind);
  if (request.sink.kind == SinkKind::first) text += ":" + std::to_string(request.sink.firstCount);
  for (std::size_t i = 0; i < request.sink.predicate.coefficients.size(); ++i)
    text += (i == 0 ? ":" : ",") + std::to_string(request.sink.predicate.coefficients[i]);
  if (!request.sink.predicate.coefficients.empty()) {
    const Relation relation = request.sink.predicate.relation;
    text += relation == Relation::lessEqual ? "<=" : relation == Relation::equal ? "=" : ">=";
    text += std::to_string(request.sink.predicate.bound);
  }
  if (request.sink.fingerprint) text += "+fingerprint";
  return text;
}

std::string outputText(const OutputSpec& output) {
  std::string text;
  const OutputFormat format = outputFormat(output);
  if (format == OutputFormat::npy) text += " output=npy";
  if (format == OutputFormat::npyZstd) {
    text += " output=npy.zst level=" +
            std::to_string(output.compressionLevel.value_or(kDefaultCompressionLevel)) +
            " frame=" + std::to_string(output.frameBytes != 0 ? output.frameBytes : kDefaultFrameBytes);
  }
  if (format == OutputFormat::csv) text += output.header ? " output=csv+header" : " output=csv";
  if (output.shardRows != 0) text += " shard-rows=" + std::to_string(output.shardRows);
  if (output.elementBytes != 0) text += " element-bytes=" + std::to_string(output.elementBytes);
  return text;
}

}  // namespace

std::string canonicalText(const Request& request, Algorithm algorithm, unsigned tabulatedDimension,
                          bool knownPlaces) {
  std::string text = problemText(request) + " algorithm=" + algorithmName(algorithm);
  text += " modulo=" + std::to_string(request.moduloJump ? 1 : 0);
  if (algorithm == Algorithm::tabulated) text += " tabulated-dimension=" + std::to_string(tabulatedDimension);
  text += sinkText(request) + outputText(request.output);
  if (!knownPlaces && (request.sink.kind == SinkKind::rows || request.sink.kind == SinkKind::first))
    text += " sorted-at-end";
  return text;
}

std::string canonicalRowsText(const Request& request) {
  return problemText(request) + sinkText(request) + outputText(request.output);
}

}  // namespace slicepool::factorizations
