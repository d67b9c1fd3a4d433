// A thousand ranks in simulated time: the real coordinator, ledger and participants, with ranks whose speed
// and delays are given and whose slices are those of a heavy-tailed tree. It says what distribution costs;
// the time of a handler of the coordinator is measured, that of everything else is simulated.
#pragma once

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "runtime/cluster/codec.hpp"
#include "runtime/cluster/coordinator.hpp"
#include "runtime/cluster/ledger.hpp"
#include "runtime/cluster/participant.hpp"
#include "support/interval_workload.hpp"

namespace slicepool::test {

struct SimulatedRanksOptions {
  int ranks = 1000;
  int threads = 16;             ///< of a rank
  double stepsPerSecond = 1e8;  ///< of a rank
  double steps = 3e12;          ///< of the search
  std::size_t seeds = 1;        ///< slices at the start
  double start = 0.002;         ///< seconds from a lease to its first step
  double turn = 0.005;          ///< seconds from the end of a lease to its commit
  double latency = 50e-6;       ///< seconds of a message
  double bytesPerSecond = 1e9;  ///< into and out of the coordinator
  double look = 0.001;          ///< seconds between two looks for messages, at most
  double tick = 0.1;            ///< seconds between two ticks
  double patience = 0.05;       ///< CoordinatorOptions::patience
  double unequal = 0;           ///< speeds of ranks differ by up to this part of the fastest
};

struct SimulatedRun {
  double seconds = 0;     ///< until the search was finished
  double efficiency = 0;  ///< time that the steps take on all ranks without a loss, over `seconds`
  std::uint64_t leases = 0;
  std::uint64_t messages = 0;     ///< to and from the coordinator
  std::uint64_t bytes = 0;        ///< of them
  double coordinatorSeconds = 0;  ///< of a core of this machine
  std::uint64_t lostSteps = 0;    ///< 0, or the books are wrong
};

class SimulatedRanks {
 public:
  using Slice = IntervalWorkload::Slice;

  SimulatedRanks(std::uint64_t seed, SimulatedRanksOptions options)
      : options_(options),
        random_(seed),
        problem_({3, false}, {{0, 1}}, traits()),
        ledger_(cut(), {{{Merge::add, 1, 0}}}),
        coordinator_(ledger_, "salt 3", {"1", options.ranks, 0.5, 60, options.patience, 60}) {
    for (int rank = 0; rank < options_.ranks; ++rank) {
      const double slower = 1 - options_.unequal * uniform();
      seats_.push_back(std::make_unique<Seat>(*this, rank, slower * options_.stepsPerSecond));
      allSpeed_ += seats_.back()->speed;
    }
  }

  /// Seconds of a rank: a slice with less is not cut any more.
  static constexpr double kShortestSlice = 2e-4;

  [[nodiscard]] SimulatedRun run() {
    for (auto& seat : seats_) at(options_.tick * uniform(), Event::tick, seat->rank);
    at(0, Event::coordinatorTick, 0);
    while (!coordinator_.dismissed()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.when;
      happen(event);
      if (result_.seconds == 0 && ledger_.finished()) result_.seconds = now_;
    }
    result_.efficiency = options_.steps / allSpeed_ / result_.seconds;
    result_.lostSteps = static_cast<std::uint64_t>(options_.steps) - ledger_.words().at(0);
    return result_;
  }

 private:
  struct Event {
    enum Kind : std::uint8_t { tick, coordinatorTick, toCoordinator, toRank, leaseEnds };
    double when;
    std::uint64_t order;
    Kind kind;
    int rank;
    std::uint64_t which;  ///< a message in flight, or a lease of the rank
    bool operator<(const Event& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };

  /// A rank whose engine keeps all threads busy while there is work, and is exact to a step.
  struct Seat final : cluster::RankWork {
    Seat(SimulatedRanks& owner, int number, double stepsPerSecond)
        : all(owner), rank(number), speed(stepsPerSecond), participant(*this, "1", "salt 3") {}

