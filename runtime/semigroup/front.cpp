// The semigroup workload for the command and the sweeps: its parameters, and an Outcome as a record and as
// readable lines.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/config/front.hpp"
#include "runtime/semigroup/front_request.hpp"
#include "runtime/semigroup/request_check.hpp"

namespace slicepool::config {
namespace {

using semigroup::Request;

constexpr double kLongStage = 0.5;  ///< seconds: such a stage is worth a line of the log
constexpr std::size_t kShownStages = 16;

class SemigroupRun final : public EnumerationRun<semigroup::Enumeration> {
 public:
  SemigroupRun(const Request& request, const RunConfig& config)
      : EnumerationRun(withStageLog(request), config), request_(request) {}

  [[nodiscard]] Answers answers() const override {
    const std::string algorithm = semigroup::algorithmName(request_.algorithm);
    Answers answers;
    answers.record("n", outcome_.points);
    answers.add("generators", outcome_.generators, "monoid",
                fmt::format("{} generators of {} points, algorithm {}", outcome_.generators, outcome_.points,
                            algorithm));
    answers.record("algorithm", algorithm);
    answers.add(outcome_.complete ? "size" : "partial_size", exactNumber(outcome_.size),
                outcome_.complete ? "size" : "partial size",
                fmt::format("{}{}", outcome_.size, outcome_.limited ? ", stopped by a limit" : ""));
    if (outcome_.complete) answers.record("count", exactNumber(outcome_.size));
    answers.record("limited", outcome_.limited);
    answers.add("stages", outcome_.stages, "stages", stagesText());
    answers.add("rules", exactNumber(outcome_.rules), "rules", std::to_string(outcome_.rules));
    if (outcome_.idempotents) {
      answers.add("idempotents", exactNumber(*outcome_.idempotents), "idempotents",
                  std::to_string(*outcome_.idempotents));
    }
    addBase(answers);
    addMembership(answers);
    addPhasesAndFiles(answers);
    answers.record("peak_bytes", outcome_.run.peakHostBytes);
    return answers;
  }

 private:
  static Request withStageLog(Request request) {
    request.onStage = [](const semigroup::StageReport& stage) {
      if (stage.seconds < kLongStage) return;
      spdlog::info("stage {}: {} new, {} elements, {:.2f} s", stage.stage, stage.found, stage.elements,
                   stage.seconds);
    };
    return request;
  }

  void addBase(Answers& answers) const {
    answers.record("base", outcome_.base);
    answers.record("restarts", outcome_.restarts);
    if (outcome_.base.empty()) return;
    answers.line(
        "base",
        fmt::format("{}{}", fmt::join(outcome_.base, ","),
                    outcome_.restarts == 0 ? "" : fmt::format(", grown {} times", outcome_.restarts)));
  }

  void addMembership(Answers& answers) const {
    if (request_.contains) {
      const auto& element = outcome_.containedAs;
      answers.add("contains", element.has_value(), "contains",
                  element ? fmt::format("yes, element {}", *element)
                          : (outcome_.complete ? "no" : "not among those found"));
      if (element) answers.record("contained_as", *element);
    }
    if (!request_.wordOf && !request_.wordOfNumber) return;
    answers.add("word", outcome_.word ? Json(*outcome_.word) : Json(), "word", wordText());
    if (outcome_.wordOfNumber) answers.record("word_of_element", *outcome_.wordOfNumber);
  }

  void addPhasesAndFiles(Answers& answers) const {
    Json phases = Json::object();
    for (const auto& [name, seconds] : outcome_.phaseSeconds) {
      phases[name] = seconds;
      if (request_.algorithm == semigroup::Algorithm::words)
        answers.line("  " + name, fmt::format("{:.3f} s", seconds));
    }
    answers.record("phase_seconds", std::move(phases));
    Json files = Json::array();
    for (const auto& file : outcome_.files) {
      files.push_back({{"what", file.what}, {"path", file.path}, {"bytes", file.bytes}});
      answers.line(file.what, outputText(file.path, file.bytes));
    }
    if (!files.empty()) answers.record("files", std::move(files));
    if (outcome_.checkpointPath.empty()) return;
    answers.record("checkpoint", outcome_.checkpointPath);
    if (outcome_.limited) answers.line("checkpoint", outcome_.checkpointPath);
  }

