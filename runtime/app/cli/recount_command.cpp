// `slicepool recount`: random finished shards once more, and whether they find the same.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/cli/plan_shard.hpp"
#include "runtime/app/cli/recount_draw.hpp"
#include "runtime/app/cli/recount_source.hpp"
#include "runtime/app/cli/scratch_folder.hpp"
#include "runtime/app/cli/signals.hpp"
#include "runtime/app/cli/watched_run.hpp"
#include "runtime/app/config/parameter.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/execute.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/core/kept_values.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::cli {
namespace {

using cluster::PlanFiles;
using config::Json;

constexpr double kDefaultFraction = 0.01;

struct RecountArguments {
  std::string path;
  std::string fraction;
  std::string shards;
  std::string seed;
  std::string scratch;
  Display display;
  OptionValues engine;
};

struct Drawn {
  std::vector<std::uint64_t> shards;
  std::uint64_t seed = 0;
};

/// Two runs without --seed draw others. Short enough to be typed again.
std::uint64_t seedOf(const RecountArguments& arguments) {
  if (arguments.seed.empty()) return std::random_device{}();
  return config::requireUnsigned(integerValue(arguments.seed), "--seed", 0, config::kMaximumInteger);
}

std::uint64_t numberOf(const RecountArguments& arguments, std::uint64_t done) {
  if (!arguments.shards.empty()) {
    if (!arguments.fraction.empty())
      throw ConfigError("--shards", "\"" + arguments.shards + "\" beside --fraction", "one of the two");
    return config::requireUnsigned(integerValue(arguments.shards), "--shards", 1, done);
  }
  if (arguments.fraction.empty()) return numberOfFraction(done, kDefaultFraction);
  const double fraction = config::requireNumber(numberValue(arguments.fraction), "--fraction", 0, 1);
  if (fraction <= 0) throw ConfigError("--fraction", arguments.fraction, "a number above 0, and 1 at most");
  return numberOfFraction(done, fraction);
}

/// The shard as a run of its own on this machine: its search is the plan's, how it runs is the command's.
Json documentOf(const RecountArguments& arguments, const config::ShardConfig& shard) {
  Json document = shard.document;
  for (const char* how : {"engine", "time_limit_seconds", "description"}) document.erase(how);
  arguments.engine.apply(document);
  return document;
}

/// One shard that was computed again.
struct Recounted {
  std::uint64_t shard = 0;
  std::string mode;
  std::vector<report::Difference> differences;
};

class Recount {
 public:
  Recount(const RecountArguments& arguments, const RecountSource& source)
      : arguments_(arguments),
        source_(source),
        rule_(config::requireWorkload(source.plan.config).shards),
        scratch_(arguments.scratch) {}

  /// Nothing: it was stopped. Throws what runs throw.
  std::optional<Recounted> shard(std::uint64_t shard, const report::ShardResults& expected,
                                 const report::StopRequest& stop) {
    if (rule_.verify) rule_.verify(shardOf(source_.plan, PlanFiles(source_.path, source_.plan.stem), shard));
    const bool writes = !source_.plan.shards[shard].outputs.empty();
    const PlanFiles files((writes ? scratch_.path() : std::string(".")) + "/plan.json", source_.plan.stem);
    const config::ShardConfig planned = shardConfigOf(source_.plan, files, shard);
    const auto config = config::parseRunConfig(documentOf(arguments_, planned), config::Strictness::single);
    const auto execution = executeWatched(config, arguments_.display.progress, stop);
    if (!execution || !execution->run->finished()) return std::nullopt;
    const Json record = report::makeRecord(config, *execution->run, execution->times);
    Recounted result{shard, record.value("mode", std::string()),
                     report::differencesOf(expected, report::resultsOf(rule_, record, planned.outputs))};
    scratch_.remove();
    return result;
  }

 private:
  const RecountArguments& arguments_;
  const RecountSource& source_;
  const config::ShardRule& rule_;
  ScratchFolder scratch_;
};

std::string differenceText(const report::Difference& difference) {
  const auto text = [](const Json& value) {
    return value.is_null() ? std::string("nothing") : config::describeValue(value);
  };
  return fmt::format("{}: expected {}, found {}", difference.what, text(difference.expected),
                     text(difference.found));
}

struct Outcome {
  Drawn drawn;
  std::vector<Recounted> shards;  ///< those that were computed again, in order
  double seconds = 0;

