// One launch of the lattice search by teams of warps: what each of them does with a batch of slices. Run by
// the kernel of kernels/lattice/device.cuh, and by tests on the host, one team after the other.
//
// A launch takes slices from one buffer and leaves slices in another, so that work is dealt out anew by every
// launch: the subtrees of a search differ by orders of magnitude. A launch over few slices only multiplies
// them (breadth first); any other ends when its budget is spent, when a part of the teams has too little
// left, or when a vector was refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "slicepool/core/platform.hpp"
#include "slicepool/detail/lanes.hpp"
#include "slicepool/detail/team.hpp"
#include "slicepool/lattice/steps/team_search.hpp"
#include "slicepool/lattice/steps/warp_turn.hpp"

namespace slicepool::lattice {

/// How a launch of this many slices goes, for each team.
struct TeamTurnPlan {
  static constexpr std::uint32_t kSlicesPerTeam = 64;  ///< fewer: breadth first
  static constexpr std::uint32_t kSeeds = 64;          ///< fewer slices: each team makes many
  static constexpr std::uint32_t kSomeEntries = 256;
  static constexpr std::uint32_t kBreadthRounds = 400;
  static constexpr std::uint32_t kLeastRounds = 128;  ///< before a launch ends because others have too little
  static constexpr std::uint32_t kMaximumTurns = 1U << 26U;
  static constexpr std::uint32_t kIdleShare = WarpPlan::kIdleShare;
  static constexpr std::uint32_t kRoundsBetweenLooks = 8;
  static constexpr std::uint32_t kColumns = 64;  ///< slices are numbered along columns of a table of so many

  bool breadth;
  bool stays;            ///< teams go on with what they left in the last launch
  std::uint32_t rows;    ///< of the table of slices
  std::uint32_t share;   ///< of the slices, for a team
  std::uint32_t goal;    ///< entries at which such a team stops
  std::uint32_t rounds;  ///< of a launch in which entries are searched
  std::uint32_t maximumIdle;
  std::uint32_t spare;  ///< slices that a team may leave beyond those that it took

  template <class Slice>
  SLICEPOOL_INLINE static TeamTurnPlan of(const WarpBatch<Slice>& batch, int places) {
    TeamTurnPlan plan;
    plan.rows = (batch.live + kColumns - 1) / kColumns;
    plan.breadth = batch.live < kSlicesPerTeam * batch.units;
    plan.stays = !plan.breadth && batch.ofTeams != 0 && batch.ofTeams <= batch.known;
    plan.share = plan.stays ? 0 : (batch.live + batch.units - 1) / batch.units;
    const auto half = static_cast<std::uint32_t>(places) / 2;
    plan.goal = batch.live < kSeeds || half < kSomeEntries ? half : kSomeEntries;
    plan.rounds = batch.turns(kMaximumTurns);
    if (plan.breadth && plan.rounds > kBreadthRounds) plan.rounds = kBreadthRounds;
    plan.maximumIdle = batch.units / kIdleShare;
    plan.spare = batch.spare();
    return plan;
  }
};

/// One team of a launch of TeamSearch. `emit` is the lane's own on a device.
template <class Searcher, class Emit>
class TeamTurn {
 public:
  using Lanes = typename Searcher::Lanes;
  using Team = typename Searcher::Team;
  using Lists = typename Searcher::Lists;
  using Plan = typename Searcher::Plan;
  using Slice = typename Searcher::Slice;
  template <class T>
  using Per = typename Lanes::template Per<T>;

  SLICEPOOL_INLINE TeamTurn(Searcher& searcher, const WarpBatch<Slice>& batch, std::uint32_t unit,
                            Emit& emitter)
      : search_(searcher),
        batch_(batch),
        unit_(unit),
        plan_(TeamTurnPlan::of(batch, searcher.lists.places)),
        emit_(emitter) {}

  SLICEPOOL_INLINE void run() {
    typename Team::template Per<typename Searcher::Work> work;
    // One loop for both parts: two copies of a round would be more than the cache of instructions holds.
    bool sorts = false;  // entries of the last round are to go to their lists
    bool looks = true;
    int free = 0;
    for (int part = 0; part < 2;) {
      // The plan needs the numbers of entries alone: one warp makes it while others still write lists.
      Team::all(warps(), [&](int warp, int held) {
        if (sorts) search_.sort(work[held], free);
        if (warp != 0) return;
        if (looks) look();
        plan(part == 1);
      });
      Team::sync();
      const auto action = static_cast<Action>(word(Lists::kAction));
      free = static_cast<int>(word(Lists::kFree));
      sorts = action == Action::step;
      looks = false;
      if (action == Action::stop) {
        ++part;
      } else if (sorts) {
        Team::all(warps(), [&](int warp, int held) {
          work[held].task = search_.lists.task(warp);
          search_.search(work[held], free, emit_);
        });
        ++search_.round;
        ++steps_;
        looks = steps_ % TeamTurnPlan::kRoundsBetweenLooks == 0;
      } else {
        const auto slices = static_cast<int>(word(Lists::kNumber));
        const bool own = action == Action::goOn;
        Team::all(warps(), [&](int warp, int) { fetch(warp, slices, free, own); });
        ++search_.round;
      }
      Team::sync();
    }
    leave();
  }

