// See front_request.hpp.
#include "runtime/factorizations/front_request.hpp"

#include <limits>

#include "runtime/factorizations/front_rank_values.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using factorizations::Algorithm;
using factorizations::DynamicParallelism;
using factorizations::Request;
using factorizations::SinkKind;
using factorizations::SinkSpec;
using factorizations::Writing;

constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
constexpr std::size_t kMostGenerators = 64;

std::vector<std::uint64_t> parseGenerators(const Json& value) {
  if (!value.is_array() || value.empty() || value.size() > kMostGenerators)
    throw ConfigError("generators", describeValue(value), "a list of 1 to 64 integers from 1 to 2^63-1");
  std::vector<std::uint64_t> generators;
  for (std::size_t i = 0; i < value.size(); ++i)
    generators.push_back(requireUnsigned(value[i], "generators[" + std::to_string(i) + "]", 1, kLargest));
  return generators;
}

Algorithm parseAlgorithm(const std::string& text) {
  return text == "candidate"   ? Algorithm::candidate
         : text == "tabulated" ? Algorithm::tabulated
         : text == "dynamic"   ? Algorithm::dynamic
         : text == "ranked"    ? Algorithm::ranked
                               : Algorithm::automatic;
}

DynamicParallelism parseParallelism(const std::string& text) {
  return text == "sequential"          ? DynamicParallelism::sequential
         : text == "factorizationwise" ? DynamicParallelism::factorizationwise
                                       : DynamicParallelism::elementwise;
}

bool readsCandidates(Algorithm algorithm) {
  return algorithm == Algorithm::candidate || algorithm == Algorithm::tabulated ||
         algorithm == Algorithm::automatic;
}
bool readsTable(Algorithm algorithm) {
  return algorithm == Algorithm::tabulated || algorithm == Algorithm::automatic;
}
/// `ranked` stores rows of its last coordinates: at least two, and not all.
bool readsTabulatedDimension(Algorithm algorithm) {
  return readsTable(algorithm) || algorithm == Algorithm::ranked;
}
bool fillsTable(Algorithm algorithm) { return readsTable(algorithm) || algorithm == Algorithm::dynamic; }

/// Options that an algorithm does not read are errors beside it, rather than silently ignored.
void refuseForeignOptions(const Json& document, Algorithm algorithm) {
  const auto refuse = [&](const char* key, const std::string& accepted) {
    throw ConfigError(
        key,
        describeValue(document[key]) + " with algorithm " + document.value("algorithm", std::string("auto")),
        accepted);
  };
  if (!readsCandidates(algorithm) && !document.value("modulo", true))
    refuse("modulo", "false only with algorithm candidate, tabulated or auto");
  if (!readsTabulatedDimension(algorithm) && document.contains("tabulated_dimension"))
    refuse("tabulated_dimension", "a tabulated dimension only with algorithm tabulated, ranked or auto");
  if (!fillsTable(algorithm) && document.contains("dynamic_parallelism"))
    refuse("dynamic_parallelism", "a parallelism only with algorithm dynamic, tabulated or auto");
  if (!fillsTable(algorithm) && document.value("dynamic_on_gpu", false))
    refuse("dynamic_on_gpu", "true only with algorithm dynamic, tabulated or auto");
}

bool endsWith(const std::string& text, const std::string& suffix) {
  return text.size() > suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

void checkOutput(const RunConfig& config, const SinkSpec& sink) {
  const bool rows = sink.kind == SinkKind::rows || sink.kind == SinkKind::first;
  const Json settings = config.document.value("output", Json::object());
  if (config.outputPath.empty()) {
    for (const auto& member : settings.items()) {
      if (member.key() == "element_type" && rows) continue;
      throw ConfigError("output." + member.key(), describeValue(member.value()) + " without an output",
                        member.key() == "element_type" ? "an element type only with sink rows or first:K"
                                                       : "this setting only with output.path");
    }
    return;
  }
  const std::string path = describeValue(Json(config.outputPath));
  if (!rows) {
    throw ConfigError("output.path",
                      path + " with sink " + config.document.value("sink", std::string("count")),
                      "an output only with sink rows or first:K");
  }
  const bool csv = config.outputPath == "-" || endsWith(config.outputPath, ".csv");
  if (!csv && !endsWith(config.outputPath, ".npy") && !endsWith(config.outputPath, ".npy.zst")) {
    throw ConfigError("output.path", path,
                      "a file name that ends in .npy, .npy.zst or .csv, or - for CSV on standard output");
  }
  if (settings.value("header", false) && !csv)
    throw ConfigError("output.header", "true with " + path, "a header only in CSV output");
}

/// The members of "output" beside path. Contradictions are found with the request.
void parseOutputSettings(const Json& node, factorizations::OutputSpec& output) {
  output.header = node.value("header", false);
  const std::string type = node.value("element_type", std::string("auto"));
  output.elementBytes = type == "uint8"    ? 1
                        : type == "uint16" ? 2
                        : type == "uint32" ? 4
                        : type == "uint64" ? 8
                                           : 0;
  const std::string writing = node.value("writing", std::string("auto"));
  output.writing = writing == "mapped"     ? Writing::mapped
                   : writing == "streamed" ? Writing::streamed
                                           : Writing::automatic;
  if (node.contains("shard_rows"))
    output.shardRows = requireUnsigned(node["shard_rows"], "output.shard_rows", 1, kLargest);
  if (node.contains("compression_level")) {
    output.compressionLevel =
        static_cast<int>(requireUnsigned(node["compression_level"], "output.compression_level", 1, 22));
  }
  if (node.contains("frame_size")) output.frameBytes = requireSize(node["frame_size"], "output.frame_size");
  if (node.contains("buffer_memory"))
    output.bufferBytes = requireSize(node["buffer_memory"], "output.buffer_memory");
  if (node.contains("writers"))
    output.writers = static_cast<int>(requireUnsigned(node["writers"], "output.writers", 0, 256));
}

}  // namespace

