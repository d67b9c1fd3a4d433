// The tame degree. See set_degrees.hpp.
#include <algorithm>
#include <functional>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/invariants/set_search.hpp"

namespace slicepool::invariants {
namespace {

/// For each generator that some rows have: the rows without it.
struct Without {
  explicit Without(const RowSet& set) : rows(set.dimension()), with(set.dimension(), 0) {
    for (std::uint32_t i = 0; i < set.dimension(); ++i) {
      for (std::uint32_t row = 0; row < set.size(); ++row)
        if (set.at(row, i) == 0) rows[i].push_back(row);
      with[i] = set.size() - rows[i].size();
      if (with[i] == 0) rows[i].clear();
    }
  }
  [[nodiscard]] bool empty() const {
    return std::all_of(
        rows.begin(), rows.end(), [](const auto& some) { return some.empty(); });
  }
  void reach(std::uint32_t distance, std::uint32_t from, std::uint32_t to) {
    if (distance > greatest.value) greatest = {distance, from, to};
  }
  std::vector<std::vector<std::uint32_t>> rows;
  std::vector<std::size_t> with;
  RowPair greatest;
};

class TameSearch {
 public:
  explicit TameSearch(const SetSearch& search) : search_(search), set_(search.set()) {}

  RowPair degree() {
    Without without(set_);
    search_.byKeys([&](auto key) { reachByTrades<decltype(key)>(without); });
    reachNearest(without);
    return without.greatest;
  }

 private:
  template <class Key>
  void reachByTrades(Without& without) {
    const RowKeys<Key> keys(set_);
    TradeLevels levels = search_.trades();
    double expected = 0;
    while (!without.empty()) {
      double byPairs = 0;
      for (std::size_t i = 0; i < without.rows.size(); ++i)
        byPairs += search_.pairsCost(static_cast<double>(without.rows[i].size()) *
                                     static_cast<double>(without.with[i]));
      if (expected > byPairs) return;
      const auto& trades = levels.next();
      double cost = static_cast<double>(levels.steps()) * kTradeStep;
      for (std::uint32_t i = 0; i < set_.dimension(); ++i)
        cost += reachGenerator(without, i, keys, trades, levels.level());
      expected = kGrowth * cost;
    }
  }

  /// Rows without generator i that get it by a trade of this level.
  template <class Key>
  double reachGenerator(Without& without, std::uint32_t i, const RowKeys<Key>& keys,
                        const std::vector<Trade>& trades, std::uint32_t level) {
    checkSetup();
    if (without.rows[i].empty()) return 0;
    std::vector<std::pair<Key, std::vector<std::int32_t>>> moves;
    for (const auto& trade : trades) {
      Move<Key> move;
      if (!trade.primitive || trade.change[i] == 0) continue;
      const int sign = trade.change[i] > 0 ? 1 : -1;
      if (!moveOf(keys, trade.change, sign, move)) continue;
      std::vector<std::int32_t> change = trade.change;
      if (sign < 0) std::transform(change.begin(), change.end(), change.begin(), std::negate<>());
      moves.emplace_back(move.takes, std::move(change));
    }
    if (moves.empty()) return 0;
    const double tried = static_cast<double>(moves.size()) * static_cast<double>(without.rows[i].size());
    std::erase_if(without.rows[i], [&](std::uint32_t row) {
      const Key key = keys.of(set_, row);
      for (const auto& [takes, change] : moves) {
        if (!keys.has(key, takes)) continue;
        if (level > without.greatest.value) without.reach(level, row, set_.find(row, change));
        return true;
      }
      return false;
    });
    return tried * kRowOfTrade;
  }

  void reachNearest(Without& without) {
    for (std::uint32_t i = 0; i < set_.dimension(); ++i) {
      auto& rows = without.rows[i];
      if (rows.empty()) continue;
      std::vector<std::uint32_t> order;
      for (std::uint32_t row = 0; row < set_.size(); ++row)
        if (set_.at(row, i) != 0) order.push_back(row);
      const auto with = static_cast<std::uint32_t>(order.size());
      order.insert(order.end(), rows.begin(), rows.end());
      std::vector<NearestQuery> queries;
      for (std::uint32_t at = with; at < order.size(); ++at) queries.push_back({at, 0, with, 0, 0});
      const auto nearest = nearestRows(set_, order, queries, search_.run());
      for (std::size_t q = 0; q < rows.size(); ++q)
        without.reach(nearest[q].distance, rows[q], nearest[q].row);
      rows.clear();
    }
  }

  const SetSearch& search_;
  const RowSet& set_;
};

}  // namespace

RowPair tameDegreeOf(const SetSearch& search) { return TameSearch(search).degree(); }

}  // namespace slicepool::invariants