 private:
  enum class Action : std::uint8_t { stop, goOn, fetch, step };
  struct Decision {
    Action action;
    TeamOrder order;
    int number;  ///< tasks of a step, or slices that are taken
  };

  [[nodiscard]] SLICEPOOL_INLINE int warps() const { return search_.lists.warps; }
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t word(int which) const { return search_.lists.words[which]; }

  /// What others did meanwhile, for all warps of the team: by warp 0.
  SLICEPOOL_INLINE void look() {
    Lanes::all([&](int lane, int) {
      if (lane != 0) return;
      *search_.lists.radius = Radius::current(search_.view, emit_).squared;
      bool stop = readShared(batch_.counters.refused) != 0;
      if (!plan_.breadth && steps_ >= TeamTurnPlan::kLeastRounds)
        stop = stop || readShared(batch_.counters.idle) > plan_.maximumIdle;
      if (stop) search_.lists.words[Lists::kStop] = 1;
    });
  }

  /// By warp 0: what the team does in the round.
  SLICEPOOL_INLINE void plan(bool leaving) {
    const Plan plan(search_.lists, search_.round);
    const Decision decision = leaving ? leavingDecision(plan) : decide(plan);
    if (decision.action == Action::step)
      plan.deal(decision.order, decision.number);
    else if (decision.action != Action::stop)
      plan.keepAll();
    Lanes::all([&](int lane, int) {
      if (lane != 0) return;
      std::uint32_t* const words = search_.lists.words;
      words[Lists::kAction] = static_cast<std::uint32_t>(decision.action);
      words[Lists::kNumber] = static_cast<std::uint32_t>(decision.number);
      words[Lists::kFree] = static_cast<std::uint32_t>(plan.free);
      words[Lists::kTotal] = static_cast<std::uint32_t>(plan.total);
    });
  }

  [[nodiscard]] SLICEPOOL_INLINE static Decision step(TeamOrder order, int tasks) {
    return {Action::step, order, tasks};
  }
  /// A step that needs no more places than there are.
  SLICEPOOL_INLINE Decision careful(const Plan& plan, TeamOrder order, int tasks) const {
    const int most = (plan.free - search_.view.dimension) / kWarpSize;
    if (most < 1) return step(TeamOrder::careful, 1);
    return step(order, tasks < most ? tasks : most);
  }
  [[nodiscard]] SLICEPOOL_INLINE int maximumEntries() const {
    const std::uint64_t most = std::uint64_t{word(Lists::kTaken)} + plan_.spare;
    const auto places = static_cast<std::uint64_t>(search_.lists.places);
    return static_cast<int>(most < places ? most : places);
  }

  /// Slices for which there is room in every list and for all of their entries.
  SLICEPOOL_INLINE int room(const Plan& plan) const {
    const int perSlice = batch_.known < batch_.live ? search_.view.dimension : 1;
    const int places = (plan.free - search_.view.dimension) / perSlice;
    const int length = Lists::kOfDepth - plan.longest();
    return places < length ? places : length;
  }

  SLICEPOOL_INLINE Decision decide(const Plan& plan) {
    if (steps_ >= plan_.rounds || word(Lists::kStop) != 0 || word(Lists::kRefused) != 0)
      return {Action::stop, TeamOrder::full, 0};
    return plan_.breadth ? widen(plan) : work(plan);
  }

  /// Shallowest first, until there are entries for many warps.
  SLICEPOOL_INLINE Decision widen(const Plan& plan) const {
    const std::uint32_t taken = word(Lists::kTaken);
    if (word(Lists::kMore) != 0 && (plan.total == 0 || (plan.full == 0 && taken < plan_.share))) {
      int slices = room(plan);
      const int share = taken < plan_.share ? static_cast<int>(plan_.share - taken) : 1;
      if (slices > share) slices = share;
      if (slices > 0) return {Action::fetch, TeamOrder::full, slices};
    }
    if (plan.total == 0 || (steps_ != 0 && plan.total >= static_cast<int>(plan_.goal)))
      return {Action::stop, TeamOrder::full, 0};
    return careful(plan, TeamOrder::shallowest, warps());
  }

