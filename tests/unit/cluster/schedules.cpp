// Random schedules of a coordinator and its participants: whatever is dropped, doubled, late or killed, every
// value of the search is accounted once.
#include <doctest/doctest.h>

#include "slicepool/core/error.hpp"
#include "support/cluster/schedules.hpp"
#include "support/scale.hpp"

using namespace slicepool;

TEST_CASE("no slice is lost or doubled in random schedules with drops, repetitions, delays and kills") {
  test::runSchedules(1, test::scaled(3000));
}

TEST_CASE("a commit counts once, and that of a lease that was given back not at all") {
  Checkpoint delta = test::LocalCluster::wholeSearch(700);
  cluster::Ledger ledger(delta, test::intervalWords());
  const auto* lease = ledger.grant(1, 2, 1, 0);
  REQUIRE(lease != nullptr);
  const std::uint64_t number = lease->number;
  CHECK(ledger.waiting() == 5);
  CHECK(ledger.checkpoint().slices.size() == delta.slices.size());
  delta.slices.clear();
  delta.words = {4, 5, 6, 200};
  CHECK(!ledger.commit(2, number, delta));
  CHECK(!ledger.commit(1, number + 1, delta));
  CHECK(ledger.commit(1, number, delta));
  CHECK(!ledger.commit(1, number, delta));
  CHECK(ledger.words() == delta.words);
  lease = ledger.grant(1, 5, 1, 0);
  REQUIRE(lease != nullptr);
  const std::uint64_t lost = lease->number;
  CHECK(ledger.giveBack(1));
  CHECK(!ledger.giveBack(1));
  CHECK(!ledger.commit(1, lost, delta));
  CHECK(ledger.waiting() == 5);
  CHECK(ledger.words() == delta.words);
}

TEST_CASE("a commit of another search is refused, and changes nothing") {
  Checkpoint delta = test::LocalCluster::wholeSearch(700);
  int blobs = 0;
  cluster::Ledger ledger(delta, test::intervalWords(), [&](const auto&) { ++blobs; });
  const auto number = ledger.grant(0, 7, 1, 0)->number;
  delta.words = {1, 1, 1, 1};
  Checkpoint other = delta;
  other.identity = "salt 4";
  CHECK_THROWS_WITH_AS((void)ledger.commit(0, number, other), doctest::Contains("salt 4"), CheckpointError);
  other = delta;
  other.words.pop_back();
  CHECK_THROWS_AS((void)ledger.commit(0, number, other), CheckpointError);
  other = delta;
  other.slices.pop_back();
  CHECK_THROWS_AS((void)ledger.commit(0, number, other), CheckpointError);
  CHECK(blobs == 0);
  CHECK(ledger.words() == test::intervalWords().fresh());
  CHECK(ledger.commit(0, number, delta));
  CHECK(blobs == 1);
}

TEST_CASE("ranks with another version or another search are refused with what they have") {
  cluster::Ledger ledger(test::LocalCluster::wholeSearch(7), test::intervalWords());
  cluster::Coordinator coordinator(ledger, "salt 3", {.version = "1", .ranks = 2});
  cluster::Message hello;
  hello.version = "2";
  hello.identity = "salt 3";
  CHECK_THROWS_WITH_AS((void)coordinator.receive(1, hello, 0), doctest::Contains("2 on rank 1"), ConfigError);
  hello.version = "1";
  hello.identity = "salt 4";
  CHECK_THROWS_WITH_AS((void)coordinator.receive(1, hello, 0), doctest::Contains("salt 4"), ConfigError);
}

