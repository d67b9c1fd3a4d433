// See options.hpp.
#include "runtime/app/cli/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime/app/config/run_config.hpp"
#include "runtime/io/exact_json.hpp"

namespace slicepool::cli {
namespace {

using config::Json;

constexpr const char* kProblem = "Problem";
constexpr const char* kWorkers = "Workers";
constexpr const char* kTuning = "Tuning";
constexpr const char* kFiles = "Files and limits";

std::vector<std::string> splitCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, comma - begin);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    parts.push_back(std::move(part));
    begin = comma + 1;
  }
  return parts;
}

Json valueOf(const OptionSpec& spec, const std::string& text) {
  switch (spec.kind) {
    case OptionKind::integer: return integerValue(text);
    case OptionKind::number: return numberValue(text);
    case OptionKind::integerList: return integerList(text);
    case OptionKind::setTrue: return true;
    case OptionKind::setFalse: return false;
    case OptionKind::text: break;
  }
  return text;
}

}  // namespace

const std::vector<OptionSpec>& factorizationsOptions() {
  static const std::vector<OptionSpec> kOptions = {
      {"--generators", "generators", OptionKind::integerList, "G1,G2,..",
       "1 to 64 generators; coordinates keep this order", kProblem},
      {"--element", "element", OptionKind::integer, "N", "the element n, from 0 to 2^63-1", kProblem},
      {"--sink", "sink", OptionKind::text,
       "count|rows|lengths|extremes|coordinate-maxima|fingerprint|first:K|any:EXPR|all:EXPR",
       "what to compute from the factorizations (default count); EXPR is linear, such as \"2*a1 - a3 >= 5\"",
       kProblem},
      {"--rank-range", "rank_range", OptionKind::text, "A:B",
       "only the results with ranks A to B-1; rank 0 is the lexicographically largest; works with every sink",
       kProblem},
      {"--sample", "sample", OptionKind::integer, "K",
       "instead of a sink: K rows drawn independently, each row with the same probability", kProblem},
      {"--seed", "seed", OptionKind::integer, "S",
       "sample: 0 (default) to 2^64-1; the same seed gives the same rows everywhere", kProblem},
      {"--rank-of", "rank_of", OptionKind::integerList, "A1,A2,..",
       "instead of a sink: the rank of this factorization", kProblem},
      {"--row-at", "row_at", OptionKind::integer, "RANK", "instead of a sink: the factorization of this rank",
       kProblem},
      {"--algorithm", "algorithm", OptionKind::text, "auto|candidate|tabulated|dynamic|ranked",
       "how to step through them (default auto: the fastest for the request; the report says which)",
       kProblem},
      {"--fingerprint", "fingerprint", OptionKind::setTrue, "",
       "compute the fingerprint of the set beside the sink", kProblem},
      {"--tabulated-dimension", "tabulated_dimension", OptionKind::integer, "M",
       "tabulated: coordinates in the table; ranked: in stored rows, 2 to d - 1", kProblem},
      {"--no-modulo", "modulo", OptionKind::setFalse, "", "candidate: without the modulo jump", kProblem},
      {"--dynamic-parallelism", "dynamic_parallelism", OptionKind::text,
       "sequential|elementwise|factorizationwise", "dynamic and table fill: what runs in parallel", kProblem},
      {"--dynamic-on-gpu", "dynamic_on_gpu", OptionKind::setTrue, "", "dynamic and table fill on the GPU",
       kProblem}};
  return kOptions;
}

const std::vector<OptionSpec>& threeInLineOptions() {
  static const std::vector<OptionSpec> kOptions = {
      {"-n,--size", "size", OptionKind::integer, "N", "side of the grid, 1 to 32", kProblem},
      {"--symmetry", "symmetry", OptionKind::text,
       "none|c2|c4|diagonal|orthogonal|diagonals|orthogonals|full",
       "only solutions with at least these symmetries (default none: all solutions)", kProblem},
      {"--first", "first", OptionKind::integer, "K", "stop when K solutions are known, whichever come first",
       kProblem},
      {"--algorithm", "algorithm", OptionKind::text, "auto|table|posts",
       "how the cells of a line are found; the boards visited are the same (default auto: the fastest)",
       kProblem},
      {"--shards", "shards", OptionKind::integer, "S",
       "cut the search into S parts and run one; slicepool merge adds their records up", kProblem},
      {"--shard", "shard", OptionKind::integer, "I", "the part to run, 0 to S - 1", kProblem},
      {"--solutions", "solutions", OptionKind::setTrue, "",
       "keep the solutions in the report and in the record", kProblem},
      {"--output", "output.path", OptionKind::text, "FILE",
       "solutions to FILE.rle (for Golly), FILE.txt, FILE.json or FILE.svg (a sheet), or - for pictures on "
       "standard output",
       kFiles},
      {"--record", "record", OptionKind::text, "FILE",
       "what was found, for slicepool merge (default with shards: three-in-line-N-shard-I-of-S.json)",
       kFiles}};
  return kOptions;
}

