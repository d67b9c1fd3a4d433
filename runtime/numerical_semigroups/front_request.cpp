// See front_request.hpp.
#include "runtime/numerical_semigroups/front_request.hpp"

#include <string>

#include "runtime/app/config/front.hpp"
#include "runtime/app/config/shard_rule.hpp"
#include "runtime/app/config/sink_parameter.hpp"
#include "runtime/numerical_semigroups/request_check.hpp"
#include "runtime/numerical_semigroups/statistic_names.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using numerical_semigroups::countedStatistic;
using numerical_semigroups::kCountedStatistics;
using numerical_semigroups::kMaximumGenus;
using numerical_semigroups::kMaximumShards;
using numerical_semigroups::kStatisticInfos;
using numerical_semigroups::Request;
using numerical_semigroups::RowKind;
using numerical_semigroups::SinkKind;

/// "multiplicity, .. or genus" and "multiplicity|..|genus".
std::string countedNames(const char* between, const char* last) {
  std::string text;
  for (int i = 0; i < kCountedStatistics; ++i) {
    if (i != 0) text += i + 1 == kCountedStatistics ? last : between;
    text += kStatisticInfos.at(static_cast<std::size_t>(i)).name;
  }
  return text;
}

std::string acceptedBy() { return countedNames(", ", " or ") + ", or two of them as A,B"; }

void parseBy(const std::string& text, Request& request) {
  const auto comma = text.find(',');
  const auto first = countedStatistic(text.substr(0, comma));
  if (comma != std::string::npos) request.also = countedStatistic(text.substr(comma + 1));
  if (!first || (comma != std::string::npos && !request.also))
    throw ConfigError("by", describeValue(Json(text)), acceptedBy());
  request.by = *first;
}

Json boundDomain() { return domain::digits("an integer from 1 to 127", 1, kMaximumGenus); }

std::vector<Parameter> problem() {
  const auto labelled = [](const char* letter) {
    return [letter](const Json& value) { return letter + ("=" + labelValue(value)); };
  };
  return {
      {.member = "genus",
       .flag = "-g,--genus",
       .given = Given::integer,
       .type = "N",
       .help = "number of gaps up to which semigroups are searched, 1 to 127",
       .domain = boundDomain(),
       .sweep = Sweep::axis,
       .label = labelled("g")},
      {.member = "frobenius",
       .flag = "--frobenius",
       .given = Given::integer,
       .type = "N",
       .help = "instead of a genus: the Frobenius number up to which semigroups are searched, 1 to 127",
       .domain = boundDomain(),
       .sweep = Sweep::axis,
       .label = labelled("F")},
      {.member = "multiplicity",
       .flag = "-m,--multiplicity",
       .given = Given::integer,
       .type = "M",
       .help = "only semigroups with this smallest positive element, 2 to the bound and 1",
       .standard = "all",
       .domain = domain::digits("an integer from 2 to 128", 2, kMaximumGenus + 1),
       .sweep = Sweep::axis,
       .label = labelled("m")},
      {.member = "where",
       .flag = "--where",
       .type = "CONDITION",
       .help = "only semigroups that satisfy linear conditions on g, m, u, e, t, F, d, children, wilf and "
               "eliahou, such as \"2*e - t >= 5 and wilf < 0\"",
       .domain = domain::text("linear conditions such as 2*e - t >= 5, joined by and, or"),
       .sweep = Sweep::axis},
      sinkParameter(sinkWords(numerical_semigroups::kSinks), "what to do with them",
                    "count; list with an output"),
      {.member = "by",
       .flag = "--by",
       .type = countedNames("|", "|"),
       .help = "what semigroups of one genus are counted by, or two of these, A,B; all but multiplicity and "
               "second visit each semigroup",
       .standard = "multiplicity",
       .domain = domain::textLike(acceptedBy(), "^[a-z-]+(,[a-z-]+)?$"),
       .sweep = Sweep::axis},
      {.member = "triangle",
       .flag = "--triangle",
       .given = Given::setTrue,
       .help = "also record the histogram of every genus",
       .domain = domain::trueOrFalse()},
      {.member = "exactly",
       .flag = "--exactly",
       .given = Given::setTrue,
       .help = "only semigroups whose genus, or Frobenius number, is the bound itself",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
      {.member = "trim",
       .flag = "--trim",
       .given = Given::setTrue,
       .help = "without the descendants of semigroups for which Wilf's inequality is known to be hereditary",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
      {.member = "fingerprint",
       .flag = "--fingerprint",
       .given = Given::setTrue,
       .help = "compute the fingerprint of the set of semigroups; a list has it always",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis}};
}

std::vector<Parameter> files() {
  return {
      shardsParameter("cut the search into S parts and run one", kMaximumShards),
      shardParameter(kMaximumShards),
      {.member = "output.path",
       .flag = "--output",
       .type = "FILE",
       .help = "semigroups to FILE.npy or FILE.txt, the tree to FILE.svg, or - for text on standard output",
       .group = kFilesGroup,
       .domain =
           domain::text("a file name that ends in .npy, .txt or .svg, or - for text on standard output")},
      {.member = "output.rows",
       .flag = "--rows",
       .help = "what a row is",
       .standard = "generators",
       .group = kFilesGroup,
       .domain = domain::words({"generators", "gaps"})}};
}

}  // namespace

std::vector<Parameter> genusParameters() {
  std::vector<Parameter> all = problem();
  for (auto& parameter : files()) all.push_back(std::move(parameter));
  return all;
}

Request parseGenusRequest(const RunConfig& config) {
  const Json& document = config.document;
  Request request;
  const auto bound = [&](const char* member) {
    return document.contains(member)
               ? static_cast<int>(requireUnsigned(document[member], member, 1, kMaximumGenus))
               : 0;
  };
  request.genus = bound("genus");
  request.frobenius = bound("frobenius");
  if ((request.genus != 0) == (request.frobenius != 0))
    throw ConfigError("genus", request.genus != 0 ? "a genus and a Frobenius number" : "nothing",
                      "one of genus and frobenius");
  if (document.contains("multiplicity"))
    request.multiplicity =
        static_cast<int>(requireUnsigned(document["multiplicity"], "multiplicity", 2, kMaximumGenus + 1));
  parseBy(document.value("by", std::string("multiplicity")), request);
  request.where = document.value("where", std::string{});
  request.exactly = document.value("exactly", false);
  request.trim = document.value("trim", false);
  request.fingerprint = document.value("fingerprint", false);
  request.outputPath = config.outputPath;
  setSink(document.value("sink", std::string(request.outputPath.empty() ? "count" : "list")),
          numerical_semigroups::kSinks, request);
  if (document.contains("output") && document["output"].value("rows", std::string{}) == "gaps")
    request.rows = RowKind::gaps;
  if (document.value("triangle", false) && request.sink != SinkKind::count)
    throw ConfigError("triangle", "with sink " + sinkOf(request).name, "histograms only with sink count");
  const ShardChoice choice = shardChoice(document, kMaximumShards);
  request.shards = choice.shards;
  request.shard = choice.shard;
  return request;
}

}  // namespace slicepool::config
