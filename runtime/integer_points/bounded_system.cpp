// See bounded_system.hpp.
#include "runtime/integer_points/bounded_system.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/integer_points/exact_rows.hpp"
#include "runtime/integer_points/recession.hpp"
#include "runtime/integer_points/wide_division.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/integer_points/steps/search_plan.hpp"

namespace slicepool::integer_points {
namespace {

using Wide = __int128;
using Bound = std::optional<Wide>;

constexpr int kMaximumRounds = 200;  ///< of narrowing: more would only make the search faster

/// Bounds of columns while they are being found: an upper one may be missing.
struct Box {
  std::vector<Wide> lower;
  std::vector<Bound> upper;

  [[nodiscard]] bool isEmpty() const {
    for (std::size_t j = 0; j < lower.size(); ++j)
      if (upper[j] && *upper[j] < lower[j]) return true;
    return false;
  }
};

/// What a row's columns contribute at least and at most; columns without a bound are counted apart.
struct Reach {
  Wide least = 0;
  Wide most = 0;
  int leastOpen = 0;
  int mostOpen = 0;
};

Reach reachOf(const std::vector<std::int64_t>& coefficients, const Box& box) {
  Reach reach;
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    const Wide c = coefficients[j];
    if (c == 0) continue;
    if (c > 0) {
      reach.least += c * box.lower[j];
      if (box.upper[j])
        reach.most += c * *box.upper[j];
      else
        ++reach.mostOpen;
    } else {
      reach.most += c * box.lower[j];
      if (box.upper[j])
        reach.least += c * *box.upper[j];
      else
        ++reach.leastOpen;
    }
  }
  return reach;
}

bool isTooLarge(Wide value) { return value > kMaximumMagnitude || value < -kMaximumMagnitude; }

/// Narrows the bounds of one row's columns; returns whether any became narrower.
bool narrowBy(const Row& row, Box& box) {
  bool changed = false;
  const Reach reach = reachOf(row.coefficients, box);
  for (std::size_t j = 0; j < row.coefficients.size(); ++j) {
    const Wide c = row.coefficients[j];
    if (c == 0) continue;
    const bool open = !box.upper[j].has_value();
    const Wide own = c * box.lower[j];
    const Wide other = open ? 0 : c * *box.upper[j];
    // The others at least, at most; nothing where one of them has no bound.
    const int leastOpen = reach.leastOpen - (open && c < 0 ? 1 : 0);
    const int mostOpen = reach.mostOpen - (open && c > 0 ? 1 : 0);
    const Wide least = reach.least - (c > 0 ? own : other);
    const Wide most = reach.most - (c > 0 ? other : own);
    Bound upper;
    Bound lower;
    if (row.most && leastOpen == 0) {
      const Wide room = *row.most - least;
      if (c > 0)
        upper = floorOf(room, c);
      else
        lower = ceilingOf(-room, -c);
    }
    if (row.least && mostOpen == 0) {
      const Wide room = *row.least - most;
      if (c > 0)
        lower = ceilingOf(room, c);
      else
        upper = floorOf(-room, -c);
    }
    // Beyond that sums might overflow. Bounds may always be wider.
    if (lower && isTooLarge(*lower)) lower.reset();
    if (upper && isTooLarge(*upper)) upper.reset();
    if (lower && *lower > box.lower[j]) {
      box.lower[j] = *lower;
      changed = true;
    }
    if (upper && (!box.upper[j] || *upper < *box.upper[j])) {
      box.upper[j] = *upper;
      changed = true;
    }
    // Numbers stay what they were for the other columns: they are read again in the next round.
    if (changed) return true;
  }
  return changed;
}

void narrow(const std::vector<Row>& rows, Box& box) {
  const int rounds = kMaximumRounds * static_cast<int>(box.lower.size());
  for (int round = 0; round < rounds && !box.isEmpty(); ++round) {
    bool changed = false;
    for (const Row& row : rows) changed = narrowBy(row, box) || changed;
    if (!changed) return;
  }
}

std::string directionText(const std::vector<BigInteger>& direction, std::size_t columns) {
  std::vector<std::string> entries;
  for (std::size_t j = 0; j < columns; ++j) entries.push_back(direction[j].str());
  return fmt::format("({})", fmt::join(entries, ", "));
}

/// Finds bounds for columns that rows bound only together. Throws ConfigError where there are none.
void boundTogether(const std::vector<Row>& rows, Box& box) {
  std::vector<std::size_t> open;
  for (std::size_t j = 0; j < box.upper.size(); ++j)
    if (!box.upper[j]) open.push_back(j);
  if (open.empty() || box.isEmpty()) return;
  // A row with one side has a column of its own for what is left over, without a bound.
  std::vector<std::vector<std::int64_t>> matrix;
  const auto oneSided = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.least || !row.most; }));
  std::size_t slack = open.size();
  for (const Row& row : rows) {
    std::vector<std::int64_t> entries(open.size() + oneSided);
    for (std::size_t i = 0; i < open.size(); ++i) entries[i] = row.coefficients[open[i]];
    if (!row.least || !row.most) entries[slack++] = row.most ? 1 : -1;
    matrix.push_back(std::move(entries));
  }
  const Recession recession = recessionOf(matrix);
  if (!recession.direction.empty()) {
    std::vector<BigInteger> whole(box.lower.size());
    for (std::size_t i = 0; i < open.size(); ++i) whole[open[i]] = recession.direction[i];
    throw ConfigError(
        "upper",
        "an unbounded system: x and x + " + directionText(whole, whole.size()) + " satisfy the same rows",
        "a finite set: upper bounds, or generators of a pointed cone");
  }
  const auto weights = small(recession.weights);
  Row sum;
  Wide most = 0;
  std::vector<Wide> coefficients(box.lower.size());
  bool fits = weights.has_value();
  for (std::size_t r = 0; fits && r < rows.size(); ++r) {
    const Wide w = (*weights)[r];
    if (w == 0) continue;
    const Wide side = w > 0 ? *rows[r].most : *rows[r].least;
    most += w * side;
    for (std::size_t j = 0; j < coefficients.size(); ++j) coefficients[j] += w * rows[r].coefficients[j];
    fits = !isTooLarge(most) && std::none_of(coefficients.begin(), coefficients.end(), isTooLarge);
  }
  if (!fits)
    throw ConfigError("matrix", "rows whose bounds follow from sums beyond 2^60",
                      "upper bounds for such a matrix");
  for (const Wide c : coefficients) sum.coefficients.push_back(static_cast<std::int64_t>(c));
  sum.most = static_cast<std::int64_t>(most);
  std::vector<Row> all = rows;
  all.push_back(std::move(sum));
  narrow(all, box);
}