const std::vector<OptionSpec>& latticeOptions() {
  static const std::vector<OptionSpec> kOptions = {
      {"--basis", "basis", OptionKind::text, "FILE",
       "the basis as fplll's matrix text, [[1 0] [0 2]], or as fpylll prints it; rows are vectors of "
       "integers, 1 to 160 "
       "of them",
       kProblem},
      {"--reduce", "reduction", OptionKind::text, "auto|none|lll|bkz-B",
       "reduction before the search, by fplll (default auto: LLL, of a basis that is not reduced)", kProblem},
      {"--squared-radius", "squared_radius", OptionKind::number, "R2",
       "vectors of at most this squared norm; exact, an integer or a decimal of any length", kProblem},
      {"--gh-factor", "gh_factor", OptionKind::number, "F",
       "the same with a radius R of F times the Gaussian heuristic (R^2 is F^2 GH^2, rounded up by 2^-44)",
       kProblem},
      {"--shortest", "shortest", OptionKind::setTrue, "",
       "a shortest vector (the default without a radius): the radius is that of the shortest row", kProblem},
      {"--fixed-radius", "fixed_radius", OptionKind::setTrue, "",
       "count all vectors within the radius; otherwise it shrinks to the shortest vector found so far",
       kProblem},
      {"--pruning", "pruning", OptionKind::text, "FILE|fplll:P",
       "pruning coefficients, one for each row, or those of fplll's pruner for a success probability P",
       kProblem},
      {"--solutions", "solutions", OptionKind::integer, "K|all",
       "keep the K shortest vectors (default 1); all writes every vector to --output, 0 only counts; any "
       "value but 1 fixes the radius",
       kProblem},
      {"--first", "first", OptionKind::integer, "K",
       "stop when K vectors within the radius are known, whichever come first", kProblem},
      {"--algorithm", "algorithm", OptionKind::text, "auto|compacted",
       "how GPUs search the tree; the nodes are the same (default auto: the fastest)", kProblem},
      {"--output", "output.path", OptionKind::text, "FILE",
       "vectors to FILE.npy or FILE.txt, or - for text on standard output", kFiles}};
  return kOptions;
}

const std::vector<OptionSpec>& semigroupOptions() {
  static const std::vector<OptionSpec> kOptions = {
      {"--named", "named", OptionKind::text,
       "bihecke:R|renner:R|full:N|symmetric:N|order-preserving:N|catalan:N", "generators of a family",
       kProblem},
      {"--generators", "generators", OptionKind::text, "FILE",
       "generators from a file: their number, n, then one image list per line, counted from 0; or JSON; or "
       "the "
       "lists themselves, [[1,0,2],[1,2,0]]",
       kProblem},
      {"--algorithm", "algorithm", OptionKind::text, "fingerprint|froidure-pin|words",
       "images of a few base points with a check, of all points, or every product from its word (default "
       "fingerprint)",
       kProblem},
      {"--idempotents", "idempotents", OptionKind::setTrue, "", "count the elements with x x = x", kProblem},
      {"--contains", "contains", OptionKind::integerList, "LIST",
       "whether the transformation with these images is an element", kProblem},
      {"--word-of", "word_of", OptionKind::integerList, "INDEX|LIST",
       "the shortest word of the element with this number or these images", kProblem},
      {"--max-elements", "max_elements", OptionKind::integer, "N",
       "stop after the stage that reaches N elements", kProblem},
      {"--max-stage", "max_stage", OptionKind::integer, "K", "stop after stage K, the words of length K",
       kProblem},
      {"--base", "base", OptionKind::integerList, "LIST",
       "fingerprint: base points to start with (the source points are always added)", kProblem},
      {"--fixed-base", "fixed_base", OptionKind::setTrue, "",
       "fingerprint: a base that does not separate the elements is an error", kProblem},
      {"--check", "check", OptionKind::text, "certificate|rules",
       "fingerprint: how the result is proved exact (default certificate; rules: every rule at all points)",
       kProblem},
      {"--elements", "output.elements", OptionKind::text, "FILE",
       "images of all elements to FILE.npy, shape (size, n)", kFiles},
      {"--words", "output.words", OptionKind::text, "FILE", "the word of each element, one a line", kFiles},
      {"--right-cayley-graph", "output.right_cayley_graph", OptionKind::text, "FILE",
       "x.g for all elements and generators to FILE.csv, FILE.dot or FILE.npy", kFiles},
      {"--left-cayley-graph", "output.left_cayley_graph", OptionKind::text, "FILE", "the same for g.x",
       kFiles},
      {"--rules", "output.rules", OptionKind::text, "FILE", "the complete shortlex system, one rule a line",
       kFiles}};
  return kOptions;
}