TEST_CASE("a rank without work makes the holder of a lease commit, and gets half of what is left") {
  const Checkpoint start = test::LocalCluster::wholeSearch(700);
  cluster::Ledger ledger(start, test::intervalWords());
  cluster::Coordinator coordinator(ledger, start.identity, {.version = "1", .ranks = 1, .patience = 0.1});
  cluster::Message hello;
  hello.version = "1";
  hello.identity = start.identity;
  // One rank holds everything in the end: a lease at a time, of which it commits all slices again.
  auto out = coordinator.receive(0, hello, 0);
  while (ledger.waiting() != 0) {
    cluster::Message commit;
    commit.kind = cluster::MessageKind::commit;
    commit.lease = ledger.leaseOf(0)->number;
    commit.content = start;
    commit.content.slices.resize(0);
    commit.content.words = test::intervalWords().fresh();
    out = coordinator.receive(0, commit, 0);
  }
  REQUIRE(ledger.leaseOf(0) != nullptr);
  // Not before it had its lease for a while.
  out = coordinator.receive(1, hello, 0.01);
  REQUIRE(out.size() == 1);
  CHECK(out.front().rank == 1);
  CHECK(out.front().message.kind == cluster::MessageKind::received);  // it is heard, and waits
  CHECK(coordinator.tick(0.09).empty());
  out = coordinator.tick(0.11);
  REQUIRE(!out.empty());
  CHECK(out.front().rank == 0);
  CHECK(out.front().message.kind == cluster::MessageKind::yield);
  cluster::Message commit;
  commit.kind = cluster::MessageKind::commit;
  commit.lease = out.front().message.lease;
  commit.content = start;
  commit.content.slices.resize(2 * start.sliceBytes);
  commit.content.words = test::intervalWords().fresh();
  commit.content.shared = 5;
  out = coordinator.receive(0, commit, 0.2);
  REQUIRE(ledger.leaseOf(0) != nullptr);
  REQUIRE(ledger.leaseOf(1) != nullptr);
  CHECK(ledger.leaseOf(0)->slices.size() == ledger.leaseOf(1)->slices.size());
  // What a commit has lowered goes to every rank with the next lease.
  CHECK(out.back().message.kind == cluster::MessageKind::lease);
  CHECK(out.back().message.content.shared == 5);
}

TEST_CASE("the oldest lease is asked for, and the later the more slowly its rank starts and the fewer wait") {
  const Checkpoint start = test::LocalCluster::wholeSearch(700);  // seven slices
  cluster::Ledger ledger(start, test::intervalWords());
  cluster::Coordinator coordinator(ledger, start.identity, {.version = "1", .ranks = 1, .patience = 0.1});
  cluster::Message hello;
  hello.version = "1";
  hello.identity = start.identity;
  // Ranks 0 to 2 have all of them, rank 3 has none. Every lease but the first is young.
  for (int rank = 0; rank < 3; ++rank)
    REQUIRE(coordinator.receive(rank, hello, rank == 0 ? 0 : 0.2).size() == 1);
  REQUIRE(ledger.waiting() == 0);
  const auto asked = [](const std::vector<cluster::Envelope>& out) {
    std::vector<int> ranks;
    for (const auto& [rank, message] : out)
      if (message.kind == cluster::MessageKind::yield) ranks.push_back(rank);
    return ranks;
  };
  CHECK(asked(coordinator.receive(3, hello, 0.25)) == std::vector<int>{0});
  // It says that it needs 20 ms for a start and an end, and has two slices left, of which it keeps one.
  cluster::Message commit;
  commit.kind = cluster::MessageKind::commit;
  commit.lease = ledger.leaseOf(0)->number;
  commit.seconds = 0.02;
  commit.content = start;
  commit.content.slices.resize(2 * start.sliceBytes);
  commit.content.words = test::intervalWords().fresh();
  (void)coordinator.receive(0, commit, 0.3);
  commit.seconds = 0;
  commit.content.slices.clear();
  for (int rank = 1; rank <= 3; ++rank) {
    REQUIRE(ledger.leaseOf(rank) != nullptr);
    commit.lease = ledger.leaseOf(rank)->number;
    CHECK(asked(coordinator.receive(rank, commit, 0.3)).empty());
  }
  // Three wait for one: a third of the 200 ms for which it would be left alone.
  CHECK(asked(coordinator.tick(0.35)).empty());
  CHECK(asked(coordinator.tick(0.37)).front() == 0);
}

