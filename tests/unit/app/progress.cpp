// What the command shows of progress and of a finished run: lines that fit every terminal, shares that never
// fall, estimates that were passed, idle workers in one line, rates of a resumed run.
#include <doctest/doctest.h>

#include <random>

#include "runtime/app/config/run_config.hpp"
#include "runtime/app/report/progress_view.hpp"
#include "runtime/app/report/record.hpp"
#include "runtime/app/report/sweep.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::report;
using slicepool::test::contains;

namespace {

Progress searching(double share, double seconds = 12) {
  Progress progress;
  progress.phase = Phase::search;
  progress.seconds = seconds;
  progress.steps = 123'456'789'012.0;
  progress.results = 987'654'321;
  progress.stepsPerSecond = 98'765'432;
  progress.doneShare = share;
  progress.secondsLeft = share < 0 ? -1 : 3725;
  return progress;
}

double percentIn(const std::string& line) {
  const auto sign = line.find(" %");
  REQUIRE(sign != std::string::npos);
  return std::stod(line.substr(line.find_last_not_of("0123456789.", sign - 1) + 1));
}

/// A run that was never run: a report and a few answers.
class FakeRun final : public config::WorkloadRun {
 public:
  void resumeFrom(const std::string&) override {}
  void run() override {}
  void cancel() noexcept override {}
  [[nodiscard]] bool finished() const override { return true; }
  [[nodiscard]] Progress progress() const override { return {}; }
  void collect() override {}
  [[nodiscard]] const RunReport& report() const override { return books; }
  [[nodiscard]] std::string savedTo() const override { return {}; }
  [[nodiscard]] config::Answers answers() const override {
    config::Answers answers;
    answers.line("count", "5");
    answers.line("any:2*a1 - a3 >= 5", "true");
    return answers;
  }
  RunReport books;
};

WorkerReport worker(const std::string& name, std::uint64_t steps) {
  WorkerReport made;
  made.name = name;
  made.kind = "cpu";
  made.steps = steps;
  made.share = steps == 0 ? 0 : 0.5;
  return made;
}

config::RunConfig someConfig() {
  return config::parseRunConfig(
      config::Json{{"workload", "factorizations"}, {"generators", {6, 9}}, {"element", 18}},
      config::Strictness::single);
}

}  // namespace

TEST_CASE("a bar is shorter than its terminal at every width, and shows the share at all but the smallest") {
  for (std::size_t width = 0; width <= 200; ++width) {
    for (const double share : {-1.0, 0.0, 0.4321, 1.0}) {
      for (const Phase phase : {Phase::search, Phase::devices, Phase::writing}) {
        ProgressView view;
        Progress progress = searching(share);
        progress.phase = phase;
        progress.rowsWritten = 123'456'789;
        progress.rowsToWrite = 3'456'789'012;
        const std::string line = view.bar(progress, width);
        CAPTURE(width);
        CAPTURE(line);
        CHECK((line.size() < width || (width < 2 && line.empty())));
        CHECK(line.find('\n') == std::string::npos);
        if (width > 10) CHECK(contains(line, " %"));
        if (width >= 100) CHECK(contains(line, "steps"));
      }
    }
  }
}

TEST_CASE("what is shown as done never falls, whatever the estimates say") {
  std::mt19937 random(3);
  ProgressView view;
  ProgressView lines;
  double shown = 0;
  for (int i = 0; i < 500; ++i) {
    const double share = random() % 5 == 0 ? -1 : static_cast<double>(random() % 1001) / 1000;
    const std::string bar = view.bar(searching(share), 80);
    if (i == 0 || contains(bar, "?")) continue;
    const double percent = percentIn(bar);
    CHECK(percent >= shown);
    CHECK(percent < 100);
    shown = percent;
    (void)lines.line(searching(share));
  }
  CHECK(percentIn(view.bar(searching(1), 80)) == doctest::Approx(99.9));
}

TEST_CASE("an estimate that was passed says so, and the bar keeps its form") {
  ProgressView view;
  CHECK(contains(view.bar(searching(-1), 120), "? %"));
  CHECK(contains(view.bar(searching(0.999), 120), "1h02m left"));
  const std::string passed = view.bar(searching(-1), 120);
  CHECK(contains(passed, "99.9 %"));
  CHECK(contains(passed, "more than expected"));
  CHECK(passed[0] == '[');
  CHECK(contains(view.bar(searching(0.97), 120), "99.9 %"));
  CHECK(contains(view.line(searching(-1)), "more than expected"));
}

TEST_CASE("a phase other than the search is named, without a rate of steps") {
  ProgressView view;
  Progress progress = searching(0.5);
  progress.phase = Phase::writing;
  progress.rowsWritten = 5'000'000;
  progress.rowsToWrite = 10'000'000;
  const std::string line = view.line(progress);
  CHECK(line ==
        "12.0 s 50.0 %, writing: 123 G steps, 988 M results, 5.00 M of 10.0 M rows written, 1h02m left");
  const auto json = progressJson(progress);
  CHECK(json["phase"] == "writing");
  CHECK(json["done"] == 0.5);
  CHECK(json["seconds_left"] == 3725);
  CHECK(json["rows_written"] == 5'000'000);
  progress.doneShare = progress.secondsLeft = -1;
  CHECK(progressJson(progress)["done"].is_null());
  CHECK(progressJson(progress)["seconds_left"].is_null());
}