const std::vector<OptionSpec>& engineOptions() {
  static const std::vector<OptionSpec> kOptions = {
      {"--mode", "engine.mode", OptionKind::text, "cpu|gpu|hybrid|emulated|auto",
       "who works (default auto: CPU, and a GPU when there is one)", kWorkers},
      {"--threads", "engine.threads", OptionKind::integer, "N", "CPU workers (default all cores)", kWorkers},
      {"--device", "engine.device", OptionKind::integer, "I",
       "index of the one GPU to use (default all; see slicepool info)", kWorkers},
      {"--emulated-lanes", "engine.emulated.lanes", OptionKind::integer, "N", "emulated: slices per batch",
       kWorkers},
      {"--emulated-slowdown", "engine.emulated.slowdown_ms", OptionKind::number, "MS",
       "emulated: milliseconds added to every launch", kWorkers},
      {"--emulated-alone", "engine.emulated.cpu_workers", OptionKind::setFalse, "",
       "emulated: no CPU workers beside it", kWorkers},
      {"--emulated-fail-at", "engine.emulated.fail_at_launch", OptionKind::integer, "L",
       "emulated: this launch fails, counted from 0", kWorkers},
      {"--pool-order", "engine.pool_order", OptionKind::text, "lifo|fifo",
       "newest or oldest slice first (default lifo)", kTuning},
      {"--pool-capacity", "engine.pool_capacity", OptionKind::integer, "N",
       "slices the pool can hold (default 16384)", kTuning},
      {"--cpu-turn", "engine.cpu_turn_ms", OptionKind::number, "MS",
       "target length of a CPU turn (default 10)", kTuning},
      {"--cpu-budget", "engine.cpu_budget", OptionKind::integer, "STEPS",
       "fixed steps per CPU turn instead of a target", kTuning},
      {"--gpu-profile", "engine.gpu_profile", OptionKind::text, "low|default|high",
       "target length of a launch: 2, 12 or 96 ms", kTuning},
      {"--gpu-turn", "engine.gpu_turn_ms", OptionKind::number, "MS",
       "target length of a launch in milliseconds", kTuning},
      {"--gpu-budget", "engine.gpu_budget", OptionKind::integer, "STEPS",
       "fixed steps per slice and launch instead of a target", kTuning},
      {"--block-size", "engine.block_size", OptionKind::integer, "N",
       "GPU threads per block (default found by a warm-up)", kTuning},
      {"--gpu-granularity", "engine.gpu_granularity", OptionKind::text, "auto|thread|warp",
       "whether one GPU thread or one warp advances a slice (default auto: whichever is faster for the "
       "search)",
       kTuning},
      {"--device-lanes", "engine.device_lanes", OptionKind::integer, "N",
       "slices per batch on the GPU (default the device's choice)", kTuning},
      {"--memory-limit", "engine.memory_limit", OptionKind::text, "SIZE",
       "host memory, such as 4GiB (default half of what is free)", kFiles},
      {"--device-memory-limit", "engine.device_memory_limit", OptionKind::text, "SIZE",
       "device memory (default a share of what is free)", kFiles}};
  return kOptions;
}

