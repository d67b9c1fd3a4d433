// See front_shards.hpp.
#include "runtime/lattice/front_shards.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/app/config/frontier_shards.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/io/npy_header.hpp"
#include "runtime/io/output_guard.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/lattice/front_answers.hpp"
#include "runtime/lattice/front_digest.hpp"
#include "runtime/lattice/front_request.hpp"
#include "runtime/lattice/kept_vectors.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "runtime/lattice/request_check.hpp"
#include "runtime/lattice/vector_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using lattice::BestVectors;
using lattice::kAllSolutions;
using lattice::Outcome;
using lattice::PreparedSearch;
using lattice::Request;
using lattice::VectorFormat;
using lattice::VectorMaker;

constexpr const char* kRecordAccepted = "the record of a shard of this search";
constexpr const char* kRowsAccepted = "the vectors that the shard wrote";

/// The request of the whole search. Throws for what cannot be cut.
Request wholeRequest(const RunConfig& config) {
  refuseMembers(config.document, {"first", "shards", "shard"},
                "a search that goes to its end; --shards says into how many parts it is cut");
  Request request = parseLatticeRequest(config);
  lattice::checkRequest(request, config.engine);
  if (!fixesRadius(request)) {
    throw ConfigError("fixed_radius", "a shrinking radius in a plan",
                      "true: what one shard finds would have to shrink the radius of the others");
  }
  if (request.solutions != kAllSolutions && request.solutions > kRecordedSolutions) {
    throw ConfigError("solutions", std::to_string(request.solutions) + " in a plan",
                      fmt::format("0 to {}, which the records of shards have, or all", kRecordedSolutions));
  }
  if (request.outputPath == "-" && request.solutions == kAllSolutions)
    throw ConfigError("output.path", "\"-\" in a plan", "the name of a file");
  return request;
}

/// What was searched, without what only says how: the same text on every machine that cuts the same search.
std::string searchOf(const PreparedSearch& search) {
  return search.identity.substr(0, search.identity.find(" output=")) + search.accept;
}

lattice::Frontier frontierOf(const PreparedSearch& search, std::uint64_t shards, std::uint64_t shard) {
  lattice::ProblemSpec spec = search.spec;
  spec.shards = static_cast<std::uint32_t>(shards);
  spec.shard = static_cast<std::uint32_t>(shard);
  return lattice::frontierOf(spec);
}