TEST_CASE("a participant begins each lease once, and repeats its commit until it is answered") {
  struct Begun final : cluster::RankWork {
    void begin(const Checkpoint&, double) override { ++leases; }
    void end() override {}
    void lower(std::uint64_t) override {}
    int leases = 0;
  } work;
  cluster::Participant participant(work, "1", "salt 3");
  cluster::Message lease;
  lease.kind = cluster::MessageKind::lease;
  lease.lease = 4;
  (void)participant.receive(lease);
  (void)participant.receive(lease);
  CHECK(work.leases == 1);
  REQUIRE(participant.worked({}).size() == 1);
  (void)participant.receive(lease);
  CHECK(work.leases == 1);
  CHECK(participant.tick().at(0).kind == cluster::MessageKind::commit);
  CHECK(participant.tick().at(0).lease == 4);
  cluster::Message received;
  received.kind = cluster::MessageKind::received;
  received.lease = 4;
  CHECK(participant.receive(received).at(0).kind == cluster::MessageKind::hello);
  (void)participant.receive(lease);
  CHECK(work.leases == 1);
  CHECK(participant.tick().at(0).kind == cluster::MessageKind::hello);
  lease.lease = 5;
  (void)participant.receive(lease);
  CHECK(work.leases == 2);
}

TEST_CASE("leases become longer while many slices wait") {
  const Checkpoint start = test::LocalCluster::wholeSearch(700);
  Checkpoint many = start;
  for (int i = 0; i < 10; ++i)
    many.slices.insert(many.slices.end(), start.slices.begin(), start.slices.end());
  cluster::Ledger ledger(many, test::intervalWords());
  cluster::Coordinator coordinator(ledger, start.identity, {.version = "1", .ranks = 1});
  cluster::Message message;
  message.version = "1";
  message.identity = start.identity;
  double longest = 0;
  for (int i = 0; i < 20; ++i) {
    for (const auto& envelope : coordinator.receive(0, message, i))
      longest = std::max(longest, envelope.message.seconds);
    if (ledger.leaseOf(0) == nullptr) break;
    message.kind = cluster::MessageKind::commit;
    message.lease = ledger.leaseOf(0)->number;
    message.content = start;
    message.content.slices = ledger.leaseOf(0)->slices;
    message.content.words = test::intervalWords().fresh();
  }
  CHECK(longest == 60);
}

TEST_CASE(
    "a rank that exhausts its leases in no time gets larger parts of what waits, one that does not the usual "
    "ones") {
  const Checkpoint start = test::LocalCluster::wholeSearch(700);
  Checkpoint many = start;
  many.slices.clear();
  for (int i = 0; i < 1200; ++i)
    many.slices.insert(many.slices.end(), start.slices.begin(),
                       start.slices.begin() + static_cast<std::ptrdiff_t>(start.sliceBytes));
  // The part of what waits that the second lease has, when the first one lasted so many seconds.
  const auto secondPart = [&](double lasted) {
    cluster::Ledger ledger(many, test::intervalWords());
    cluster::Coordinator coordinator(ledger, start.identity, {.version = "1", .ranks = 1});
    cluster::Message message;
    message.version = "1";
    message.identity = start.identity;
    (void)coordinator.receive(0, message, 0);
    REQUIRE(ledger.leaseOf(0) != nullptr);
    const auto waits = static_cast<double>(ledger.waiting());
    message.kind = cluster::MessageKind::commit;
    message.lease = ledger.leaseOf(0)->number;
    message.content = start;
    message.content.slices.clear();
    message.content.words = test::intervalWords().fresh();
    (void)coordinator.receive(0, message, lasted);
    REQUIRE(ledger.leaseOf(0) != nullptr);
    const std::size_t slices = ledger.leaseOf(0)->slices.size() / start.sliceBytes;
    return static_cast<double>(slices) / waits;
  };
  CHECK(secondPart(10) == doctest::Approx(1.0 / 3).epsilon(0.01));
  CHECK(secondPart(0.1) > 0.6);
}
