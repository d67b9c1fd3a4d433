// What a trace shows beside the spans of workers: the start of GPUs, and the two ends of each worker.
#include "runtime/core/trace.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "runtime/io/exact_json.hpp"
#include "support/temporary_folder.hpp"

using namespace slicepool;

namespace {

using Events = std::vector<nlohmann::json>;

/// Those that `write` writes to the path that it gets.
template <class Write>
Events written(Write&& write) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("trace.json");
  write(path);
  std::ifstream file(path);
  return nlohmann::json::parse(file).at("traceEvents").get<Events>();
}

/// Begin and end of the asynchronous events of a name, in microseconds, by track.
std::map<int, std::pair<double, double>> timesOf(const Events& events, const std::string& name) {
  std::map<int, std::pair<double, double>> found;
  for (const auto& event : events) {
    if (event.at("name") != name) continue;
    if (event.at("ph") == "b") found[event.at("tid")].first = event.at("ts");
    if (event.at("ph") == "e") found[event.at("tid")].second = event.at("ts");
  }
  return found;
}

using Times = std::map<int, std::pair<double, double>>;

}  // namespace

TEST_CASE("a trace has ramp and tail of each worker that took a turn") {
  WorkerAccount early;
  book(early, {TraceSpan::Kind::turn, 1'000, 9'000, 10, 1});
  WorkerAccount late;
  book(late, {TraceSpan::Kind::launch, 4'000, 1'000, 10, 1});
  book(late, {TraceSpan::Kind::launch, 6'000, 1'500, 10, 1});
  WorkerAccount idle;
  const Events events = written([&](const std::string& path) {
    writeTrace(path, {&early, &late, &idle}, {}, {.begin = 1'000, .end = 10'000, .starts = {}});
  });
  CHECK(timesOf(events, "ramp") == Times{{2, {1, 4}}});
  CHECK(timesOf(events, "tail") == Times{{2, {7.5, 10}}});
}

TEST_CASE("asynchronous events of all workers have ids of their own") {
  std::vector<WorkerAccount> accounts(2);
  for (auto& account : accounts)
    for (const std::int64_t begin : {2'000, 3'000}) {
      account.spans.push_back({TraceSpan::Kind::launch, begin, 1'500, 10, 1});
      book(account, account.spans.back());
    }
  const Events events = written([&](const std::string& path) {
    writeTrace(path, {&accounts[0], &accounts[1]}, {}, {.begin = 1'000, .end = 10'000, .starts = {}});
  });
  std::map<std::string, int> begun;
  for (const auto& event : events)
    if (event.at("ph") == "b")
      ++begun[event.at("cat").get<std::string>() + " " + event.at("id").get<std::string>()];
  CHECK(begun.size() == 8);  // of each worker two launches, its ramp and its tail
}

TEST_CASE("a trace has the start of GPUs on a track of its own, also what was over before the run") {
  const Events events = written([&](const std::string& path) {
    writeTrace(path, {}, {},
               {.begin = 0,
                .end = 10'000,
                .starts = {{"driver", -500'000, -100'000},
                           {"context of GPU 0", -100'000, 2'000},
                           {"device of GPU 0", 3'000, 4'000}}});
  });
  CHECK(timesOf(events, "driver") == Times{{0, {0, 0}}});
  CHECK(timesOf(events, "context of GPU 0") == Times{{0, {0, 2}}});
  CHECK(timesOf(events, "device of GPU 0") == Times{{0, {3, 4}}});
  bool named = false;
  for (const auto& event : events) {
    if (event.at("name") == "driver" && event.at("ph") == "b") {
      CHECK(event.at("args").at("begin_us") == -500);
      CHECK(event.at("args").at("end_us") == -100);
    }
    named = named || (event.at("name") == "thread_name" && event.at("args").at("name") == "start of GPUs");
  }
  CHECK(named);
}

TEST_CASE("a trace without GPUs has no track for their start") {
  for (const auto& event : written([](const std::string& path) { writeTrace(path, {}, {}); }))
    CHECK(event.at("name") == "process_name");
}