void requireMagnitude(const std::string& field, std::int64_t value) {
  if (value > kMaximumMagnitude || value < -kMaximumMagnitude)
    throw ConfigError(field, std::to_string(value), "integers from -2^60 to 2^60");
}

void checkNumbers(const LinearSystem& system, const std::vector<Row>& further, const std::string& field) {
  for (const Row& row : further)
    for (const std::int64_t entry : row.coefficients) requireMagnitude(field, entry);
  for (const auto& row : system.matrix)
    for (const std::int64_t entry : row) requireMagnitude("matrix", entry);
  for (const std::int64_t entry : system.rightSide) requireMagnitude("right_side", entry);
  for (const std::int64_t entry : system.lower) requireMagnitude("lower", entry);
  for (const auto& entry : system.upper)
    if (entry) requireMagnitude("upper", *entry);
}

/// Sums of a search must fit. A side that is missing becomes what the columns reach.
void finish(const Box& box, BoundedSystem& result) {
  for (std::size_t j = 0; j < box.lower.size(); ++j) {
    result.lower.push_back(static_cast<std::int64_t>(box.lower[j]));
    result.upper.push_back(static_cast<std::int64_t>(*box.upper[j]));
  }
  for (Row& row : result.rows) {
    Wide sum = 0;
    for (std::size_t j = 0; j < row.coefficients.size(); ++j) {
      const Wide lower = box.lower[j] < 0 ? -box.lower[j] : box.lower[j];
      const Wide upper = *box.upper[j] < 0 ? -*box.upper[j] : *box.upper[j];
      const Wide c = row.coefficients[j] < 0 ? -static_cast<Wide>(row.coefficients[j]) : row.coefficients[j];
      sum += c * std::max(lower, upper);
      if (sum > kMaximumMagnitude)
        throw ConfigError("matrix", "a row whose sums may be beyond 2^60",
                          "smaller numbers, or bounds that keep sums of entries times bounds within 2^60");
    }
    const Reach reach = reachOf(row.coefficients, box);
    if (!row.least) row.least = static_cast<std::int64_t>(reach.least);
    if (!row.most) row.most = static_cast<std::int64_t>(reach.most);
    if (reach.most < *row.least || reach.least > *row.most) {
      result.emptyBecause = "the bounds of the columns leave a row out of reach";
      return;
    }
    row.least = std::max(*row.least, static_cast<std::int64_t>(reach.least));
    row.most = std::min(*row.most, static_cast<std::int64_t>(reach.most));
  }
}