  /// The deepest depths that keep all lanes busy. Where these are not enough, new slices; where there are
  /// none, the shallowest depths, whose children will be many. A team takes its share of the slices in any
  /// case. Else every launch would add entries to those that wait. A share of many does not fit the lists of
  /// a team, though, which are full at shallow depths; what it left itself does.
  SLICEPOOL_INLINE Decision work(const Plan& plan) {
    if (plan_.stays && !wentOn_) {
      wentOn_ = true;
      return {Action::goOn, TeamOrder::full, 0};
    }
    const bool more = word(Lists::kMore) != 0;
    if (more && (plan.full < warps() || word(Lists::kTaken) < plan_.share) &&
        plan.total < search_.lists.places / 4 * 3) {
      const int slices = room(plan);
      if (slices > 0) return {Action::fetch, TeamOrder::full, slices};
    }
    if (!more && plan.full < warps() / 4 && plan.total < warps() * kWarpSize) tellIdle();
    if (plan.total == 0) return {Action::stop, TeamOrder::full, 0};
    const int most = maximumEntries();
    if (plan.total > most) return careful(plan, TeamOrder::deepest, warps());
    if (plan.full > 0) return careful(plan, TeamOrder::full, plan.full < warps() ? plan.full : warps());
    return careful(plan, plan.total < most / 4 * 3 ? TeamOrder::shallowest : TeamOrder::deepest, warps());
  }

  /// Entries beyond the slices that there is room for are searched before the launch ends.
  SLICEPOOL_INLINE Decision leavingDecision(const Plan& plan) const {
    if (word(Lists::kRefused) != 0 || plan.total <= maximumEntries())
      return {Action::stop, TeamOrder::full, 0};
    return careful(plan, TeamOrder::deepest, warps());
  }

  SLICEPOOL_INLINE void tellIdle() {
    if (toldIdle_) return;
    toldIdle_ = true;
    Lanes::first([&] { return fetchAdd(batch_.counters.idle, 1U); });
  }

  SLICEPOOL_INLINE PathState stateOf(std::uint32_t i) const {
    return i < batch_.known ? batch_.fromStates[i] : PathState{0, std::numeric_limits<double>::quiet_NaN()};
  }

  /// Numbers of up to `count` slices that no team has taken, one a lane. False behind the last.
  SLICEPOOL_INLINE bool takeNext(int count, Per<std::uint32_t>& number, Per<bool>& valid) {
    const std::uint32_t all =
        plan_.stays ? batch_.live - batch_.ofTeams : TeamTurnPlan::kColumns * plan_.rows;
    const auto first = count <= 0 ? 0 : Lanes::first([&] {
      return fetchAdd(batch_.counters.next, static_cast<std::uint32_t>(count));
    });
    Lanes::all([&](int lane, int held) {
      const std::uint32_t n = first + static_cast<std::uint32_t>(lane);
      number[held] = plan_.stays ? batch_.ofTeams + n
                                 : n / TeamTurnPlan::kColumns + n % TeamTurnPlan::kColumns * plan_.rows;
      valid[held] = lane < count && n < all && number[held] < batch_.live;
    });
    return first + static_cast<std::uint32_t>(count) < all;
  }

  /// The next lanes' part of what the team left in the last launch, all of which was in its lists. `at`: of
  /// the warp.
  SLICEPOOL_INLINE bool takeOwn(std::uint32_t& at, Per<std::uint32_t>& number, Per<bool>& valid) const {
    const TeamSlices own = batch_.own[unit_];
    Lanes::all([&](int lane, int held) {
      const std::uint32_t i = at + static_cast<std::uint32_t>(lane);
      number[held] = own.first + i;
      valid[held] = i < own.count;
    });
    at += static_cast<std::uint32_t>(kWarpSize * warps());
    return at < own.count;
  }

  /// Second phase of a round in which the team takes `slices` slices, a warp its share, or what it left.
  SLICEPOOL_INLINE void fetch(int warp, int slices, int free, bool own) {
    const int whole = slices / warps();
    int wanted = whole + (warp < slices - whole * warps() ? 1 : 0);
    auto at = static_cast<std::uint32_t>(kWarpSize * warp);
    bool more = own || wanted > 0;
    while (more) {  // one loop for both, and one copy of take()
      Per<std::uint32_t> number;
      Per<bool> valid;
      Per<PathState> known;
      bool others = true;
      if (own) {
        more = takeOwn(at, number, valid);
        others = batch_.ofTeams < batch_.live;
      } else {
        const int now = wanted < kWarpSize ? wanted : kWarpSize;
        wanted -= now;
        more = wanted > 0;
        others = takeNext(now, number, valid);
      }
      Lanes::all([&](int, int held) { known[held] = stateOf(valid[held] ? number[held] : batch_.known); });
      search_.take(warp, valid, batch_.from, number, known, free);
      const std::uint32_t taken = Lanes::ballot(valid);
      Lanes::all([&](int lane, int) {
        if (lane != 0) return;
        if (taken != 0)
          fetchAdd(&search_.lists.words[Lists::kTaken], static_cast<std::uint32_t>(bitCount32(taken)));
        if (!others) search_.lists.words[Lists::kMore] = 0;
      });
    }
  }