    void begin(const Checkpoint& parcel, double seconds) override {
      slices.assign(parcel.slices.size() / sizeof(Slice), {});
      std::memcpy(slices.data(), parcel.slices.data(), parcel.slices.size());
      left = 0;
      for (const Slice& slice : slices) left += slice.end - slice.begin;
      all.breakUp(slices,
                  8 * static_cast<std::size_t>(all.options_.threads));  // as an engine does (seeding.hpp)
      begun = all.now_ + all.options_.start;
      endsAt(begun + std::min(seconds + all.options_.turn, static_cast<double>(left) / speed));
    }
    void end() override {
      const double soon = std::max(all.now_, begun) + all.options_.turn;
      if (soon < ends) endsAt(soon);
    }
    void lower(std::uint64_t) override {}
    [[nodiscard]] double steps() const override {
      return std::clamp((all.now_ - begun) * speed, 0.0, static_cast<double>(left));
    }
    void endsAt(double when) {
      ends = when;
      all.at(when, Event::leaseEnds, rank, ++lease);
    }
    [[nodiscard]] Checkpoint delta() {
      // Rounded up: a lease that ends because nothing is left leaves nothing.
      auto rest = std::min(left, static_cast<std::uint64_t>(std::ceil(steps())));
      Checkpoint made;
      made.workload = "interval";
      made.identity = "salt 3";
      made.sliceBytes = sizeof(Slice);
      made.shared = ~std::uint64_t{0};
      made.words = {rest};
      made.steps = static_cast<double>(rest);
      advance(rest);
      made.slices.resize(slices.size() * sizeof(Slice));
      if (!slices.empty()) std::memcpy(made.slices.data(), slices.data(), made.slices.size());
      return made;
    }
    /// Every thread walks a slice to its end. Where no slice waits, the first of those that are walked is
    /// cut.
    void advance(std::uint64_t rest) {
      const auto threads = static_cast<std::size_t>(all.options_.threads);
      while (rest != 0) {
        all.breakUp(slices, threads);
        const std::size_t walked = std::min(threads, slices.size());
        std::uint64_t shortest = rest / walked;
        for (std::size_t i = 0; i < walked; ++i)
          shortest = std::min(shortest, slices[i].end - slices[i].begin);
        shortest = std::max<std::uint64_t>(shortest, 1);
        for (std::size_t i = walked; i-- != 0 && rest != 0;) {
          slices[i].begin += shortest;
          rest -= shortest;
          if (slices[i].begin == slices[i].end) {
            slices[i] = slices.back();
            slices.pop_back();
          }
        }
      }
    }

    SimulatedRanks& all;
    int rank;
    double speed;
    cluster::Participant participant;
    std::vector<Slice> slices;
    std::uint64_t left = 0, lease = 0;
    double begun = 0, ends = 0;
  };

  static ProblemTraits traits() {
    ProblemTraits made;
    made.workload = "interval";
    return made;
  }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  /// Level by level, until there are so many. A half of the children of a node may have almost
  /// all of its steps or almost none: logistic normal parts. With this deviation 1 % of 10,000 slices have 67
  /// % of the steps and the largest 5 %, as measured of three in line 12, cut level by level.
  void breakUp(std::vector<Slice>& slices, std::size_t wanted) {
    constexpr double kDeviation = 2.2;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0, level = slices.size(); i < level && slices.size() < wanted; ++i) {
        const std::uint64_t steps = slices[i].end - slices[i].begin;
        if (static_cast<double>(steps) < kShortestSlice * options_.stepsPerSecond) continue;
        const auto given = static_cast<std::uint64_t>(static_cast<double>(steps) /
                                                      (1 + std::exp(kDeviation * normal_(random_))));
        if (given == 0 || given == steps) continue;
        slices[i].end -= given;
        slices.push_back({slices[i].end, slices[i].end + given});
        more = true;
      }
    }
  }
  Checkpoint cut() {
    std::vector<Slice> slices{{0, static_cast<std::uint64_t>(options_.steps)}};
    breakUp(slices, options_.seeds);
    Checkpoint start;
    start.workload = "interval";
    start.identity = "salt 3";
    start.sliceBytes = sizeof(Slice);
    start.shared = ~std::uint64_t{0};
    start.slices.resize(slices.size() * sizeof(Slice));
    std::memcpy(start.slices.data(), slices.data(), start.slices.size());
    return start;
  }