/// The common divisor of an equation's entries must divide its right side.
bool dividesEquations(const std::vector<Row>& rows) {
  return std::all_of(
      rows.begin(), rows.end(),
      [](const Row& row) {
        if (!row.isEquation()) return true;
        std::int64_t common = 0;
        for (const std::int64_t entry : row.coefficients) common = std::gcd(common, entry);
        return common == 0 ? *row.least == 0 : *row.least % common == 0;
      });
}

}  // namespace

void checkSizes(const LinearSystem& system) {
  const std::size_t rows = system.matrix.size();
  if (rows == 0 || rows > kMaximumGivenRows)
    throw ConfigError("matrix", fmt::format("{} rows", rows), fmt::format("1 to {} rows", kMaximumGivenRows));
  const std::size_t columns = system.matrix.front().size();
  if (columns == 0 || columns > kMaximumColumns)
    throw ConfigError("matrix", fmt::format("rows of {} entries", columns),
                      fmt::format("rows of 1 to {} entries", kMaximumColumns));
  for (std::size_t r = 0; r < rows; ++r)
    if (system.matrix[r].size() != columns)
      throw ConfigError("matrix", fmt::format("row {} of {} entries", r + 1, system.matrix[r].size()),
                        fmt::format("rows of {} entries, as the first one", columns));
  if (system.rightSide.size() != rows)
    throw ConfigError("right_side", fmt::format("{} numbers", system.rightSide.size()),
                      fmt::format("{}, one for each row of the matrix", rows));
  if (!system.lower.empty() && system.lower.size() != columns)
    throw ConfigError("lower", fmt::format("{} numbers", system.lower.size()),
                      fmt::format("{}, one for each column", columns));
  if (!system.upper.empty() && system.upper.size() != columns)
    throw ConfigError("upper", fmt::format("{} numbers", system.upper.size()),
                      fmt::format("{}, one for each column", columns));
}

BoundedSystem boundedSystem(const LinearSystem& system, const std::vector<Row>& further,
                            const std::string& field) {
  checkSizes(system);
  checkNumbers(system, further, field);
  const std::size_t columns = system.matrix.front().size();
  BoundedSystem result;
  for (std::size_t r = 0; r < system.matrix.size(); ++r)
    result.rows.push_back({system.matrix[r], system.rightSide[r], system.rightSide[r]});
  result.rows.insert(result.rows.end(), further.begin(), further.end());
  if (result.rows.size() > kMaximumGivenRows)
    throw ConfigError("where", fmt::format("{} rows and {} conditions", system.matrix.size(), further.size()),
                      fmt::format("{} together", kMaximumGivenRows));
  Box box;
  for (std::size_t j = 0; j < columns; ++j) {
    box.lower.push_back(system.lower.empty() ? 0 : system.lower[j]);
    box.upper.push_back(system.upper.empty() || !system.upper[j] ? Bound{} : Bound{*system.upper[j]});
  }
  narrow(result.rows, box);
  boundTogether(result.rows, box);
  if (!dividesEquations(result.rows))
    result.emptyBecause = "the common divisor of a row does not divide its right side";
  else if (box.isEmpty())
    result.emptyBecause = "the rows and the bounds of the columns exclude each other";
  if (!result.emptyBecause.empty()) {
    result.lower.assign(columns, 0);
    result.upper.assign(columns, 0);
    return result;
  }
  for (const auto& upper : box.upper)
    if (!upper) throw ConfigError("upper", "columns with values beyond 2^60", "bounds within 2^60");
  finish(box, result);
  return result;
}

}  // namespace slicepool::integer_points
