// A coordinator and its participants on the transport `local`: one thread, one seed, simulated time. Messages
// are dropped, doubled, late and in any order, ranks are killed at any moment. The search is the interval of
// interval_workload.hpp, whose every result is known.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "runtime/cluster/coordinator.hpp"
#include "runtime/cluster/ledger.hpp"
#include "runtime/cluster/participant.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "support/interval_workload.hpp"

namespace slicepool::test {

struct LocalClusterOptions {
  int ranks = 3;
  std::uint64_t values = 2000;  ///< of the interval
  double drop = 0, repeat = 0, kill = 0;
  double haltAt = -1;   ///< simulated seconds; negative: never
  double silence = 30;  ///< simulated seconds
};

/// Words: count, sum and exclusive or of the results' mixes, values looked at.
inline WordLayout intervalWords() {
  return {{{Merge::add, 2, 0}, {Merge::exclusiveOr, 1, 0}, {Merge::add, 1, 0}}};
}

class LocalCluster {
 public:
  static constexpr std::uint64_t kSalt = 3;
  using Slice = IntervalWorkload::Slice;

  LocalCluster(std::uint64_t seed, LocalClusterOptions options, const Checkpoint& start)
      : random_(seed),
        options_(options),
        ledger_(start, intervalWords(), [this](const std::vector<std::byte>& blob) { take(blob); }),
        coordinator_(ledger_, start.identity, {"1", options.ranks, 0.5, 60, 0.5, options.silence}) {
    for (int rank = 0; rank < options_.ranks; ++rank) seats_.push_back(std::make_unique<Seat>(start));
  }

  /// The whole interval, cut into some slices.
  static Checkpoint wholeSearch(std::uint64_t values) {
    Checkpoint start;
    start.workload = "interval";
    start.identity = "salt 3";
    start.sliceBytes = sizeof(Slice);
    start.shared = ~std::uint64_t{0};
    constexpr std::uint64_t kSlices = 7;
    for (std::uint64_t i = 0; i < kSlices; ++i)
      append(start.slices, {values * i / kSlices, values * (i + 1) / kSlices});
    return start;
  }

  /// Until the coordinator is done with every rank. False: it was not after `maximum` events.
  bool run(std::uint64_t maximum) {
    for (std::uint64_t event = 0; event < maximum; ++event) {
      now_ += 0.02 * static_cast<double>(random_() % 10);
      if (coordinator_.dismissed()) return true;
      if (options_.haltAt >= 0 && now_ >= options_.haltAt) {
        options_.haltAt = -1;
        sendAll(coordinator_.halt());
      }
      happen();
    }
    return coordinator_.dismissed();
  }

  [[nodiscard]] const cluster::Ledger& ledger() const { return ledger_; }
  [[nodiscard]] const cluster::Coordinator& coordinator() const { return coordinator_; }
  /// Every result that a commit has brought, in the order of commits.
  [[nodiscard]] const std::vector<std::uint64_t>& results() const { return results_; }
  [[nodiscard]] int killed() const { return killed_; }
  [[nodiscard]] double seconds() const { return now_; }

 private:
  /// A rank: it works when an event says so, a few values at a time.
  struct Seat final : cluster::RankWork {
    explicit Seat(const Checkpoint& start) : head(start), participant(*this, "1", start.identity) {
      head.slices.clear();
    }
    void begin(const Checkpoint& parcel, double) override {
      slices.assign(parcel.slices.size() / sizeof(Slice), {});
      std::memcpy(slices.data(), parcel.slices.data(), parcel.slices.size());
      words = intervalWords().fresh();
      found.clear();
      ends = false;
    }
    void end() override { ends = true; }
    void lower(std::uint64_t) override {}

