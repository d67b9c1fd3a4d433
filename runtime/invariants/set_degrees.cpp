// Implementation of set_degrees.hpp.
#include "runtime/invariants/set_degrees.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/invariants/forest.hpp"
#include "runtime/invariants/trades.hpp"

namespace slicepool::invariants {
namespace {

// What is cheaper goes by these times, in ns. They decide how values are found and not what they are.
constexpr double kTradeStep = 3;     ///< of TradeLevels
constexpr double kRowOfTrade = 1.5;  ///< a row that a trade is tried on
constexpr double kRowLookedFor = 20;
constexpr double kPairOfCoordinates = 0.03;
/// The next level has more trades than the last one.
constexpr double kGrowth = 2;

/// Rows by position: all, or by length; classes are ranges of positions.
struct Classes {
  std::vector<std::uint32_t> order;   ///< row of a position
  std::vector<std::uint32_t> bounds;  ///< class c: positions bounds[c] .. bounds[c + 1] - 1
  [[nodiscard]] std::size_t size() const { return bounds.size() - 1; }
  [[nodiscard]] std::uint32_t sizeOf(std::size_t c) const { return bounds[c + 1] - bounds[c]; }
};

Classes oneClass(const RowSet& set) {
  Classes classes{std::vector<std::uint32_t>(set.size()), {0, set.size()}};
  std::iota(classes.order.begin(), classes.order.end(), 0U);
  return classes;
}

Classes classesByLength(const RowSet& set) {
  Classes classes = oneClass(set);
  const auto& lengths = set.lengths();
  std::stable_sort(classes.order.begin(), classes.order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lengths[a] < lengths[b]; });
  classes.bounds = {0};
  for (std::uint32_t at = 1; at < set.size(); ++at)
    if (lengths[classes.order[at]] != lengths[classes.order[at - 1]]) classes.bounds.push_back(at);
  classes.bounds.push_back(set.size());
  return classes;
}

/// Keys of positions.
template <class Key>
struct Keyed {
  RowKeys<Key> keys;
  std::vector<Key> rows;
  Keyed(const RowSet& set, const std::vector<std::uint32_t>& order) : keys(set) {
    rows.reserve(order.size());
    for (const std::uint32_t row : order) rows.push_back(keys.of(set, row));
  }
};

/// What is joined so far.
struct Chain {
  Chain(Classes given, bool equalLength)
      : classes(std::move(given)),
        forest(static_cast<std::uint32_t>(classes.order.size())),
        ofEqualLength(equalLength) {
    for (std::size_t c = 0; c < classes.size(); ++c) open.push_back(classes.sizeOf(c) - 1);
    openInAll = static_cast<std::uint32_t>(classes.order.size() - classes.size());
  }

  void join(std::size_t c, std::uint32_t a, std::uint32_t b, std::uint32_t distance) {
    if (!forest.join(a, b)) return;
    --open[c];
    --openInAll;
    if (distance > greatest.value) greatest = {distance, classes.order[a], classes.order[b]};
  }

  /// Positions of a class that are not in its largest component.
  [[nodiscard]] std::vector<std::uint32_t> outside(std::size_t c) {
    std::uint32_t largest = forest.root(classes.bounds[c]);
    for (std::uint32_t at = classes.bounds[c]; at < classes.bounds[c + 1]; ++at) {
      const std::uint32_t root = forest.root(at);
      if (forest.sizeOf(root) > forest.sizeOf(largest)) largest = root;
    }
    std::vector<std::uint32_t> positions;
    for (std::uint32_t at = classes.bounds[c]; at < classes.bounds[c + 1]; ++at)
      if (forest.root(at) != largest) positions.push_back(at);
    return positions;
  }

  Classes classes;
  Forest forest;
  bool ofEqualLength;
  std::vector<std::uint32_t> open;  ///< joins that a class needs
  std::uint32_t openInAll = 0;
  RowPair greatest;
};

/// One direction of a trade.
template <class Key>
struct Move {
  Key takes = 0;
  Key shift = 0;  ///< key of what it gives, less `takes`
};

template <class Key>
bool moveOf(const RowKeys<Key>& keys, const std::vector<std::int32_t>& change, int sign, Move<Key>& move) {
  Key gives = 0;
  if (!keys.part(change, -sign, move.takes) || !keys.part(change, sign, gives)) return false;
  move.shift = gives - move.takes;
  return true;
}

}  // namespace

class SetDegrees::Impl {
 public:
  Impl(const RowSet& set, std::optional<WholeSet> whole, RunProblem run)
      : set_(set), whole_(std::move(whole)), run_(std::move(run)) {
    bits_ = RowKeys<std::uint64_t>::bitsOf(set);
  }

  RowPair chain(bool ofEqualLength) {
    Chain chain(ofEqualLength ? classesByLength(set_) : oneClass(set_), ofEqualLength);
    byKeys([&](auto key) { joinByTrades<decltype(key)>(chain); });
    while (chain.openInAll != 0) joinNearest(chain);
    return chain.greatest;
  }