  void at(double when, typename Event::Kind kind, int rank, std::uint64_t which = 0) {
    events_.push({when, ++order_, kind, rank, which});
  }
  /// The time at which a message that is sent now is seen. The line of the coordinator carries one at a time.
  double arrival(std::size_t bytes, double& lineFree) {
    lineFree = std::max(lineFree, now_) + static_cast<double>(bytes) / options_.bytesPerSecond;
    ++result_.messages;
    result_.bytes += bytes;
    return lineFree + options_.latency + options_.look * uniform();
  }
  /// Of a core, for this thread: other programs do not count.
  static double ownSeconds() {
    timespec time{};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  /// Of ownSeconds() itself, which takes as long as a short handler.
  static double clockSeconds() {
    constexpr int kLooks = 10'000;
    const double begin = ownSeconds();
    for (int look = 1; look < kLooks; ++look) (void)ownSeconds();
    return (ownSeconds() - begin) / kLooks;
  }
  template <class Work>
  auto timed(const Work& work) {
    const double begin = ownSeconds();
    auto made = work();
    result_.coordinatorSeconds += ownSeconds() - begin - clock_;
    return made;
  }
  void toRanks(std::vector<cluster::Envelope> envelopes) {
    for (auto& envelope : envelopes) {
      const std::size_t bytes = timed([&] { return cluster::encode(envelope.message, problem_); }).size();
      result_.leases += envelope.message.kind == cluster::MessageKind::lease ? 1 : 0;
      const std::uint64_t which = hold(std::move(envelope.message));
      at(arrival(bytes, outgoing_), Event::toRank, envelope.rank, which);
    }
  }
  void toCoordinator(int rank, std::vector<cluster::Message> messages) {
    for (auto& message : messages) {
      const std::size_t bytes = cluster::encode(message, problem_).size();
      const std::uint64_t which = hold(std::move(message));
      at(arrival(bytes, incoming_), Event::toCoordinator, rank, which);
    }
  }
  std::uint64_t hold(cluster::Message message) {
    std::size_t index = held_.size();
    if (free_.empty()) {
      held_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    held_[index] = std::move(message);
    return index;
  }
  cluster::Message release(std::uint64_t which) {
    free_.push_back(which);
    return std::move(held_[which]);
  }

  void happen(const Event& event) {
    Seat& seat = *seats_[static_cast<std::size_t>(event.rank)];
    switch (event.kind) {
      case Event::tick:
        toCoordinator(seat.rank, seat.participant.tick());
        return at(now_ + options_.tick, Event::tick, seat.rank);
      case Event::coordinatorTick:
        toRanks(timed([&] { return coordinator_.tick(now_); }));
        return at(now_ + options_.tick, Event::coordinatorTick, 0);
      case Event::toCoordinator: {
        const auto bytes = cluster::encode(release(event.which), problem_);
        return toRanks(
            timed([&] { return coordinator_.receive(seat.rank, cluster::decode(bytes, problem_), now_); }));
      }
      case Event::toRank: return toCoordinator(seat.rank, seat.participant.receive(release(event.which)));
      case Event::leaseEnds:
        if (event.which == seat.lease && seat.participant.working())
          toCoordinator(seat.rank, seat.participant.worked(seat.delta(), {}, options_.start + options_.turn));
        return;
    }
  }

  SimulatedRanksOptions options_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  TypedProblem<IntervalWorkload, Collect<std::uint64_t>> problem_;
  cluster::Ledger ledger_;
  cluster::Coordinator coordinator_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::priority_queue<Event> events_;
  std::vector<cluster::Message> held_;
  std::vector<std::uint64_t> free_;
  SimulatedRun result_;
  double now_ = 0, allSpeed_ = 0, incoming_ = 0, outgoing_ = 0;
  double clock_ = clockSeconds();
  std::uint64_t order_ = 0;
};

}  // namespace slicepool::test
