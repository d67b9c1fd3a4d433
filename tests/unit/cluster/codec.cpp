// Messages as bytes: what goes in comes out, and nothing that is cut, longer or foreign gets through.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/cluster/codec.hpp"
#include "slicepool/core/error.hpp"
#include "support/interval_workload.hpp"

using namespace slicepool;
using namespace slicepool::cluster;

namespace {

using Interval = TypedProblem<test::IntervalWorkload, Collect<std::uint64_t>>;
using Slice = test::IntervalWorkload::Slice;

Interval intervalProblem() {
  ProblemTraits traits;
  traits.workload = "interval";
  return {test::IntervalWorkload::View{3, true}, {{0, 1000}}, traits};
}

Message fullCommit() {
  Message message;
  message.kind = MessageKind::commit;
  message.lease = 77;
  message.seconds = 1.5;
  message.steps = 12;
  auto& content = message.content;
  content.workload = "interval";
  content.identity = "salt 3";
  content.sliceBytes = sizeof(Slice);
  content.shared = 41;
  content.steps = 900;
  content.seconds = 0.25;
  content.words = {1, 2, 3};
  content.consumer.resize(24, std::byte{7});
  const std::vector<Slice> slices{{0, 5}, {10, 20}, {900, 1000}};
  content.slices.resize(slices.size() * sizeof(Slice));
  std::memcpy(content.slices.data(), slices.data(), content.slices.size());
  WorkerReport worker;
  worker.name = "cpu0";
  worker.steps = 900;
  worker.busySeconds = 0.125;
  message.report.workers = {worker, worker};
  message.report.workers[1].name = "gpu0";
  message.report.workers[1].device = "a GPU";
  message.report.splits = 5;
  message.report.peakHostBytes = 1000;
  message.report.peakDeviceBytes = 2000;
  message.report.warnings = {"one", ""};
  return message;
}

}  // namespace

TEST_CASE("a commit comes out as it went in, its slices as a set") {
  const Interval problem = intervalProblem();
  const Message sent = fullCommit();
  const Message got = decode(encode(sent, problem), problem);
  CHECK(got.kind == sent.kind);
  CHECK(got.lease == sent.lease);
  CHECK(got.steps == sent.steps);
  CHECK(got.content.workload == sent.content.workload);
  CHECK(got.content.identity == sent.content.identity);
  CHECK(got.content.sliceBytes == sent.content.sliceBytes);
  CHECK(got.content.shared == sent.content.shared);
  CHECK(got.content.steps == sent.content.steps);
  CHECK(got.content.words == sent.content.words);
  CHECK(got.content.consumer == sent.content.consumer);
  CHECK(got.content.slices == sent.content.slices);  // they were sorted
  REQUIRE(got.report.workers.size() == 2);
  CHECK(got.report.workers[0].steps == 900);
  CHECK(got.report.workers[0].busySeconds == 0.125);
  CHECK(got.report.workers[1].name == "gpu0");
  CHECK(got.report.workers[1].device == "a GPU");
  CHECK(got.report.splits == 5);
  CHECK(got.report.peakDeviceBytes == 2000);
  CHECK(got.report.warnings == sent.report.warnings);
}

TEST_CASE("every other kind keeps what it says") {
  const Interval problem = intervalProblem();
  for (const MessageKind kind :
       {MessageKind::hello, MessageKind::lease, MessageKind::received, MessageKind::yield, MessageKind::bound,
        MessageKind::progress, MessageKind::stop, MessageKind::bye}) {
    Message sent = fullCommit();
    sent.kind = kind;
    sent.version = "1.2";
    sent.identity = "n = 3";
    sent.search = 3;
    sent.followed = kind == MessageKind::stop;
    const Message got = decode(encode(sent, problem), problem);
    CHECK(got.kind == kind);
    CHECK(got.version == "1.2");
    CHECK(got.identity == "n = 3");
    CHECK(got.search == 3);
    CHECK(got.followed == sent.followed);
    CHECK(got.lease == 77);
    CHECK(got.seconds == 1.5);
    CHECK(got.steps == 12);
    CHECK(got.content.shared == 41);
    CHECK(got.content.slices == sent.content.slices);
    CHECK(got.content.words.size() == (kind == MessageKind::lease ? 3 : 0));
  }
}

TEST_CASE("slices of several blocks come out as the set that went in") {
  const Interval problem = intervalProblem();
  for (const std::size_t count : {std::size_t{511}, std::size_t{512}, std::size_t{513}, std::size_t{5000}}) {
    CAPTURE(count);
    std::vector<Slice> slices;
    for (std::size_t i = 0; i < count; ++i) slices.push_back({i * 7919 % 1'000'003, i});
    Message sent = fullCommit();
    sent.content.slices.resize(count * sizeof(Slice));
    std::memcpy(sent.content.slices.data(), slices.data(), sent.content.slices.size());
    const Message message = decode(encode(sent, problem), problem);
    REQUIRE(message.content.slices.size() == sent.content.slices.size());
    std::vector<Slice> got(count);
    std::memcpy(got.data(), message.content.slices.data(), message.content.slices.size());
    const auto before = [](const Slice& a, const Slice& b) { return a.end < b.end; };
    std::sort(got.begin(), got.end(), before);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(got[i].begin == slices[i].begin);
      CHECK(got[i].end == slices[i].end);
    }
  }
}

TEST_CASE("bytes that are cut, longer or changed are refused, or are another whole message") {
  const Interval problem = intervalProblem();
  const std::vector<std::byte> whole = encode(fullCommit(), problem);
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_THROWS_AS((void)decode(std::span(whole).first(size), problem), Error);
  std::vector<std::byte> longer = whole;
  longer.push_back(std::byte{0});
  CHECK_THROWS_AS((void)decode(longer, problem), Error);
  std::mt19937_64 random(16);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::byte> damaged = whole;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    try {
      (void)decode(damaged, problem);
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}
