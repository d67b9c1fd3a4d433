// Catenary degrees of all rows, and of those of equal length. See set_degrees.hpp.
#include <algorithm>
#include <functional>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/invariants/forest.hpp"
#include "runtime/invariants/set_search.hpp"

namespace slicepool::invariants {
namespace {

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

class ChainSearch {
 public:
  explicit ChainSearch(const SetSearch& search) : search_(search), set_(search.set()) {}

  RowPair degree(bool ofEqualLength) {
    Chain chain(ofEqualLength ? classesByLength(set_) : oneClass(set_), ofEqualLength);
    search_.byKeys([&](auto key) { joinByTrades<decltype(key)>(chain); });
    while (chain.openInAll != 0) joinNearest(chain);
    return chain.greatest;
  }

 private:
  template <class Key>
  void joinByTrades(Chain& chain) {
    const Keyed<Key> keyed(set_, chain.classes.order);
    TradeLevels levels = search_.trades();
    double expected = 0;
    while (chain.openInAll != 0) {
      double byPairs = 0;
      std::vector<std::vector<std::uint32_t>> outside(chain.classes.size());
      for (std::size_t c = 0; c < chain.classes.size(); ++c) {
        if (chain.open[c] == 0) continue;
        outside[c] = chain.outside(c);
        byPairs += search_.pairsCost(static_cast<double>(outside[c].size()) * chain.classes.sizeOf(c));
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
    const auto nearest = nearestRows(set_, rowsOf(chain.classes, columns), queries, search_.run());
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

  const SetSearch& search_;
  const RowSet& set_;
};

}  // namespace

RowPair chainDegree(const SetSearch& search, bool ofEqualLength) {
  return ChainSearch(search).degree(ofEqualLength);
}

}  // namespace slicepool::invariants
