// See front_request.hpp.
#include "runtime/integer_points/front_request.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "runtime/app/config/front.hpp"
#include "runtime/app/config/shard_rule.hpp"
#include "runtime/app/config/sink_parameter.hpp"
#include "runtime/integer_points/front_number_lists.hpp"
#include "runtime/integer_points/request_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/integer_points/steps/search_plan.hpp"

namespace slicepool::config {
namespace {

using integer_points::Algorithm;
using integer_points::LinearSystem;
using integer_points::Request;

Json plain(const char* type) {
  Json node = Json::object();
  node["type"] = type;
  return node;
}

Json listOf(Json items) {
  Json node = plain("array");
  node["items"] = std::move(items);
  return node;
}

Json textOf(const char* pattern) {
  Json node = plain("string");
  node["pattern"] = pattern;
  return node;
}

Json vectors(const std::string& description) {
  return domain::oneOf(description, {textOf("^[-+0-9,; ]+$"), listOf(listOf(plain("integer")))});
}

Json integers(const std::string& description) {
  return domain::oneOf(description, {plain("integer"), textOf("^[-+0-9, ]+$"), listOf(plain("integer"))});
}

Json bounds(const std::string& description) {
  Json entry = Json::object();
  entry["anyOf"] = Json::array({plain("integer"), plain("null")});
  return domain::oneOf(
      description, {plain("integer"), textOf("^[-+0-9, a-z]+$"), listOf(plain("integer")), listOf(entry)});
}

std::vector<Parameter> problem() {
  return {
      {.member = "matrix",
       .flag = "--matrix",
       .type = "A11,A12,..;A21,..",
       .help = "A: 1 to 32 rows of 1 to 64 integers, separated by semicolons",
       .domain = vectors("rows of integers: \"1,1,0;0,1,1\" or [[1, 1, 0], [0, 1, 1]]"),
       .sweep = Sweep::rows},
      {.member = "right_side",
       .flag = "--right-side",
       .type = "B1,B2,..",
       .help = "b: an integer for each row, or one for all rows",
       .domain = integers("an integer, or integers such as \"4,7\" or [4, 7]"),
       .sweep = Sweep::rows,
       .label = [](const Json& value) { return "b=" + labelValue(value); }},
      {.member = "generators",
       .flag = "--generators",
       .type = "G11,G12,..;G21,..",
       .help = "instead of a matrix: the generators of an affine semigroup, which are its columns",
       .domain = vectors("generators: \"1,2;3,1\" or [[1, 2], [3, 1]]"),
       .sweep = Sweep::rows},
      {.member = "element",
       .flag = "--element",
       .type = "E1,E2,..",
       .help = "with generators: the element, whose factorizations are the points",
       .domain = integers("an integer, or integers such as \"20,30\" or [20, 30]"),
       .sweep = Sweep::rows,
       .label = [](const Json& value) { return "e=" + labelValue(value); }},
      {.member = "lower",
       .flag = "--lower",
       .type = "L1,L2,..",
       .help = "lower bounds: an integer for each column, or one for all columns",
       .standard = "0",
       .domain = integers("an integer, or integers such as \"0,-2\" or [0, -2]"),
       .sweep = Sweep::rows},
      {.member = "upper",
       .flag = "--upper",
       .type = "U1,U2,..",
       .help = "upper bounds, as --lower, or none",
       .standard = "none: what the rows allow, which must be finite",
       .domain = bounds("an integer, or integers such as \"4,none,7\" or [4, null, 7]"),
       .sweep = Sweep::rows},
      {.member = "where",
       .flag = "--where",
       .type = "CONDITION",
       .help =
           "only points that satisfy linear conditions on x1, x2, .. and sum, such as \"x1 - 2*x3 >= 5 and "
           "x2 <= 7\"",
       .domain = domain::text("linear conditions such as x1 - 2*x3 >= 5, joined by and, or"),
       .sweep = Sweep::axis},
      sinkParameter(sinkWords(integer_points::kSinks), "what to do with them; sums counts by coordinate sum",
                    "count; list with an output"),
      {.member = "algorithm",
       .flag = "--algorithm",
       .help = "how points are counted or listed: walk takes lines of points one by one",
       .standard = "auto: the last columns by a table, where that pays",
       .domain = domain::words({"auto", "walk"}),
       .sweep = Sweep::axis},
      {.member = "fingerprint",
       .flag = "--fingerprint",
       .given = Given::setTrue,
       .help = "compute the fingerprint of the set of points; list and sums have it always",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
      shardsParameter("cut the search into S parts and run one", integer_points::kMaximumShards),
      shardParameter(integer_points::kMaximumShards),
      {.member = "output.path",
       .flag = "--output",
       .type = "FILE",
       .help = "points in lexicographic order to FILE.npy or FILE.txt, or - for text on standard output",
       .group = kFilesGroup,
       .domain = domain::text("a file name that ends in .npy or .txt, or - for text on standard output")}};
}

/// One number stands for all.
template <class Number>
void spread(std::vector<Number>& numbers, std::size_t size) {
  if (numbers.size() == 1 && size > 1) numbers.resize(size, numbers.front());
}

/// The columns of the matrix.
LinearSystem ofGenerators(const Json& document) {
  const auto generators = vectorsOf(document["generators"], "generators");
  LinearSystem system;
  system.rightSide = integersOf(document["element"], "element");
  const std::size_t entries = generators.empty() ? 0 : generators.front().size();
  if (generators.empty() || entries == 0 || entries > integer_points::kMaximumGivenRows ||
      generators.size() > integer_points::kMaximumColumns)
    throw ConfigError("generators", fmt::format("{} generators of {} entries", generators.size(), entries),
                      fmt::format("1 to {} generators of 1 to {} entries", integer_points::kMaximumColumns,
                                  integer_points::kMaximumGivenRows));
  if (system.rightSide.size() != entries)
    throw ConfigError("element", fmt::format("{} entries", system.rightSide.size()),
                      fmt::format("{}, as many as a generator has", entries));
  system.matrix.assign(entries, {});
  for (std::size_t g = 0; g < generators.size(); ++g) {
    if (generators[g].size() != entries)
      throw ConfigError("generators", fmt::format("generator {} of {} entries", g + 1, generators[g].size()),
                        fmt::format("generators of {} entries, as the first one", entries));
    for (std::size_t i = 0; i < entries; ++i) system.matrix[i].push_back(generators[g][i]);
  }
  return system;
}

LinearSystem systemOf(const Json& document) {
  const auto has = [&](const char* member) { return document.contains(member); };
  if (has("matrix") == has("generators"))
    throw ConfigError("matrix", has("matrix") ? "a matrix and generators" : "nothing",
                      "one of matrix and generators");
  const char* side = has("matrix") ? "right_side" : "element";
  const char* other = has("matrix") ? "element" : "right_side";
  if (!has(side) || has(other))
    throw ConfigError(side, has(side) ? std::string(other) + " as well" : "nothing",
                      has("matrix") ? "a matrix and a right side" : "generators and an element");
  LinearSystem system;
  if (has("generators")) {
    system = ofGenerators(document);
  } else {
    system.matrix = vectorsOf(document["matrix"], "matrix");
    system.rightSide = integersOf(document["right_side"], "right_side");
    spread(system.rightSide, system.matrix.size());
  }
  const std::size_t columns = system.matrix.empty() ? 0 : system.matrix.front().size();
  if (has("lower")) {
    system.lower = integersOf(document["lower"], "lower");
    spread(system.lower, columns);
  }
  if (has("upper")) {
    system.upper = boundsOf(document["upper"], "upper");
    spread(system.upper, columns);
  }
  system.where = document.value("where", std::string{});
  return system;
}

}  // namespace

std::vector<Parameter> pointParameters() { return problem(); }

Request parsePointRequest(const RunConfig& config) {
  const Json& document = config.document;
  Request request;
  request.system = systemOf(document);
  request.outputPath = config.outputPath;
  request.fingerprint = document.value("fingerprint", false);
  setSink(document.value("sink", std::string(request.outputPath.empty() ? "count" : "list")),
          integer_points::kSinks, request);
  if (document.value("algorithm", std::string("auto")) == "walk") request.algorithm = Algorithm::walk;
  const ShardChoice choice = shardChoice(document, integer_points::kMaximumShards);
  request.shards = choice.shards;
  request.shard = choice.shard;
  return request;
}

}  // namespace slicepool::config