SinkSpec parseSink(const std::string& text, std::size_t dimension) {
  static const std::vector<std::pair<std::string, SinkKind>> kPlain = {
      {"count", SinkKind::count},
      {"rows", SinkKind::rows},
      {"lengths", SinkKind::lengths},
      {"extremes", SinkKind::extremes},
      {"coordinate-maxima", SinkKind::coordinateMaxima},
      {"fingerprint", SinkKind::fingerprint}};
  SinkSpec sink;
  for (const auto& [name, kind] : kPlain) {
    if (text == name) {
      sink.kind = kind;
      sink.fingerprint = kind == SinkKind::fingerprint;
      return sink;
    }
  }
  const auto colon = text.find(':');
  const std::string head = text.substr(0, colon);
  const std::string tail = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (head == "first") {
    sink.kind = SinkKind::first;
    sink.firstCount = requireUnsigned(Json(tail), "sink (first:K)", 1, kLargest);
  } else if ((head == "any" || head == "all") && colon != std::string::npos) {
    sink.kind = head == "any" ? SinkKind::any : SinkKind::all;
    sink.predicate = factorizations::parsePredicate(tail, dimension);
  } else {
    throw ConfigError(
        "sink", describeValue(Json(text)),
        "count, rows, lengths, extremes, coordinate-maxima, fingerprint, first:K, any:EXPR or all:EXPR");
  }
  return sink;
}

factorizations::Request parseFactorizationsRequest(const RunConfig& config, Strictness strictness) {
  const Json& document = config.document;
  Request request;
  request.generators = parseGenerators(document.at("generators"));
  request.element = requireUnsigned(document.at("element"), "element", 0, kLargest);
  request.algorithm = parseAlgorithm(document.value("algorithm", std::string("auto")));
  if (strictness == Strictness::single) refuseForeignOptions(document, request.algorithm);
  // In a sweep the foreign options of one algorithm stay where another value of the axis needs them.
  request.moduloJump = document.value("modulo", true) || !readsCandidates(request.algorithm);
  if (document.contains("tabulated_dimension") && readsTabulatedDimension(request.algorithm)) {
    const auto dimension = static_cast<unsigned>(requireUnsigned(
        document["tabulated_dimension"], "tabulated_dimension", 1, request.generators.size()));
    const bool meant = request.algorithm != Algorithm::ranked || strictness == Strictness::single ||
                       (dimension >= 2 && dimension < request.generators.size());
    if (meant) request.tabulatedDimension = dimension;
  }
  if (fillsTable(request.algorithm)) {
    request.dynamicParallelism =
        parseParallelism(document.value("dynamic_parallelism", std::string("elementwise")));
    request.dynamicOnGpu = document.value("dynamic_on_gpu", false);
  }
  request.sink = parseSink(document.value("sink", std::string("count")), request.generators.size());
  request.sink.fingerprint = request.sink.fingerprint || document.value("fingerprint", false);
  if (document.contains("seed"))
    throw ConfigError("seed", describeValue(document["seed"]), "a seed only with sample");
  if (document.contains("rank_range")) request.ranks = parseRankRange(document["rank_range"]);
  checkOutput(config, request.sink);
  request.output.path = config.outputPath;
  parseOutputSettings(document.value("output", Json::object()), request.output);
  return request;
}

}  // namespace slicepool::config
