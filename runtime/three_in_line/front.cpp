// The three_in_line workload for the command and the sweeps: its parameters, and an Outcome as a record and
// as readable lines.
#include <fmt/format.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/config/front.hpp"
#include "runtime/three_in_line/front_request.hpp"
#include "runtime/three_in_line/front_shards.hpp"
#include "runtime/three_in_line/request_check.hpp"
#include "runtime/three_in_line/shard_record.hpp"

namespace slicepool::config {
namespace {

using three_in_line::Enumeration;
using three_in_line::Request;

constexpr std::size_t kShownSolutions = 3;  ///< pictures in the readable report

class ThreeInLineRun final : public EnumerationRun<Enumeration> {
 public:
  ThreeInLineRun(const Request& request, const RunConfig& config)
      : EnumerationRun(request, config), request_(request) {}

  [[nodiscard]] Answers answers() const override {
    Answers answers;
    answers.record("n", request_.size);
    answers.record("symmetry", groupName(request_.group));
    answers.record("algorithm", algorithmName(request_.algorithm));
    answers.addShard(request_.shard, request_.shards, "boards", outcome_.boards);
    addFindings(answers, outcome_.findings, finished());
    if (showsSolutions()) {
      answers.record("solutions", solutionsToJson(outcome_.solutions, request_.size));
      addPictures(answers);
    }
    answers.addOutput(outcome_.outputPath, outcome_.outputBytes);
    if (!outcome_.recordPath.empty())
      answers.add("record", outcome_.recordPath, "record", outcome_.recordPath);
    return answers;
  }

 private:
  /// Solutions that went to a file are not shown as well.
  [[nodiscard]] bool showsSolutions() const {
    return finished() && (request_.solutions || request_.first != 0) && request_.outputPath.empty();
  }

  void addPictures(Answers& answers) const {
    const auto& solutions = outcome_.solutions;
    for (std::size_t i = 0; i < std::min(solutions.size(), kShownSolutions); ++i) {
      for (int y = 0; y < request_.size; ++y) {
        std::string row;
        for (int x = 0; x < request_.size; ++x) row += (solutions[i].rows[y] >> x & 1U) != 0 ? "o " : ". ";
        row.pop_back();
        answers.line(y == 0 ? fmt::format("solution {}", i + 1) : "", row);
      }
    }
    if (solutions.size() > kShownSolutions)
      answers.line("", fmt::format(".. ({} solutions)", solutions.size()));
  }

  Request request_;
};

bool coversEverything(const Json& document) {
  const bool sharded = document.contains("shards") && document["shards"] != Json(1);
  return !document.contains("first") && !sharded;
}

std::vector<Parameter> parameters() {
  return {
      {.member = "size",
       .flag = "-n,--size",
       .given = Given::integer,
       .type = "N",
       .help = "side of the grid, 1 to 32",
       .domain = domain::digits("an integer from 1 to 32", 1, three_in_line::kMaximumSize),
       .required = true,
       .sweep = Sweep::axis,
       .label = [](const Json& value) { return "n=" + labelValue(value); }},
      {.member = "symmetry",
       .flag = "--symmetry",
       .help = "only solutions with at least these symmetries",
       .standard = "none: all solutions",
       .domain =
           domain::words({"none", "c2", "c4", "diagonal", "orthogonal", "diagonals", "orthogonals", "full"}),
       .sweep = Sweep::axis},
      {.member = "first",
       .flag = "--first",
       .given = Given::integer,
       .type = "K",
       .help = "stop when K solutions are known; which ones may differ from run to run",
       .domain = domain::digits("solutions to stop at: an integer from 1 to 2^63-1", 1),
       .sweep = Sweep::axis},
      {.member = "algorithm",
       .flag = "--algorithm",
       .help = "how the cells of a line are found; the boards visited are the same",
       .standard = "auto: the fastest",
       .domain = domain::words({"auto", "table", "posts"}),
       .sweep = Sweep::axis},
      shardsParameter("cut the search into S parts and run one; slicepool merge adds their records up",
                      three_in_line::kMaximumShards),
      shardParameter(three_in_line::kMaximumShards),
      {.member = "solutions",
       .flag = "--solutions",
       .given = Given::setTrue,
       .help = "keep the solutions in the report and in the record",
       .domain = domain::trueOrFalse()},
      {.member = "output.path",
       .flag = "--output",
       .type = "FILE",
       .help = "solutions to FILE.rle (for Golly), FILE.txt, FILE.json or FILE.svg (a sheet), or - for "
               "pictures on "
               "standard output",
       .group = kFilesGroup,
       .domain = domain::text(
           "a file name that ends in .rle, .txt, .json or .svg, or - for pictures on standard output")},
      {.member = "record",
       .flag = "--record",
       .type = "FILE",
       .help = "what was found, for slicepool merge",
       .standard = "with shards: three-in-line-N-shard-I-of-S.json",
       .group = kFilesGroup,
       .domain = domain::fileName()},
  };
}

std::unique_ptr<WorkloadRun> prepare(const RunConfig& config, Strictness) {
  return std::make_unique<ThreeInLineRun>(parseThreeInLineRequest(config), config);
}

void check(const RunConfig& config, Strictness) {
  three_in_line::checkRequest(parseThreeInLineRequest(config), config.engine);
}

Json identity(const Json& document) {
  return Json{{"workload", document.at("workload")},
              {"size", document.at("size")},
              {"symmetry", document.value("symmetry", std::string("none"))}};
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::three_in_line {

config::Front front() {
  return {.name = "three_in_line",
          .title = "All ways to place 2n points on an n x n grid with no three in line.",
          .summary = "2n points on an n x n grid with no three in line",
          .step = "A step is one visited board.",
          .parameters = config::parameters(),
          .outputs = "an object with the path of the solutions",
          .notes = "Counts are exact; solutions and the number of visited boards are the same in every mode.",
          .examples = {"-n 10", "-n 8 --output solutions.svg", "-n 16 --symmetry c4 --output solutions.rle",
                       "-n 12 --first 1", "-n 14 --checkpoint search.ckpt --resume auto",
                       R"(-n 15 --shards 64 --shard 7
  slicepool merge three-in-line-15-shard-*-of-64.json)"},
          .firstExample = "-n 8 --output solutions.svg",
          .prepare = config::prepare,
          .check = config::check,
          .identity = config::identity,
          .countsEverything = config::coversEverything,
          .shards = config::threeInLineShards(),
          .records = config::threeInLineRecords()};
}

}  // namespace slicepool::three_in_line
