// The adjacent catenary degree. See set_degrees.hpp.
#include <algorithm>
#include <functional>
#include <numeric>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/invariants/set_search.hpp"

namespace slicepool::invariants {
namespace {

/// Class c and class c + 1, for all c.
struct Neighbours {
  explicit Neighbours(std::size_t pairs) : open(pairs), met(pairs, false) {
    std::iota(open.begin(), open.end(), std::size_t{0});
  }
  void meet(std::size_t c, std::uint32_t distance, std::uint32_t left, std::uint32_t right) {
    met[c] = true;
    if (distance > greatest.value) greatest = {distance, left, right};
  }
  void drop() {
    std::erase_if(
        open, [&](std::size_t c) { return met[c]; });
  }
  std::vector<std::size_t> open;
  std::vector<bool> met;
  RowPair greatest;
};

class AdjacentSearch {
 public:
  explicit AdjacentSearch(const SetSearch& search) : search_(search), set_(search.set()) {}

  RowPair degree() {
    const Classes classes = classesByLength(set_);
    Neighbours neighbours(classes.size() - 1);
    search_.byKeys([&](auto key) { meetByTrades<decltype(key)>(classes, neighbours); });
    meetNearest(classes, neighbours);
    return neighbours.greatest;
  }

 private:
  [[nodiscard]] std::uint32_t gapAfter(const Classes& classes, std::size_t c) const {
    return set_.lengths()[classes.order[classes.bounds[c + 1]]] -
           set_.lengths()[classes.order[classes.bounds[c]]];
  }

  template <class Key>
  void meetByTrades(const Classes& classes, Neighbours& neighbours) {
    const Keyed<Key> keyed(set_, classes.order);
    TradeLevels levels = search_.trades();
    double expected = 0;
    while (!neighbours.open.empty()) {
      double byPairs = 0;
      for (const std::size_t c : neighbours.open)
        byPairs += search_.pairsCost(static_cast<double>(classes.sizeOf(c)) * classes.sizeOf(c + 1));
      if (expected > byPairs) return;
      double cost = 0;
      for (const auto& trade : levels.next())
        cost += tryToMeet(classes, neighbours, keyed, trade, levels.level());
      neighbours.drop();
      expected = kGrowth * (cost + static_cast<double>(levels.steps()) * kTradeStep);
    }
  }

  template <class Key>
  double tryToMeet(const Classes& classes, Neighbours& neighbours, const Keyed<Key>& keyed,
                   const Trade& trade, std::uint32_t level) {
    checkSetup();
    const int sign = trade.given > trade.taken ? 1 : -1;  // towards the longer rows
    const std::uint32_t gain = std::max(trade.given, trade.taken) - std::min(trade.given, trade.taken);
    Move<Key> move;
    if (gain == 0 || !moveOf(keyed.keys, trade.change, sign, move)) return 0;
    double tried = 0;
    for (const std::size_t c : neighbours.open) {
      if (neighbours.met[c] || gapAfter(classes, c) != gain) continue;
      for (std::uint32_t at = classes.bounds[c]; at < classes.bounds[c + 1]; ++at, ++tried) {
        if (!keyed.keys.has(keyed.rows[at], move.takes)) continue;
        const auto to = std::lower_bound(keyed.rows.begin() + classes.bounds[c + 1],
                                         keyed.rows.begin() + classes.bounds[c + 2],
                                         static_cast<Key>(keyed.rows[at] + move.shift), std::greater<>());
        neighbours.meet(c, level, classes.order[at],
                        classes.order[static_cast<std::size_t>(to - keyed.rows.begin())]);
        break;
      }
    }
    return tried * kRowOfTrade;
  }

  void meetNearest(const Classes& classes, Neighbours& neighbours) {
    std::vector<NearestQuery> queries;
    for (const std::size_t c : neighbours.open) {
      const bool up = classes.sizeOf(c) <= classes.sizeOf(c + 1);
      const std::size_t from = up ? c : c + 1;
      const std::size_t to = up ? c + 1 : c;
      for (std::uint32_t at = classes.bounds[from]; at < classes.bounds[from + 1]; ++at)
        queries.push_back({at, classes.bounds[to], classes.bounds[to + 1], 0, 0});
    }
    const auto nearest = nearestRows(set_, classes.order, queries, search_.run());
    std::size_t query = 0;
    for (const std::size_t c : neighbours.open) {
      std::size_t best = query;
      for (const std::size_t last = query + std::min(classes.sizeOf(c), classes.sizeOf(c + 1)); query < last;
           ++query)
        if (nearest[query].distance < nearest[best].distance) best = query;
      neighbours.meet(c, nearest[best].distance, classes.order[queries[best].row], nearest[best].row);
    }
    neighbours.drop();
  }

  const SetSearch& search_;
  const RowSet& set_;
};

}  // namespace

RowPair adjacentDegree(const SetSearch& search) { return AdjacentSearch(search).degree(); }

}  // namespace slicepool::invariants