  RowPair adjacent() {
    const Classes classes = classesByLength(set_);
    Neighbours neighbours(classes.size() - 1);
    byKeys([&](auto key) { meetByTrades<decltype(key)>(classes, neighbours); });
    meetNearest(classes, neighbours);
    return neighbours.greatest;
  }

  RowPair tame() {
    Without without(set_);
    byKeys([&](auto key) { reachByTrades<decltype(key)>(without); });
    reachNearest(without);
    return without.greatest;
  }

 private:
  /// Trades serve whole sets whose rows fit a key.
  template <class Use>
  void byKeys(const Use& use) {
    if (!whole_) return;
    if (bits_ <= 64)
      use(std::uint64_t{0});
    else if (bits_ <= 128)
      use(static_cast<unsigned __int128>(0));
  }
  [[nodiscard]] TradeLevels trades() const { return {whole_->generators, whole_->element}; }
  [[nodiscard]] double pairsCost(double pairs) const {
    return pairs * kPairOfCoordinates * (set_.dimension() + 2);
  }

  // ---- catenary degrees ---------------------------------------------------------------------------------

  template <class Key>
  void joinByTrades(Chain& chain) {
    const Keyed<Key> keyed(set_, chain.classes.order);
    TradeLevels levels = trades();
    double expected = 0;
    while (chain.openInAll != 0) {
      double byPairs = 0;
      std::vector<std::vector<std::uint32_t>> outside(chain.classes.size());
      for (std::size_t c = 0; c < chain.classes.size(); ++c) {
        if (chain.open[c] == 0) continue;
        outside[c] = chain.outside(c);
        byPairs += pairsCost(static_cast<double>(outside[c].size()) * chain.classes.sizeOf(c));
      }
      if (expected > byPairs) return;
      const auto& trades = levels.next();
      double cost = static_cast<double>(levels.steps()) * kTradeStep;
      for (const auto& trade : trades) {
        if (!(chain.ofEqualLength ? trade.primitiveOfEqualLength : trade.primitive)) continue;
        for (std::size_t c = 0; c < chain.classes.size() && chain.openInAll != 0; ++c)
          if (chain.open[c] != 0) cost += tryTrade(chain, c, keyed, trade, outside[c], levels.level());
      }
      expected = kGrowth * cost;
    }
  }

  /// Returns about how long it took.
  template <class Key>
  double tryTrade(Chain& chain, std::size_t c, const Keyed<Key>& keyed, const Trade& trade,
                  const std::vector<std::uint32_t>& outside, std::uint32_t level) {
    checkSetup();
    Move<Key> move;
    if (!moveOf(keyed.keys, trade.change, 1, move)) return 0;
    const std::uint32_t size = chain.classes.sizeOf(c);
    const double search = 2.0 * static_cast<double>(outside.size()) * kRowLookedFor;
    if (size * kRowOfTrade <= search) {
      alongRows(chain, c, keyed, move, level);
      return size * kRowOfTrade;
    }
    fromOutside(chain, c, keyed, move, outside, level);
    if (moveOf(keyed.keys, trade.change, -1, move)) fromOutside(chain, c, keyed, move, outside, level);
    return search;
  }

  /// A trade leads from the first row to a later one, and from each later row to one after that.
  template <class Key>
  static void alongRows(Chain& chain, std::size_t c, const Keyed<Key>& keyed, const Move<Key>& move,
                        std::uint32_t level) {
    std::uint32_t to = chain.classes.bounds[c];
    for (std::uint32_t from = to; from < chain.classes.bounds[c + 1] && chain.open[c] != 0; ++from) {
      if (!keyed.keys.has(keyed.rows[from], move.takes)) continue;
      const Key wanted = keyed.rows[from] + move.shift;
      while (keyed.rows[to] != wanted) ++to;
      chain.join(c, from, to, level);
    }
  }

  template <class Key>
  static void fromOutside(Chain& chain, std::size_t c, const Keyed<Key>& keyed, const Move<Key>& move,
                          const std::vector<std::uint32_t>& outside, std::uint32_t level) {
    const auto begin = keyed.rows.begin() + chain.classes.bounds[c];
    const auto end = keyed.rows.begin() + chain.classes.bounds[c + 1];
    for (const std::uint32_t from : outside) {
      if (!keyed.keys.has(keyed.rows[from], move.takes)) continue;
      const auto to =
          std::lower_bound(begin, end, static_cast<Key>(keyed.rows[from] + move.shift), std::greater<>());
      chain.join(c, from, static_cast<std::uint32_t>(to - keyed.rows.begin()), level);
      if (chain.open[c] == 0) return;
    }
  }