std::string hashText(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

CutSearch cut(const RunConfig& config, std::uint64_t shards) {
  const PreparedSearch search = prepareSearch(wholeRequest(config));
  CutSearch result;
  result.rule = {{"kind", "frontier"}, {"deal", "round robin"}, {"search", searchOf(search)}};
  result.text = "the whole search";
  if (shards > 1) {
    const lattice::Frontier whole = frontierOf(search, shards, 0);
    result.rule["slices"] = whole.slices;
    result.rule["slices_hash"] = hashText(whole.hash);
    result.text = dealText(whole.slices, "slices");
    for (std::uint64_t shard = 0; shard < shards; ++shard)
      result.shares.push_back({{"slices", whole.slices / shards + (shard < whole.slices % shards ? 1 : 0)}});
  } else {
    result.shares.push_back(Json::object());
  }
  return result;
}

/// A basis or pruning file that was changed, or a machine that rounds in another way, would leave gaps.
void verify(const ShardOf& part) {
  const RunConfig config = parseRunConfig(part.config, Strictness::single);
  const PreparedSearch search = prepareSearch(wholeRequest(config));
  if (part.rule.value("search", Json()) != Json(searchOf(search)))
    throw ConfigError("basis", "another search than that of the plan: " + searchOf(search),
                      part.rule.value("search", Json()).dump());
  if (part.shards == 1) return;
  const std::string hash = hashText(frontierOf(search, part.shards, part.shard).hash);
  if (part.rule.value("slices_hash", Json()) != Json(hash)) {
    throw ConfigError("slices_hash", hash + ", the frontier as this machine cuts it",
                      part.rule.value("slices_hash", Json()).dump() + ", as the machine of the plan cut it");
  }
}

std::string outputOf(const std::string& path, const std::string& stem) {
  return stem + (lattice::vectorFormat(path) == VectorFormat::npy ? ".npy" : ".txt");
}

ShardConfig shardConfig(const ShardOf& part) {
  const RunConfig config = parseRunConfig(part.config, Strictness::single);
  ShardConfig result;
  Json& document = result.document;
  document = part.config;
  if (part.shards > 1) {
    document["shards"] = part.shards;
    document["shard"] = part.shard;
  }
  document.erase("output");
  if (parseLatticeRequest(config).solutions == kAllSolutions) {
    const std::string own = outputOf(config.outputPath, part.stem);
    document["output"] = {{"path", own}};
    result.outputs = {own};
  }
  return result;
}

/// The vectors that the records have, by their coefficients: made again from the basis.
class Vectors {
 public:
  Vectors(const PreparedSearch& search, std::uint64_t keep)
      : search_(search), best_(keep), maker_(search.basis) {}

  void add(const DoneShard& shard) {
    const Json& record = shard.record;
    if (record.contains("vectors"))
      for (const auto& vector : record["vectors"])
        offer(vector.value("coefficients", Json()), vector.value("squared_norm", Json()), shard.path);
    else if (record.contains("shortest_coefficients"))
      offer(record["shortest_coefficients"], record.value("shortest_squared_norm", Json()), shard.path);
  }
  [[nodiscard]] const BestVectors& best() const { return best_; }

 private:
  void offer(const Json& list, const Json& norm, const std::string& path) {
    std::vector<std::int16_t> coefficients;
    for (const auto& value : list) {
      const bool fits =
          value.is_number_integer() && std::abs(value.get<std::int64_t>()) <= lattice::kMaximumCoefficient;
      if (fits) coefficients.push_back(value.get<std::int16_t>());
    }
    if (coefficients.size() != list.size() ||
        coefficients.size() != static_cast<std::size_t>(search_.spec.dimension))
      throw ConfigError(path, "coefficients that are none: " + describeValue(list), kRecordAccepted);
    maker_.make(coefficients);
    BestVectors own(1);
    own.offer(maker_, coefficients);
    if (norm != Json(own.best().begin()->squaredNorm.str()))
      throw ConfigError(path, "a vector whose squared norm is not " + norm.dump(), kRecordAccepted);
    best_.offer(maker_, coefficients);
  }

  const PreparedSearch& search_;
  BestVectors best_;
  VectorMaker maker_;
};

std::uint64_t numberIn(const Json& record, const char* key, const std::string& path) {
  const auto number = record.contains(key) ? exactUnsigned(record[key]) : std::nullopt;
  if (!number) throw ConfigError(path, std::string("no ") + key, kRecordAccepted);
  return *number;
}

void addCounts(const DoneShard& shard, Outcome& outcome) {
  const Json& record = shard.record;
  outcome.count += numberIn(record, "count", shard.path);
  const Json levels = record.value("nodes_per_level", Json());
  if (!levels.is_array() || levels.size() != outcome.nodesPerLevel.size())
    throw ConfigError(shard.path, "no nodes_per_level of this dimension", kRecordAccepted);
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto nodes = exactUnsigned(levels[k]);
    if (!nodes) throw ConfigError(shard.path, "nodes_per_level " + levels.dump(), kRecordAccepted);
    outcome.nodesPerLevel[k] += *nodes;
    sum += *nodes;
  }
  if (sum != numberIn(record, "nodes", shard.path))
    throw ConfigError(shard.path, "nodes that are not the sum of its levels", kRecordAccepted);
  requireSlices(shard);
  const Json fingerprint = record.value("fingerprint", Json());
  if (!fingerprint.is_string()) throw ConfigError(shard.path, "no fingerprint", kRecordAccepted);
  const Fingerprint own = fingerprintFromText(fingerprint.get<std::string>());
  outcome.fingerprint.sum += own.sum;
  outcome.fingerprint.exclusiveOr ^= own.exclusiveOr;
}

/// Where the rows of an array begin. Throws ConfigError when it is another one than a shard writes.
std::uint64_t beginOfRows(const RegularFile& part, const std::string& path, std::uint64_t columns,
                          unsigned elementBytes) {
  NpyHead head;
  try {
    head = readNpyHead(part);
  } catch (const Error& error) {
    throw ConfigError(path, std::string("a file that ") + error.what(), kRowsAccepted);
  }
  if (head.text != lattice::vectorArrayHeader(head.rows, columns, elementBytes) ||
      part.bytes() != head.text.size() + head.rows * columns * elementBytes)
    throw ConfigError(path, "an array of another shape or type", kRowsAccepted);
  return head.text.size();
}