  /// All entries become slices, and slices that no team has taken go on as they are.
  SLICEPOOL_INLINE void leave() {
    Team::all(warps(), [&](int warp, int) {
      if (warp == 0) account();
    });
    Team::sync();
    Team::all(warps(), [&](int warp, int) {
      const std::uint32_t at = word(Lists::kKeptAt);
      const std::uint32_t behind = word(Lists::kRestAt);
      const std::uint32_t rest = word(Lists::kRest);
      const std::uint32_t total = word(Lists::kTotal);
      // Beyond the capacity nothing is written; the count tells the host that the batch is lost.
      if (at <= batch_.capacity && total <= batch_.capacity - at && behind <= batch_.capacity - rest)
        search_.give(warp, batch_.to, batch_.toStates, [&](std::uint32_t i) {
          return i < rest ? batch_.capacity - 1 - behind - i : at + (i - rest);
        });
      leaveSlices();
    });
  }

  /// Entries that a team goes on with: all its warps have room for children then. The shallowest of the
  /// others can wait.
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t mostOwn() const {
    return static_cast<std::uint32_t>(search_.lists.places / 4 * 3);
  }

  SLICEPOOL_INLINE void account() {
    const std::uint32_t total = word(Lists::kTotal);
    const std::uint32_t taken = word(Lists::kTaken);
    tellNodes<Lanes>(batch_.counters, search_.lists.nodes, search_.view.dimension, emit_);
    Lanes::all([&](int lane, int) {
      if (lane != 0) return;
      if (total > taken) fetchAdd(batch_.counters.splits, std::uint64_t{total - taken});
      const std::uint32_t most = mostOwn();
      const std::uint32_t rest = total > most ? total - most : 0;
      const std::uint32_t at = fetchAdd(batch_.counters.kept, total - rest);
      search_.lists.words[Lists::kKeptAt] = at;
      search_.lists.words[Lists::kRestAt] = fetchAdd(batch_.counters.rest, rest);
      search_.lists.words[Lists::kRest] = rest;
      batch_.own[unit_] = {at, total - rest};
      if (word(Lists::kRefused) != 0) fetchAdd(batch_.counters.refused, 1U);
    });
  }

  /// A warp's share of the slices that are left: from the end of the buffer backwards, so that those of teams
  /// lie together.
  SLICEPOOL_INLINE void leaveSlices() {
    for (bool more = true; more;) {
      Per<std::uint32_t> number;
      Per<bool> valid;
      more = takeNext(kWarpSize, number, valid);
      const std::uint32_t leaving = Lanes::ballot(valid);
      if (leaving == 0) continue;
      const auto first = Lanes::first(
          [&] { return fetchAdd(batch_.counters.rest, static_cast<std::uint32_t>(bitCount32(leaving))); });
      std::uint32_t behind = first;
      for (std::uint32_t rest = leaving; rest != 0; rest &= rest - 1, ++behind) {
        const std::uint32_t i = Lanes::valueOf(number, lowestBit(rest));
        if (behind >= batch_.capacity) continue;
        const std::uint32_t to = batch_.capacity - 1 - behind;
        const auto* const source = reinterpret_cast<const std::uint32_t*>(batch_.from + i);
        auto* const target = reinterpret_cast<std::uint32_t*>(batch_.to + to);
        Lanes::all([&](int lane, int) {
          for (std::size_t w = static_cast<std::size_t>(lane); w < sizeof(Slice) / 4; w += kWarpSize)
            target[w] = source[w];
          if (lane == 0) batch_.toStates[to] = stateOf(i);
        });
      }
    }
  }

  Searcher& search_;
  const WarpBatch<Slice>& batch_;
  std::uint32_t unit_;
  TeamTurnPlan plan_;
  Emit& emit_;
  std::uint32_t steps_ = 0;  ///< rounds in which entries were searched
  bool toldIdle_ = false;
  bool wentOn_ = false;
};

/// The algorithm `auto` by teams, for the code that launches them.
struct AutomaticTeams {
  template <class Lanes, int kCapacity, class Layout>
  using Searcher = TeamSearch<Lanes, kCapacity, Layout>;
  template <class Searcher, class Emit>
  using Turn = TeamTurn<Searcher, Emit>;
  static constexpr bool kStartsOnHost = false;
  static constexpr bool kTeams = true;
};

}  // namespace slicepool::lattice
