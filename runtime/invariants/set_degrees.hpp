// Catenary degrees and the tame degree of a set of factorizations. Called by enumeration.cpp and
// given_set.cpp.
//
// A chain joins two factorizations by steps of distance N at most. Catenary degrees are the least N with
// which all are joined: the largest edge of a minimum spanning tree of the complete graph. It is found by
// Kruskal's algorithm as long as that is cheap: of a whole set Z(n), the edges of length N are the trades of
// level N (trades.hpp) at all rows that have what they take, and for each trade the rows that it leads to
// follow each other as those that it comes from do. What trades of few levels leave apart is joined by
// Boruvka's algorithm: each component but the largest asks for its nearest row outside (nearest_problem.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/invariants/nearest_problem.hpp"
#include "runtime/invariants/row_set.hpp"

namespace slicepool::invariants {

/// A distance, and two rows that have it; equal rows when the value is 0.
struct RowPair {
  std::uint32_t value = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
};

/// The factorizations of `element` over `generators`, all of them.
struct WholeSet {
  std::vector<std::uint64_t> generators;
  std::uint64_t element = 0;
};

class SetSearch;

/// The R-classes of a set: rows are in one class when others that have coordinates in common join them. The
/// first row of each, ascending.
[[nodiscard]] std::vector<std::uint32_t> firstOfRClasses(const RowSet& set);

class SetDegrees {
 public:
  /// `set` must outlive this. `whole`: what the set is, if it is all factorizations of an element; values are
  /// the same without, and take the time of a quadratic search. `run` executes larger searches.
  SetDegrees(const RowSet& set, std::optional<WholeSet> whole, RunProblem run);
  ~SetDegrees();
  SetDegrees(const SetDegrees&) = delete;
  SetDegrees& operator=(const SetDegrees&) = delete;

  /// Least N so that chains with steps of distance N join all rows. The pair is one that needs it.
  [[nodiscard]] RowPair catenary() const;
  /// The same for rows of equal length, by rows of this length.
  [[nodiscard]] RowPair equalCatenary() const;
  /// The greatest distance of two lengths that are neighbours in the length set: of their nearest rows.
  [[nodiscard]] RowPair adjacentCatenary() const;
  /// The greatest distance from a row without a generator, which others have, to the nearest row with it.
  /// `left` is the row without it.
  [[nodiscard]] RowPair tame() const;

 private:
  std::unique_ptr<const SetSearch> search_;
};

}  // namespace slicepool::invariants
