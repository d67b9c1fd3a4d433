// See front_request.hpp.
#include "runtime/factorizations/front_request.hpp"

#include <array>

#include "runtime/app/config/sink_parameter.hpp"
#include "runtime/factorizations/front_rank_values.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using factorizations::Algorithm;
using factorizations::DynamicParallelism;
using factorizations::kMaximumNumber;
using factorizations::Request;
using factorizations::SinkKind;
using factorizations::SinkSpec;
using factorizations::Writing;

std::vector<std::uint64_t> parseGenerators(const Json& value) {
  std::vector<std::uint64_t> generators;
  for (std::size_t i = 0; i < value.size(); ++i)
    generators.push_back(
        requireUnsigned(value[i], "generators[" + std::to_string(i) + "]", 1, kMaximumNumber));
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
bool fillsTable(Algorithm algorithm) { return readsTable(algorithm) || algorithm == Algorithm::dynamic; }

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
    output.shardRows = requireUnsigned(node["shard_rows"], "output.shard_rows", 1, kMaximumNumber);
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
  static constexpr std::array<NamedSink<SinkKind>, 9> kSinks{
      {{SinkKind::count, "count"},
       {SinkKind::rows, "rows"},
       {SinkKind::lengths, "lengths"},
       {SinkKind::extremes, "extremes"},
       {SinkKind::coordinateMaxima, "coordinate-maxima"},
       {SinkKind::fingerprint, "fingerprint"},
       {SinkKind::first, "first", SinkArgument::number},
       {SinkKind::any, "any", SinkArgument::condition},
       {SinkKind::all, "all", SinkArgument::condition}}};
  const SinkChoice choice = sinkChoice(text, sinkWords(kSinks), "EXPR");
  SinkSpec sink;
  sink.kind = kSinks.at(choice.index).kind;
  sink.fingerprint = sink.kind == SinkKind::fingerprint;
  sink.firstCount = choice.number;
  if (sink.kind == SinkKind::any || sink.kind == SinkKind::all)
    sink.predicate = factorizations::parsePredicate(choice.condition, dimension);
  return sink;
}

factorizations::Request parseFactorizationsRequest(const RunConfig& config, Strictness strictness) {
  const Json& document = config.document;
  Request request;
  request.generators = parseGenerators(document.at("generators"));
  request.element = requireUnsigned(document.at("element"), "element", 0, kMaximumNumber);
  request.algorithm = parseAlgorithm(document.value("algorithm", std::string("auto")));
  // In a sweep an option of one algorithm stands beside the others of the axis as well, and says nothing
  // there. In a single run the check of the request refuses it.
  const bool single = strictness == Strictness::single;
  request.moduloJump = document.value("modulo", true) || !(single || readsCandidates(request.algorithm));
  if (document.contains("tabulated_dimension")) {
    const auto dimension = static_cast<unsigned>(requireUnsigned(
        document["tabulated_dimension"], "tabulated_dimension", 1, request.generators.size()));
    const bool rowsOfTails =
        request.algorithm == Algorithm::ranked && dimension >= 2 && dimension < request.generators.size();
    if (single || readsTable(request.algorithm) || rowsOfTails) request.tabulatedDimension = dimension;
  }
  if (single || fillsTable(request.algorithm)) {
    request.dynamicParallelism =
        parseParallelism(document.value("dynamic_parallelism", std::string("elementwise")));
    request.dynamicOnGpu = document.value("dynamic_on_gpu", false);
  }
  request.sink = parseSink(document.value("sink", std::string("count")), request.generators.size());
  request.sink.fingerprint = request.sink.fingerprint || document.value("fingerprint", false);
  if (document.contains("seed"))
    throw ConfigError("seed", describeValue(document["seed"]), "a seed only with sample");
  if (document.contains("rank_range")) request.ranks = parseRankRange(document["rank_range"]);
  request.output.path = config.outputPath;
  parseOutputSettings(document.value("output", Json::object()), request.output);
  return request;
}

}  // namespace slicepool::config
