// See front_parameters.hpp.
#include "runtime/factorizations/front_parameters.hpp"

#include "runtime/app/config/front.hpp"
#include "runtime/factorizations/request_check.hpp"

namespace slicepool::factorizations {
namespace {

using namespace config;  // NOLINT: the table is written in its words

/// Of one generator or coordinate: the description of the list comes first in messages.
Json integers(const std::string& description, std::int64_t low, const std::string& item) {
  return domain::list(description, domain::digits(item, low), 1, kMaximumGenerators);
}

Json rank() { return domain::digits("an integer from 0, or a string of decimal digits", 0); }

Json rankRangeText(const std::string& description) {
  return domain::textLike(description, "^[0-9]+:[0-9]+$");
}

Json rankRange() {
  Json text = rankRangeText("");
  text.erase("description");
  Json pair = domain::list("", rank(), 2, 2);
  pair.erase("description");
  return domain::oneOf("A:B or [A, B] with 0 <= A <= B, the ranks A to B-1", {text, pair});
}

/// Bounds of 64 bits are left to the request.
Json shardRows() {
  Json node = domain::integer("rows of a shard, 1 to 2^63-1", 1);
  node.erase("minimum");
  node["type"] = Json::array({"integer", "string"});
  return node;
}

std::vector<Parameter> problem() {
  return {
      {.member = "generators",
       .flag = "--generators",
       .given = Given::integerList,
       .type = "G1,G2,..",
       .help = "1 to 64 generators; coordinates keep this order",
       .domain = integers("a list of 1 to 64 integers from 1 to 2^63-1", 1, "an integer from 1 to 2^63-1"),
       .required = true,
       .sweep = Sweep::axis,
       .label = [](const Json& value) { return "<" + labelValue(value) + ">"; }},
      {.member = "element",
       .flag = "--element",
       .given = Given::integer,
       .type = "N",
       .help = "the element n, from 0 to 2^63-1",
       .domain = domain::digits("an integer from 0 to 2^63-1", 0),
       .required = true,
       .sweep = Sweep::axis,
       .label = [](const Json& value) { return "n=" + labelValue(value); }},
      {.member = "sink",
       .flag = "--sink",
       .type = "count|rows|lengths|extremes|coordinate-maxima|fingerprint|first:K|any:EXPR|all:EXPR",
       .help = "what to compute from the factorizations; EXPR is linear, such as \"2*a1 - a3 >= 5\"",
       .standard = "count",
       .domain = domain::textLike(
           "count, rows, lengths, extremes, coordinate-maxima, fingerprint, first:K, any:EXPR or all:EXPR, "
           "with K an "
           "integer from 1 to 2^63-1 and EXPR such as 2*a1 - a3 >= 5",
           "^(count|rows|lengths|extremes|coordinate-maxima|fingerprint|first:.*|any:.*|all:.*)$"),
       .sweep = Sweep::axis,
       .recordedApart = true},
      {.member = "rank_range",
       .flag = "--rank-range",
       .type = "A:B",
       .help = "only the results with ranks A to B-1; rank 0 is the lexicographically largest; works with "
               "every sink",
       .domain = rankRange(),
       .sweep = Sweep::axis,
       .axisDomain = rankRangeText("a text A:B with 0 <= A <= B, the ranks A to B-1")},
      {.member = "sample",
       .flag = "--sample",
       .given = Given::integer,
       .type = "K",
       .help = "instead of a sink: K rows drawn independently, each row with the same probability",
       .domain = domain::digits("rows to draw: an integer from 1 to 2^63-1", 1)},
      {.member = "seed",
       .flag = "--seed",
       .given = Given::integer,
       .type = "S",
       .help = "sample: an integer to 2^64-1; the same seed gives the same rows everywhere",
       .standard = "0",
       .domain = domain::digits("an integer from 0 to 2^64-1", 0)},
      {.member = "rank_of",
       .flag = "--rank-of",
       .given = Given::integerList,
       .type = "A1,A2,..",
       .help = "instead of a sink: the rank of this factorization",
       .domain = integers("a factorization: a list of integers from 0, one per generator", 0,
                          "an integer from 0 to 2^63-1")},
      {.member = "row_at",
       .flag = "--row-at",
       .given = Given::integer,
       .type = "RANK",
       .help = "instead of a sink: the factorization of this rank",
       .domain = rank()},
  };
}

std::vector<Parameter> method() {
  return {
      {.member = "algorithm",
       .flag = "--algorithm",
       .help = "how to step through them",
       .standard = "auto: the fastest for the request; the report says which",
       .domain = domain::words({"auto", "candidate", "tabulated", "dynamic", "ranked"}),
       .sweep = Sweep::axis},
      {.member = "fingerprint",
       .flag = "--fingerprint",
       .given = Given::setTrue,
       .help = "compute the fingerprint of the set beside the sink",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
      {.member = "tabulated_dimension",
       .flag = "--tabulated-dimension",
       .given = Given::integer,
       .type = "M",
       .help = "tabulated: coordinates in the table; ranked: in stored rows, 2 to d - 1",
       .domain = domain::integer("an integer from 1 to the number of generators", 1, kMaximumGenerators),
       .sweep = Sweep::axis},
      {.member = "modulo",
       .flag = "--no-modulo",
       .given = Given::setFalse,
       .help = "candidate: without the modulo jump",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
      {.member = "dynamic_parallelism",
       .flag = "--dynamic-parallelism",
       .help = "dynamic and table fill: what runs in parallel",
       .standard = "elementwise",
       .domain = domain::words({"sequential", "elementwise", "factorizationwise"}),
       .sweep = Sweep::axis},
      {.member = "dynamic_on_gpu",
       .flag = "--dynamic-on-gpu",
       .given = Given::setTrue,
       .help = "dynamic and table fill on the GPU",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
  };
}

std::vector<Parameter> output() {
  return {
      {.member = "output.path",
       .flag = "--output",
       .type = "FILE",
       .help = "rows to FILE.npy, FILE.npy.zst or FILE.csv, or - for CSV on standard output",
       .group = kFilesGroup,
       .domain =
           domain::text("a file name that ends in .npy, .npy.zst or .csv, or - for CSV on standard output")},
      {.member = "output.element_type",
       .flag = "--element-type",
       .help = "type of the rows",
       .standard = "auto: the narrowest that holds every coordinate",
       .group = kFilesGroup,
       .domain = domain::words({"auto", "uint8", "uint16", "uint32", "uint64"})},
      {.member = "output.writing",
       .flag = "--writing",
       .help = ".npy: into the mapped file, or through buffers while it is enumerated",
       .standard = "auto: streamed when it is larger than the memory limit, sharded or compressed",
       .group = kFilesGroup,
       .domain = domain::words({"auto", "mapped", "streamed"})},
      {.member = "output.shard_rows",
       .flag = "--shard-rows",
       .given = Given::integer,
       .type = "N",
       .help = "FILE-00000.npy, .. of N rows each, and FILE.manifest.json with their hashes",
       .group = kFilesGroup,
       .domain = shardRows()},
      {.member = "output.compression_level",
       .flag = "--compression-level",
       .given = Given::integer,
       .type = "1..22",
       .help = ".npy.zst: fast to small",
       .standard = "3",
       .group = kFilesGroup,
       .domain = domain::integer("1 (fast) to 22 (small)", 1, 22)},
      {.member = "output.frame_size",
       .flag = "--frame-size",
       .type = "SIZE",
       .help = ".npy.zst: bytes compressed together",
       .standard = "1MiB",
       .group = kFilesGroup,
       .domain = domain::size()},
      {.member = "output.buffer_memory",
       .flag = "--buffer-memory",
       .type = "SIZE",
       .help = "streamed: memory for rows on their way to the disk",
       .standard = "a quarter of the memory limit, at most 1GiB",
       .group = kFilesGroup,
       .domain = domain::size()},
      {.member = "output.writers",
       .flag = "--writers",
       .given = Given::integer,
       .type = "N",
       .help = "streamed: threads that compress and write",
       .standard = "as many as pay",
       .group = kFilesGroup,
       .domain = domain::integer("threads, 0 (automatic) to 256", 0, 256)},
      {.member = "output.header",
       .flag = "--header",
       .given = Given::setTrue,
       .help = "CSV: a first line with the names a1,a2,..",
       .group = kFilesGroup,
       .domain = domain::trueOrFalse()},
  };
}

}  // namespace

std::vector<Parameter> frontParameters() {
  std::vector<Parameter> all;
  for (const auto& part : {problem(), method(), output()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace slicepool::factorizations
