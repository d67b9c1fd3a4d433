// The rows of a search: those of the system by level, those that follow by elimination, and the level below
// which nothing is left to choose. See search_plan.hpp.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/integer_points/exact_rows.hpp"
#include "runtime/integer_points/search_plan.hpp"

namespace slicepool::integer_points {
namespace {

using Wide = __int128;

/// Whether sums over the box stay within bounds.
bool fits(const OrderedSystem& system, const PlanRow& row) {
  Wide sum = row.rightSide < 0 ? -static_cast<Wide>(row.rightSide) : row.rightSide;
  sum += row.slack;
  for (std::size_t j = 0; j < row.coefficients.size(); ++j) {
    const Wide c = row.coefficients[j];
    const Wide most = std::max(system.lower[j] < 0 ? -static_cast<Wide>(system.lower[j]) : system.lower[j],
                               system.upper[j] < 0 ? -static_cast<Wide>(system.upper[j]) : system.upper[j]);
    sum += (c < 0 ? -c : c) * most;
    if (sum > kMaximumMagnitude) return false;
  }
  return true;
}

/// The same row, and its multiples by a common divisor, in one form.
void normalize(PlanRow& row) {
  if (row.slack != 0) return;
  std::int64_t common = 0;
  for (const std::int64_t entry : row.coefficients) common = std::gcd(common, entry);
  if (common == 0) return;
  const auto first = std::find_if(row.coefficients.begin(), row.coefficients.end(),
                                  [](std::int64_t entry) { return entry != 0; });
  if (*first < 0) common = -common;
  for (std::int64_t& entry : row.coefficients) entry /= common;
  row.rightSide /= common;
}

bool isZero(const PlanRow& row) {
  return std::all_of(
      row.coefficients.begin(), row.coefficients.end(), [](std::int64_t entry) { return entry == 0; });
}

bool isWithinReach(const OrderedSystem& system, const PlanRow& row) {
  Wide least = 0;
  Wide most = row.slack;
  for (std::size_t j = 0; j < row.coefficients.size(); ++j) {
    const Wide a = static_cast<Wide>(row.coefficients[j]) * system.lower[j];
    const Wide b = static_cast<Wide>(row.coefficients[j]) * system.upper[j];
    least += std::min(a, b);
    most += std::max(a, b);
  }
  return least <= row.rightSide && row.rightSide <= most;
}

bool isKnown(const OrderedSystem& system, const PlanRow& row) {
  const auto same = [&](const PlanRow& other) {
    return other.slack == row.slack && other.rightSide == row.rightSide &&
           other.coefficients == row.coefficients;
  };
  return std::any_of(system.given.begin(), system.given.end(), same) ||
         std::any_of(system.derived.begin(), system.derived.end(), same);
}

class Derivation {
 public:
  explicit Derivation(OrderedSystem& system) : system_(system) {}

  void run() {
    std::vector<std::vector<std::int64_t>> equations;
    for (const PlanRow& row : system_.given) {
      if (row.slack != 0) continue;
      equations.push_back(row.coefficients);
      equations.back().push_back(row.rightSide);
    }
    const auto reduced = reducedRows(equations);
    if (!reduced) {
      system_.isEmpty = true;
      return;
    }
    chooseLeaf(*reduced);
    std::vector<PlanRow> tails;
    if (!makeTails(*reduced, tails)) {
      // Every column has a level of its own.
      system_.leaf = system_.columns() - 1;
      tails.clear();
    }
    for (PlanRow& row : tails) keepTail(std::move(row));
    for (const ReducedRow& row : *reduced) {
      if (row.pivot > system_.leaf) continue;
      PlanRow more;
      if (!convert(row, more)) continue;
      normalize(more);
      if (!isKnown(system_, more)) system_.derived.push_back(std::move(more));
    }
  }

 private:
  /// A row that the system has already gets the part of the tail.
  void keepTail(PlanRow row) {
    PlanRow same = row;
    normalize(same);
    const auto known = std::find_if(system_.given.begin(), system_.given.end(), [&](const PlanRow& other) {
      return !other.atLeaf && other.slack == same.slack && other.rightSide == same.rightSide &&
             other.coefficients == same.coefficients;
    });
    if (known == system_.given.end()) {
      system_.derived.push_back(std::move(row));
      return;
    }
    known->atLeaf = true;
    known->tailOf = row.tailOf;
  }