/// The rows of the files of the shards, one file after the other. Pieces are whole rows.
void joinFiles(const DoneShards& all, VectorFormat format, lattice::VectorFile& file, std::uint64_t columns,
               unsigned elementBytes) {
  const std::size_t rowBytes = static_cast<std::size_t>(columns) * elementBytes;
  std::string carried;
  const auto put = [&](std::string& bytes, std::uint64_t rows) {
    const std::span<const char> rowsBytes(bytes.data(), bytes.size());
    file.write(file.place(rows, rowsBytes), rowsBytes);
    bytes.clear();
  };
  for (const auto& shard : all.shards) {
    const RegularFile part(shard.outputs.at(0));
    const std::uint64_t begin =
        format == VectorFormat::npy ? beginOfRows(part, shard.outputs[0], columns, elementBytes) : 0;
    part.read(begin, part.bytes(), [&](std::span<const std::byte> piece) {
      carried.append(reinterpret_cast<const char*>(piece.data()), piece.size());
      const std::size_t whole =
          format == VectorFormat::npy ? carried.size() / rowBytes * rowBytes : carried.rfind('\n') + 1;
      std::string rows = carried.substr(0, whole);
      carried.erase(0, whole);
      const std::uint64_t count =
          format == VectorFormat::npy
              ? whole / rowBytes
              : static_cast<std::uint64_t>(std::count(rows.begin(), rows.end(), '\n'));
      if (count != 0) put(rows, count);
    });
    if (!carried.empty()) throw ConfigError(shard.outputs[0], "a file that ends within a row", kRowsAccepted);
  }
}

void writeOutput(const DoneShards& all, const Request& request, const PreparedSearch& search,
                 const BestVectors& best, Outcome& outcome) {
  const VectorFormat format = lattice::vectorFormat(request.outputPath);
  const unsigned elementBytes =
      format == VectorFormat::npy ? lattice::elementBytes(lattice::greatestSquare(search)) : 8;
  OutputGuard guard;
  guard.claim({{"output.path", request.outputPath,
                format == VectorFormat::npy ? OutputNeed::file : OutputNeed::text}});
  lattice::VectorFile file(request.outputPath, search.basis.columns, elementBytes);
  if (request.solutions == kAllSolutions)
    joinFiles(all, format, file, static_cast<std::uint64_t>(search.basis.columns), elementBytes);
  else
    writeBest(search.basis, best, file);
  outcome.outputPath = request.outputPath;
  outcome.outputRows = file.rows();
  if (request.solutions == kAllSolutions && outcome.outputRows != outcome.count)
    throw ConfigError("merge", fmt::format("{} rows in the outputs", outcome.outputRows),
                      fmt::format("{}, the count of all shards", outcome.count));
  outcome.outputBytes = file.publish();
}

Answers merge(const DoneShards& all) {
  const Request request = wholeRequest(all.config);
  const PreparedSearch search = prepareSearch(request);
  if (all.rule.value("search", Json()) != Json(searchOf(search)))
    throw ConfigError("basis", "another search than that of the plan",
                      all.rule.value("search", Json()).dump());
  Outcome outcome;
  outcome.dimension = search.spec.dimension;
  outcome.squaredRadius = search.squaredRadius;
  outcome.ghFactor = std::sqrt(search.squaredRadius.rounded() / search.gaussianSquaredRadius);
  outcome.fixedRadius = true;
  outcome.reduction = search.reduction;
  outcome.nodesPerLevel.assign(static_cast<std::size_t>(outcome.dimension), 0);
  Vectors vectors(search,
                  request.solutions == kAllSolutions ? 1 : std::max<std::uint64_t>(request.solutions, 1));
  for (const auto& shard : all.shards) {
    addCounts(shard, outcome);
    vectors.add(shard);
    // With solutions 0 there are no vectors, and the norm is of the count.
    const Json norm = shard.record.value("shortest_squared_norm", Json());
    if (!norm.is_string()) continue;
    const lattice::Integer own(norm.get<std::string>());
    if (outcome.shortestSquaredNorm.empty() || own < lattice::Integer(outcome.shortestSquaredNorm))
      outcome.shortestSquaredNorm = norm.get<std::string>();
  }
  outcome.nodes =
      std::accumulate(outcome.nodesPerLevel.begin(), outcome.nodesPerLevel.end(), std::uint64_t{0});
  VectorMaker maker(search.basis);
  for (const auto& best : vectors.best().best()) outcome.solutions.push_back(solutionOf(maker, best));
  if (!request.outputPath.empty()) writeOutput(all, request, search, vectors.best(), outcome);
  return latticeAnswers(outcome, request, true);
}

}  // namespace

ShardRule latticeShards() {
  return {.refusal = "",
          .cut = cut,
          .shardConfig = shardConfig,
          .verify = verify,
          .merge = merge,
          .results = {"dimension", "count", "solutions", "nodes", "nodes_per_level", "fingerprint", "slices",
                      "squared_radius", "shortest_squared_norm", "shortest_vector", "shortest_coefficients",
                      "vectors"},
          .digest = latticeDigest};
}

}  // namespace slicepool::config