TEST_CASE("a sweep says which point runs and how long the others take, from the start") {
  SweepStatus status;
  status.point = 1;
  status.points = 4;
  status.total = 8;
  status.label = "n=4 cpu";
  CHECK(sweepBar(status, 3, 0, 100) == "[" + std::string(30, ' ') + "]  0.0 %  point 1 of 4  3 s  n=4 cpu");
  status.point = 2;
  status.repetition = 2;
  status.run = 2;
  CHECK(contains(sweepBar(status, 20, 20, 100), "25.0 %  point 2 of 4  20 s  1m00s left"));
  CHECK(contains(sweepBar(status, 25, 20, 100), "55s left"));
  for (std::size_t width = 2; width < 100; ++width) CHECK(sweepBar(status, 25, 20, width).size() < width);
}

TEST_CASE("the readable report folds idle workers, keeps its columns and names the phases that matter") {
  FakeRun run;
  run.books.steps = 1000;
  run.books.seconds = 2;
  run.books.workers = {worker("cpu0", 500), worker("cpu1", 500)};
  for (int i = 2; i < 16; ++i) run.books.workers.push_back(worker("cpu" + std::to_string(i), 0));
  RunTimes times;
  times.wallSeconds = 10;
  times.phases = {0.05, 0, 0.5, 0, 2, 7.45, 0};
  const std::string text = readableReport(someConfig(), run, times);
  CAPTURE(text);
  CHECK(contains(text, "\n  14 more idle    cpu2, cpu3, ..\n"));
  CHECK_FALSE(contains(text, "cpu15"));
  CHECK(contains(text, "\nany:2*a1 - a3 >= 5\n" + std::string(18, ' ') + "true\n"));
  CHECK(
      contains(text, "\ntime              10.000 s: cutting 500.000 ms, search 2.000 s, writing 7.450 s\n"));
}

TEST_CASE("the rate of a resumed run is its own, and the record has both totals") {
  FakeRun run;
  run.books.steps = 52'000'000;
  run.books.stepsBefore = 40'000'000;
  run.books.seconds = 2;
  run.books.secondsBefore = 7;
  RunTimes times;
  times.wallSeconds = 3;
  times.phases = {0.5, 0, 0, 0, 2, 0.5, 0};
  const auto record = makeRecord(someConfig(), run, times);
  CHECK(record["steps_per_second"] == 6e6);
  CHECK(record["steps"] == 52'000'000);
  CHECK(record["resumed"]["steps_before"] == 40'000'000);
  CHECK(record["resumed"]["steps_of_this_run"] == 12'000'000);
  CHECK(record["resumed"]["seconds_before"] == 7);
  CHECK(record["resumed"]["seconds_in_all"] == 9);
  double sum = 0;
  for (const auto& phase : record["phases"].items()) sum += phase.value().get<double>();
  CHECK(sum == doctest::Approx(record["wall_seconds"].get<double>()));
  CHECK(contains(readableReport(someConfig(), run, times), "52000000 (6.00 M/s)"));
  run.books.stepsBefore = 0;
  run.books.secondsBefore = 0;
  CHECK_FALSE(makeRecord(someConfig(), run, times).contains("resumed"));
}

TEST_CASE("the report and the record say what auto or hybrid chose and why") {
  FakeRun run;
  RunTimes times;
  config::RunConfig config = someConfig();
  config.engine.mode = Mode::automatic;
  CHECK(makeRecord(config, run, times)["auto"].is_null());
  CHECK_FALSE(contains(readableReport(config, run, times), "\nauto "));
  AutomaticChoice& choice = run.books.automatic.emplace();
  choice.reason = "too little";
  CHECK(contains(readableReport(config, run, times), "\nauto              CPU alone: too little\n"));
  choice.devices = true;
  CHECK(
      contains(readableReport(config, run, times), "\nauto              GPUs from the start: too little\n"));
  choice = {.devices = true,
            .reason = "much is left",
            .askedSeconds = 0.021,
            .stepsPerSecond = 1.2e9,
            .stepsLeft = 6.4e9,
            .secondsLeft = 5.33};
  CHECK(contains(
      readableReport(config, run, times),
      "\nauto              GPUs asked for after 21.000 ms: much is left (6.40 G steps left, 1.20 G/s)\n"));
  const nlohmann::json record = makeRecord(config, run, times)["auto"];  // keys in any order
  CHECK(record == nlohmann::json::parse(R"({"devices": true, "reason": "much is left", "asked_seconds": 0.021,
      "steps_per_second": 1.2e9, "steps_left": 6.4e9, "seconds_left": 5.33})"));
  choice.stepsLeft.reset();
  CHECK(makeRecord(config, run, times)["auto"]["steps_left"].is_null());
  config.engine.mode = Mode::hybrid;
  CHECK(contains(readableReport(config, run, times), "\nhybrid            GPUs asked for after 21.000 ms: "));
  const nlohmann::json hybrid = makeRecord(config, run, times);
  CHECK(hybrid["hybrid"]["asked_seconds"] == 0.021);
  CHECK_FALSE(hybrid.contains("auto"));
  config.engine.mode = Mode::cpu;
  CHECK_FALSE(makeRecord(config, run, times).contains("auto"));
  CHECK_FALSE(makeRecord(config, run, times).contains("hybrid"));
}

TEST_CASE("the report says where the time of a device went that came late and was done early") {
  FakeRun run;
  run.books.steps = 1000;
  run.books.seconds = 2;
  WorkerReport gpu = worker("gpu0", 1000);
  gpu.kind = "gpu";
  gpu.readySeconds = 0.25;
  gpu.firstSeconds = 0.26;
  gpu.lastSeconds = 1.9;
  gpu.exchangeSeconds = 0.001;  // less than is shown
  run.books.workers = {gpu};
  const std::string text = readableReport(someConfig(), run, RunTimes{});
  CAPTURE(text);
  CHECK(contains(text,
                 ", ready after 250.000 ms, first slice after 260.000 ms, done before the end 100.000 ms"));
  CHECK_FALSE(contains(text, "exchanges"));
}