  /// Below the leaf, each column is a pivot.
  void chooseLeaf(const std::vector<ReducedRow>& reduced) {
    std::size_t leaf = system_.columns() - 1;
    for (auto row = reduced.rbegin(); row != reduced.rend() && row->pivot == leaf && leaf > 0; ++row) --leaf;
    const bool allArePivots = reduced.size() == system_.columns();
    system_.leaf = allArePivots ? system_.columns() - 1 : leaf;
  }

  bool convert(const ReducedRow& row, PlanRow& to) const {
    std::vector<BigInteger> all = row.coefficients;
    all.push_back(row.rightSide);
    auto integers = small(all);
    if (!integers) return false;
    to.rightSide = integers->back();
    integers->pop_back();
    to.coefficients = std::move(*integers);
    return fits(system_, to);
  }

  /// A row for each column below the leaf, and each inequality without those columns.
  bool makeTails(const std::vector<ReducedRow>& reduced, std::vector<PlanRow>& tails) {
    if (system_.leaf + 1 == system_.columns()) return true;
    for (const ReducedRow& row : reduced) {
      if (row.pivot <= system_.leaf) continue;
      PlanRow tail;
      if (!convert(row, tail)) return false;
      tail.atLeaf = true;
      tail.tailOf = row.pivot;
      tails.push_back(std::move(tail));
    }
    const std::size_t count = tails.size();
    for (const PlanRow& row : system_.given) {
      if (row.slack == 0) continue;
      std::optional<PlanRow> without = withoutTails(row, tails, count);
      if (!without) return false;
      if (isZero(*without))
        system_.isEmpty = system_.isEmpty || without->rightSide < 0 || without->rightSide > without->slack;
      else
        tails.push_back(std::move(*without));
    }
    return true;
  }

  std::optional<PlanRow> withoutTails(const PlanRow& row, const std::vector<PlanRow>& tails,
                                      std::size_t count) const {
    const Wide limit = kMaximumMagnitude;
    std::vector<Wide> entries(row.coefficients.begin(), row.coefficients.end());
    Wide rightSide = row.rightSide;
    Wide slack = row.slack;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t column = tails[i].tailOf;
      const Wide divisor = tails[i].coefficients[column];
      const Wide entry = entries[column];
      if (entry == 0) continue;
      for (std::size_t j = 0; j < entries.size(); ++j)
        entries[j] = entries[j] * divisor - tails[i].coefficients[j] * entry;
      rightSide = rightSide * divisor - tails[i].rightSide * entry;
      slack *= divisor;
      const auto isLarge = [&](Wide value) { return value > limit || value < -limit; };
      if (isLarge(rightSide) || isLarge(slack) || std::any_of(entries.begin(), entries.end(), isLarge))
        return std::nullopt;
    }
    PlanRow result;
    for (const Wide entry : entries) result.coefficients.push_back(static_cast<std::int64_t>(entry));
    result.rightSide = static_cast<std::int64_t>(rightSide);
    result.slack = static_cast<std::int64_t>(slack);
    result.atLeaf = true;
    if (!fits(system_, result)) return std::nullopt;
    return result;
  }

  OrderedSystem& system_;
};

}  // namespace

OrderedSystem orderedSystem(const BoundedSystem& system, const std::vector<std::size_t>& order) {
  OrderedSystem result;
  result.order = order;
  for (const std::size_t column : order) {
    result.lower.push_back(system.lower[column]);
    result.upper.push_back(system.upper[column]);
  }
  for (const Row& row : system.rows) {
    PlanRow own;
    for (const std::size_t column : order) own.coefficients.push_back(row.coefficients[column]);
    own.rightSide = *row.most;
    own.slack = *row.most - *row.least;
    normalize(own);
    if (isZero(own)) {
      result.isEmpty = result.isEmpty || own.rightSide < 0 || own.rightSide > own.slack;
      continue;
    }
    if (!isKnown(result, own)) result.given.push_back(std::move(own));
  }
  if (!result.isEmpty) Derivation(result).run();
  for (const auto* rows : {&result.given, &result.derived})
    for (const PlanRow& row : *rows) result.isEmpty = result.isEmpty || !isWithinReach(result, row);
  return result;
}

}  // namespace slicepool::integer_points