    /// Looks at up to `count` values, and cuts a slice now and then.
    void work(std::uint64_t count) {
      for (; count != 0 && !slices.empty(); --count) {
        Slice& slice = slices.back();
        if (slice.begin == slice.end) {
          slices.pop_back();
          continue;
        }
        look(slice.begin++);
      }
      Slice given{};
      if (!slices.empty() && IntervalWorkload::split({}, slices.back(), given)) slices.push_back(given);
    }
    void look(std::uint64_t value) {
      ++words[3];
      if (!IntervalWorkload::isResult(kSalt, value)) return;
      ++words[0];
      words[1] += mix64(value);
      words[2] ^= mix64(value);
      found.push_back(value);
    }
    Checkpoint delta() const {
      Checkpoint made = head;
      made.words = words;
      made.steps = static_cast<double>(words[3]);
      for (const Slice& slice : slices)
        if (slice.begin != slice.end) append(made.slices, slice);
      made.consumer.resize(found.size() * sizeof(std::uint64_t));
      if (!found.empty()) std::memcpy(made.consumer.data(), found.data(), made.consumer.size());
      return made;
    }

    Checkpoint head;
    cluster::Participant participant;
    std::vector<Slice> slices;
    std::vector<std::uint64_t> words, found;
    bool ends = false, dead = false;
  };

  struct Flight {
    int rank;
    bool toCoordinator;
    cluster::Message message;
  };

  static void append(std::vector<std::byte>& bytes, const Slice& slice) {
    const auto* const from = reinterpret_cast<const std::byte*>(&slice);
    bytes.insert(bytes.end(), from, from + sizeof slice);
  }
  bool chance(double probability) { return static_cast<double>(random_() >> 11) * 0x1p-53 < probability; }
  void take(const std::vector<std::byte>& blob) {
    const std::size_t before = results_.size();
    results_.resize(before + blob.size() / sizeof(std::uint64_t));
    if (!blob.empty()) std::memcpy(results_.data() + before, blob.data(), blob.size());
  }

  void post(Flight flight) {
    if (chance(options_.drop)) return;
    if (chance(options_.repeat)) flights_.push_back(flight);
    flights_.push_back(std::move(flight));
  }
  void sendAll(std::vector<cluster::Envelope> envelopes) {
    for (auto& envelope : envelopes) post({envelope.rank, false, std::move(envelope.message)});
  }
  void reply(int rank, std::vector<cluster::Message> messages) {
    for (auto& message : messages) post({rank, true, std::move(message)});
  }

  void happen() {
    const int rank = static_cast<int>(random_() % static_cast<std::uint64_t>(options_.ranks));
    Seat& seat = *seats_[static_cast<std::size_t>(rank)];
    switch (random_() % 8) {
      case 0: return sendAll(coordinator_.tick(now_));
      case 1:
        if (!seat.dead) reply(rank, seat.participant.tick());
        return;
      case 2:
      case 3: return work(rank, seat);
      case 4:
        if (rank != 0 && !seat.dead && chance(options_.kill)) kill(rank, seat);
        return;
      default: return deliver();
    }
  }
  void work(int rank, Seat& seat) {
    if (seat.dead || !seat.participant.working()) return;
    seat.work(random_() % 200);
    if (seat.slices.empty() || seat.ends || chance(0.2)) reply(rank, seat.participant.worked(seat.delta()));
  }
  /// Sometimes the coordinator hears of it, sometimes only silence tells.
  void kill(int rank, Seat& seat) {
    seat.dead = true;
    ++killed_;
    if (chance(0.5)) sendAll(coordinator_.died(rank, now_));
  }
  void deliver() {
    if (flights_.empty()) return;
    std::swap(flights_[random_() % flights_.size()], flights_.back());
    const Flight flight = std::move(flights_.back());
    flights_.pop_back();
    if (flight.toCoordinator) return sendAll(coordinator_.receive(flight.rank, flight.message, now_));
    Seat& seat = *seats_[static_cast<std::size_t>(flight.rank)];
    if (!seat.dead) reply(flight.rank, seat.participant.receive(flight.message));
  }

  std::mt19937_64 random_;
  LocalClusterOptions options_;
  std::vector<std::uint64_t> results_;
  cluster::Ledger ledger_;
  cluster::Coordinator coordinator_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::vector<Flight> flights_;
  double now_ = 0;
  int killed_ = 0;
};

}  // namespace slicepool::test