  [[nodiscard]] std::string wordText() const {
    if (!outcome_.word) return outcome_.complete ? "none: not an element" : "none: not among those found";
    if (outcome_.word->empty()) return fmt::format("the empty word, element {}", *outcome_.wordOfNumber);
    return fmt::format("{}, element {}", fmt::join(*outcome_.word, " "), *outcome_.wordOfNumber);
  }

  [[nodiscard]] std::string stagesText() const {
    const auto& stages = outcome_.stages;
    if (stages.size() <= kShownStages)
      return fmt::format("0 to {}: {}", stages.size() - 1, fmt::join(stages, " "));
    const auto middle = stages.begin() + kShownStages - 4;
    return fmt::format("0 to {}: {} .. {}", stages.size() - 1, fmt::join(stages.begin(), middle, " "),
                       fmt::join(stages.end() - 3, stages.end(), " "));
  }

  Request request_;
};

constexpr const char* kImageDescription = "an image: an integer from 0 to n - 1";
constexpr const char* kGraphFile = "a file name that ends in .csv, .dot, .gv or .npy";

Json image() { return domain::digits(kImageDescription, 0); }
Json imageList() { return domain::list("a list of points, 0-based", image()); }

/// A file, or the lists themselves.
Json generators() {
  Json file = domain::text("");
  Json lists = domain::list("", imageList(), 1, semigroup::kMaximumGenerators);
  for (Json* node : {&file, &lists}) node->erase("description");
  return domain::oneOf("a file of generators, or a list of image lists of one length", {file, lists});
}

std::vector<Parameter> problem() {
  return {
      {.member = "named",
       .flag = "--named",
       .type = "bihecke:R|renner:R|full:N|symmetric:N|order-preserving:N|catalan:N",
       .help = "generators of a family",
       .domain = domain::text(
           "bihecke:R (R from 2 to 8), renner:R (1 to 10), full:N, symmetric:N, order-preserving:N "
           "or catalan:N (1 to 64)"),
       .sweep = Sweep::axis},
      {.member = "generators",
       .flag = "--generators",
       .type = "FILE",
       .help = "generators from a file: their number, n, then one image list per line, counted from 0; or "
               "JSON; or the "
               "lists themselves, [[1,0,2],[1,2,0]]",
       .domain = generators(),
       .sweep = Sweep::rows,
       .label = [](const Json& value) { return "<" + labelValue(value) + ">"; },
       .namesFile = true},
      {.member = "algorithm",
       .flag = "--algorithm",
       .help = "images of a few base points with a check, of all points, or every product from its word",
       .standard = "fingerprint",
       .domain = domain::words({"fingerprint", "froidure-pin", "words"}),
       .sweep = Sweep::axis},
      {.member = "idempotents",
       .flag = "--idempotents",
       .given = Given::setTrue,
       .help = "count the elements with x x = x",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::axis},
      {.member = "contains",
       .flag = "--contains",
       .given = Given::integerList,
       .type = "LIST",
       .help = "whether the transformation with these images is an element",
       .domain = imageList()},
      {.member = "word_of",
       .flag = "--word-of",
       .given = Given::integerList,
       .type = "INDEX|LIST",
       .help = "the shortest word of the element with this number or these images",
       .domain = domain::oneOf("the number of an element, or its images", {image(), imageList()})},
      {.member = "max_elements",
       .flag = "--max-elements",
       .given = Given::integer,
       .type = "N",
       .help = "stop after the stage that reaches N elements",
       .domain = domain::digits("an integer from 1 to 1073741822", 1),
       .sweep = Sweep::axis},
      {.member = "max_stage",
       .flag = "--max-stage",
       .given = Given::integer,
       .type = "K",
       .help = "stop after stage K, the words of length K",
       .domain = domain::digits("an integer from 0 to 1073741822", 0),
       .sweep = Sweep::axis},
      {.member = "base",
       .flag = "--base",
       .given = Given::integerList,
       .type = "LIST",
       .help = "fingerprint: base points to start with (the source points are always added)",
       .domain = imageList(),
       .sweep = Sweep::rows},
      {.member = "fixed_base",
       .flag = "--fixed-base",
       .given = Given::setTrue,
       .help = "fingerprint: a base that does not separate the elements is an error",
       .domain = domain::trueOrFalse(),
       .sweep = Sweep::rows},
      {.member = "check",
       .flag = "--check",
       .help = "fingerprint: how the result is proved exact; rules: every rule at all points",
       .standard = "certificate",
       .domain = domain::words({"certificate", "rules"}),
       .sweep = Sweep::axis},
  };
}

std::vector<Parameter> outputs() {
  return {
      {.member = "output.elements",
       .flag = "--elements",
       .type = "FILE",
       .help = "images of all elements to FILE.npy, shape (size, n)",
       .group = kFilesGroup,
       .domain = domain::text("a file name that ends in .npy")},
      {.member = "output.words",
       .flag = "--words",
       .type = "FILE",
       .help = "the word of each element, one a line",
       .group = kFilesGroup,
       .domain = domain::fileName()},
      {.member = "output.right_cayley_graph",
       .flag = "--right-cayley-graph",
       .type = "FILE",
       .help = "x.g for all elements and generators to FILE.csv, FILE.dot or FILE.npy",
       .group = kFilesGroup,
       .domain = domain::text(kGraphFile)},
      {.member = "output.left_cayley_graph",
       .flag = "--left-cayley-graph",
       .type = "FILE",
       .help = "the same for g.x",
       .group = kFilesGroup,
       .domain = domain::text(kGraphFile)},
      {.member = "output.rules",
       .flag = "--rules",
       .type = "FILE",
       .help = "the complete shortlex system, one rule a line",
       .group = kFilesGroup,
       .domain = domain::fileName()},
  };
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> all = problem();
  for (auto& output : outputs()) all.push_back(std::move(output));
  return all;
}

std::unique_ptr<WorkloadRun> prepare(const RunConfig& config, Strictness) {
  return std::make_unique<SemigroupRun>(parseSemigroupRequest(config), config);
}

void check(const RunConfig& config, Strictness) { semigroup::checkSource(parseSemigroupRequest(config)); }

Json identity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}};
  for (const char* key : {"named", "generators"})
    if (document.contains(key)) identity[key] = document[key];
  return identity;
}