  /// A round of Boruvka's algorithm.
  void joinNearest(Chain& chain) {
    struct Group {
      std::size_t inClass;
      std::uint32_t first, end;  ///< columns
    };
    std::vector<std::uint32_t> columns;  // positions, by class and component
    std::vector<NearestQuery> queries;
    std::vector<Group> groups;  // of the queries, in their order
    for (std::size_t c = 0; c < chain.classes.size(); ++c) {
      if (chain.open[c] == 0) continue;
      const auto classFirst = static_cast<std::uint32_t>(columns.size());
      for (std::uint32_t at = chain.classes.bounds[c]; at < chain.classes.bounds[c + 1]; ++at)
        columns.push_back(at);
      std::stable_sort(
          columns.begin() + classFirst, columns.end(),
          [&](std::uint32_t a, std::uint32_t b) { return chain.forest.root(a) < chain.forest.root(b); });
      addQueries(chain, columns, classFirst, queries, [&](std::uint32_t first, std::uint32_t end) {
        groups.push_back({c, first, end});
      });
    }
    const auto nearest = nearestRows(set_, rowsOf(chain.classes, columns), queries, run_);
    const auto positions = positionsOf(chain.classes);
    std::size_t query = 0;
    for (const Group& group : groups) {
      std::size_t best = query;
      for (const std::size_t last = query + group.end - group.first; query < last; ++query)
        if (nearest[query].distance < nearest[best].distance) best = query;
      chain.join(group.inClass, columns[queries[best].row], positions[nearest[best].row],
                 nearest[best].distance);
    }
  }

  /// Queries for all components of a class but the largest; each is told to `begun`.
  template <class Begun>
  static void addQueries(Chain& chain, const std::vector<std::uint32_t>& columns, std::uint32_t classFirst,
                         std::vector<NearestQuery>& queries, const Begun& begun) {
    const auto end = static_cast<std::uint32_t>(columns.size());
    const auto groupEnd = [&](std::uint32_t first) {
      return first + chain.forest.sizeOf(chain.forest.root(columns[first]));
    };
    std::uint32_t largest = classFirst;
    for (std::uint32_t first = classFirst; first < end; first = groupEnd(first))
      if (groupEnd(first) - first > groupEnd(largest) - largest) largest = first;
    for (std::uint32_t first = classFirst; first < end; first = groupEnd(first)) {
      if (first == largest) continue;
      begun(first, groupEnd(first));
      for (std::uint32_t row = first; row < groupEnd(first); ++row)
        queries.push_back({row, classFirst, end, first, groupEnd(first)});
    }
  }

  static std::vector<std::uint32_t> rowsOf(const Classes& classes,
                                           const std::vector<std::uint32_t>& positions) {
    std::vector<std::uint32_t> rows;
    rows.reserve(positions.size());
    for (const std::uint32_t at : positions) rows.push_back(classes.order[at]);
    return rows;
  }
  static std::vector<std::uint32_t> positionsOf(const Classes& classes) {
    std::vector<std::uint32_t> positions(classes.order.size());
    for (std::uint32_t at = 0; at < positions.size(); ++at) positions[classes.order[at]] = at;
    return positions;
  }

  // ---- adjacent lengths ---------------------------------------------------------------------------------

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

  [[nodiscard]] std::uint32_t gapAfter(const Classes& classes, std::size_t c) const {
    return set_.lengths()[classes.order[classes.bounds[c + 1]]] -
           set_.lengths()[classes.order[classes.bounds[c]]];
  }

  template <class Key>
  void meetByTrades(const Classes& classes, Neighbours& neighbours) {
    const Keyed<Key> keyed(set_, classes.order);
    TradeLevels levels = trades();
    double expected = 0;
    while (!neighbours.open.empty()) {
      double byPairs = 0;
      for (const std::size_t c : neighbours.open)
        byPairs += pairsCost(static_cast<double>(classes.sizeOf(c)) * classes.sizeOf(c + 1));
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
    const auto nearest = nearestRows(set_, classes.order, queries, run_);
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

  // ---- tame degree --------------------------------------------------------------------------------------

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

  template <class Key>
  void reachByTrades(Without& without) {
    const RowKeys<Key> keys(set_);
    TradeLevels levels = trades();
    double expected = 0;
    while (!without.empty()) {
      double byPairs = 0;
      for (std::size_t i = 0; i < without.rows.size(); ++i)
        byPairs +=
            pairsCost(static_cast<double>(without.rows[i].size()) * static_cast<double>(without.with[i]));
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
      const auto nearest = nearestRows(set_, order, queries, run_);
      for (std::size_t q = 0; q < rows.size(); ++q)
        without.reach(nearest[q].distance, rows[q], nearest[q].row);
      rows.clear();
    }
  }

  const RowSet& set_;
  std::optional<WholeSet> whole_;
  RunProblem run_;
  unsigned bits_ = 0;
};

SetDegrees::SetDegrees(const RowSet& set, std::optional<WholeSet> whole, RunProblem run)
    : impl_(std::make_unique<Impl>(set, std::move(whole), std::move(run))) {}
SetDegrees::~SetDegrees() = default;
RowPair SetDegrees::catenary() { return impl_->chain(false); }
RowPair SetDegrees::equalCatenary() { return impl_->chain(true); }
RowPair SetDegrees::adjacentCatenary() { return impl_->adjacent(); }
RowPair SetDegrees::tame() { return impl_->tame(); }

}  // namespace slicepool::invariants