  [[nodiscard]] std::vector<std::uint64_t> numbers(bool differ) const {
    std::vector<std::uint64_t> found;
    for (const auto& shard : shards)
      if (shard.differences.empty() != differ) found.push_back(shard.shard);
    return found;
  }
  [[nodiscard]] bool stopped() const { return shards.size() < drawn.shards.size(); }
  [[nodiscard]] std::string status() const {
    if (!numbers(true).empty()) return "differs";
    return stopped() ? "stopped" : "agrees";
  }
};

Json differencesRecord(const RecountSource& source, const Outcome& outcome) {
  Json list = Json::array();
  for (const auto& shard : outcome.shards) {
    if (shard.differences.empty()) continue;
    Json differences = Json::array();
    for (const auto& one : shard.differences)
      differences.push_back({{"what", one.what}, {"expected", one.expected}, {"found", one.found}});
    list.push_back({{"shard", shard.shard},
                    {"record", source.record(shard.shard)},
                    {"differences", std::move(differences)}});
  }
  return list;
}

std::string jsonText(const RecountSource& source, const Outcome& outcome) {
  std::vector<std::uint64_t> all;
  std::vector<std::string> modes;
  for (const auto& shard : outcome.shards) {
    all.push_back(shard.shard);
    if (std::find(modes.begin(), modes.end(), shard.mode) == modes.end()) modes.push_back(shard.mode);
  }
  Json record = {{"recount", source.path},
                 {"workload", source.plan.workload},
                 {"status", outcome.status()},
                 {"shards", source.plan.shards.size()},
                 {"done", source.done.size()},
                 {"seed", config::exactNumber(outcome.drawn.seed)},
                 {"drawn", outcome.drawn.shards.size()},
                 {"recounted", all},
                 {"agree", outcome.numbers(false).size()},
                 {"differ", differencesRecord(source, outcome)},
                 {"modes", modes},
                 {"seconds", outcome.seconds},
                 {"machine", report::machineRecord(startedGpus() != nullptr)},
                 {"build", report::buildRecord()}};
  return record.dump() + "\n";
}

std::string readableText(const RecountSource& source, const Outcome& outcome) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{:<17} {}\n", name, value);
  };
  const auto& front = config::requireWorkload(source.plan.config);
  line(source.path, fmt::format("{} {}", source.plan.workload, problemLabel(front, source.plan.config)));
  line("shards", fmt::format("{}, {} done", source.plan.shards.size(), source.done.size()));
  line("drawn", fmt::format("{}, with seed {}", outcome.drawn.shards.size(), outcome.drawn.seed));
  const auto differ = outcome.numbers(true);
  const auto agree = outcome.numbers(false);
  line("agree", fmt::format("{}{}", agree.size(), agree.empty() ? "" : ": " + numberList(agree)));
  if (!differ.empty()) line("differ", fmt::format("{}: {}", differ.size(), numberList(differ)));
  for (const auto& shard : outcome.shards)
    for (const auto& one : shard.differences) line(fmt::format("  {}", shard.shard), differenceText(one));
  line("time", report::shortSeconds(outcome.seconds));
  return text;
}

Outcome recountAll(const RecountArguments& arguments, const RecountSource& source) {
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome;
  outcome.drawn.seed = seedOf(arguments);
  outcome.drawn.shards = drawShards(source.done, numberOf(arguments, source.done.size()), outcome.drawn.seed);
  report::StopRequest stop;
  const SignalWatcher signals(stop);
  // Damage is said before time is spent.
  std::vector<report::ShardResults> expected;
  for (const auto shard : outcome.drawn.shards) expected.push_back(source.expected(shard));
  Recount recount(arguments, source);
  const KeepValues kept;
  for (std::size_t i = 0; i < expected.size() && !stop.requested(); ++i) {
    const std::uint64_t shard = outcome.drawn.shards[i];
    spdlog::info("shard {}, {} of {}", shard, i + 1, expected.size());
    auto one = recount.shard(shard, expected[i], stop);
    if (!one) break;
    // At once: what comes later may fail.
    for (const auto& difference : one->differences)
      spdlog::error("shard {} differs from {}: {}", shard, source.record(shard), differenceText(difference));
    outcome.shards.push_back(std::move(*one));
  }
  std::sort(outcome.shards.begin(), outcome.shards.end(),
            [](const Recounted& a, const Recounted& b) { return a.shard < b.shard; });
  outcome.seconds = secondsSince(begin);
  return outcome;
}

int runRecount(const RecountArguments& arguments) {
  const RecountSource source = openRecountSource(arguments.path);
  const Outcome outcome = recountAll(arguments, source);
  writeOut(arguments.display.json ? jsonText(source, outcome) : readableText(source, outcome));
  if (outcome.stopped())
    spdlog::error("stopped by a signal after {} of {} shards; --seed {} draws the same ones again",
                  outcome.shards.size(), outcome.drawn.shards.size(), outcome.drawn.seed);
  return outcome.status() == "agrees" ? kDone : kFailed;
}

}  // namespace

Action addRecountCommand(CLI::App& app) {
  auto arguments = std::make_shared<RecountArguments>();
  auto& a = *arguments;
  app.add_option("PLAN", a.path,
                 "a plan, as slicepool plan writes it, with finished shards beside it; or a log of merge "
                 "--digests")
      ->type_name("FILE")
      ->required();
  app.add_option("--fraction", a.fraction,
                 "of the finished shards: at least so many, and at least one (default 0.01)")
      ->type_name("X");
  app.add_option("--shards", a.shards, "instead of --fraction: how many of the finished shards")
      ->type_name("K");
  app.add_option("--seed", a.seed,
                 "draws the same shards as another recount (default: another draw each time)")
      ->type_name("N");
  app.add_option("--scratch", a.scratch,
                 "where a folder for outputs of the drawn shards is made and removed (default: the system's "
                 "temporary folder)")
      ->type_name("FOLDER");
  a.engine.add(app, config::engineParameters());
  addDisplay(app, a.display);
  app.footer(
      "Random finished shards are computed again, on this machine and in the mode given, and compared with "
      "what\n"
      "their runs have found: counts, nodes, fingerprint, and the content of output files. Nothing beside "
      "the plan\n"
      "is changed. Exit code 1 when a shard differs; each is named with what was expected and found.\n"
      "Examples:\n"
      "  slicepool recount plan.json --fraction 0.01 --mode cpu\n"
      "  slicepool recount plan.json --shards 2 --seed 7");
  return [arguments] { return runRecount(*arguments); };
}

}  // namespace slicepool::cli