bool coversEverything(const Json& document) {
  return !document.contains("max_elements") && !document.contains("max_stage");
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::semigroup {

config::Front front() {
  return {
      .name = "semigroup",
      .title = "The monoid that transformations generate: elements, words, Cayley graphs, rules.",
      .summary = "the monoid that transformations generate",
      .step = "A step is one product of an element and a generator, or one pair that a round looks at.",
      .parameters = config::parameters(),
      .outputs =
          "an object with the files to write: elements, words, right_cayley_graph, left_cayley_graph, rules",
      // Stages use no pool and no batches of slices; their many short runs have no trace.
      .unused = {"engine.pool_order", "engine.pool_capacity", "engine.cpu_turn_ms", "engine.gpu_profile",
                 "engine.gpu_turn_ms", "engine.gpu_budget", "engine.block_size", "engine.gpu_granularity",
                 "engine.device_lanes", "engine.emulated.result_capacity", "trace"},
      .notes =
          "Elements are numbered in shortlex order of their words; 0 is the identity, the empty word. Words "
          "act\n"
          "from left to right. Numbers, words, graphs and rules are the same in every mode.",
      .examples = {"--named bihecke:5 --idempotents",
                   "--generators maps.txt --elements elements.npy --words words.txt",
                   "--named full:4 --word-of 0,0,0,0 --right-cayley-graph graph.dot",
                   "--named bihecke:7 --max-stage 9 --checkpoint bihecke7.ckpt"},
      .firstExample = "--named bihecke:5",
      .prepare = config::prepare,
      .check = config::check,
      .identity = config::identity,
      .countsEverything = config::coversEverything,
      .shards = {.refusal = "each round needs all elements of the rounds before it, so that no part of the "
                            "exploration can be done alone"}};
}

}  // namespace slicepool::semigroup