const std::vector<OptionSpec>& rowOutputOptions() {
  static const std::vector<OptionSpec> kOptions = {
      {"--output", "output.path", OptionKind::text, "FILE",
       "rows to FILE.npy, FILE.npy.zst or FILE.csv, or - for CSV on standard output", kFiles},
      {"--element-type", "output.element_type", OptionKind::text, "auto|uint8|uint16|uint32|uint64",
       "type of the rows (default auto: the narrowest that holds every coordinate)", kFiles},
      {"--writing", "output.writing", OptionKind::text, "auto|mapped|streamed",
       ".npy: into the mapped file, or through buffers while it is enumerated (default auto: streamed when "
       "it is larger than the memory limit, sharded or compressed)",
       kFiles},
      {"--shard-rows", "output.shard_rows", OptionKind::integer, "N",
       "FILE-00000.npy, .. of N rows each, and FILE.manifest.json with their hashes", kFiles},
      {"--compression-level", "output.compression_level", OptionKind::integer, "1..22",
       ".npy.zst: fast to small (default 3)", kFiles},
      {"--frame-size", "output.frame_size", OptionKind::text, "SIZE",
       ".npy.zst: bytes compressed together (default 1MiB)", kFiles},
      {"--buffer-memory", "output.buffer_memory", OptionKind::text, "SIZE",
       "streamed: memory for rows on their way to the disk (default a quarter of the memory limit, at most "
       "1GiB)",
       kFiles},
      {"--writers", "output.writers", OptionKind::integer, "N",
       "streamed: threads that compress and write (default as many as pay)", kFiles},
      {"--header", "output.header", OptionKind::setTrue, "", "CSV: a first line with the names a1,a2,..",
       kFiles}};
  return kOptions;
}

std::vector<OptionSpec> runOptions(const char* checkpointHelp, Tracing tracing) {
  std::vector<OptionSpec> options = {
      {"--checkpoint", "checkpoint", OptionKind::text, "FILE", checkpointHelp, kFiles},
      {"--checkpoint-interval", "engine.checkpoint_interval_seconds", OptionKind::number, "SECONDS",
       "seconds between checkpoints (default 30)", kFiles},
      {"--resume", "resume", OptionKind::text, "FILE",
       "go on from a checkpoint of the same request; auto: from the one that this run would write, if it is "
       "there",
       kFiles},
      {"--time-limit", "time_limit_seconds", OptionKind::number, "SECONDS",
       "stop after that time (with a checkpoint if asked)", kFiles},
      {"--step-limit", "engine.step_limit", OptionKind::integer, "N",
       "stop after that many steps, at the same work on every machine (with a checkpoint if asked)", kFiles}};
  if (tracing == Tracing::offered) {
    options.push_back({"--trace", "trace", OptionKind::text, "FILE",
                       "write a Chrome trace-event file that opens in Perfetto", kFiles});
  }
  return options;
}

void OptionValues::add(CLI::App& app, const std::vector<OptionSpec>& specs) {
  for (const auto& spec : specs) {
    auto entry = std::make_unique<Entry>();
    entry->spec = spec;
    const bool isFlag = spec.kind == OptionKind::setTrue || spec.kind == OptionKind::setFalse;
    entry->option = isFlag ? app.add_flag(spec.flag, entry->flag, spec.help)
                           : app.add_option(spec.flag, entry->text, spec.help)->type_name(spec.type);
    entry->option->group(spec.group);
    entries_.push_back(std::move(entry));
  }
}

void OptionValues::apply(Json& document) const {
  for (const auto& entry : entries_)
    if (entry->option->count() > 0)
      config::setMember(document, entry->spec.path, valueOf(entry->spec, entry->text));
}

Json integerValue(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const bool digits = text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
  if (!digits) return text;
  const std::size_t first = std::min(text.find_first_not_of('0', sign), text.size() - 1);
  return numberFromLiteral(text.substr(0, sign) + text.substr(first));
}

Json numberValue(const std::string& text) {
  if (isNumberLiteral(text)) return numberFromLiteral(text);
  double value = 0;  // what C writes and JSON does not: .5 and 5.
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? Json(value) : Json(text);
}

Json integerList(const std::string& text) {
  Json list = Json::array();
  if (text.find_first_not_of(' ') == std::string::npos) return list;
  for (const auto& part : splitCommas(text)) list.push_back(integerValue(part));
  return list;
}

Json oneOrList(const std::string& text, bool integers) {
  Json list = Json::array();
  for (const auto& part : splitCommas(text)) list.push_back(integers ? integerValue(part) : Json(part));
  return list.size() == 1 ? list[0] : list;
}

}  // namespace slicepool::cli
