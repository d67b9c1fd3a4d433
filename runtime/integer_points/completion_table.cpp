// See completion_table.hpp.
//
// The points from a level on depend on the residuals there alone. Residuals of equations that depend on those
// of others, as far as the columns left go, are no digits of a place. A row that was independent and is not
// without the next column determines that column.
#include "runtime/integer_points/completion_table.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/integer_points/exact_rows.hpp"
#include "runtime/integer_points/search_plan.hpp"
#include "runtime/integer_points/wide_division.hpp"

// GCC 12 takes memory inside Boost's rational numbers for uninitialized, where it inlines an assignment.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace slicepool::integer_points {
namespace {

using Wide = __int128;

struct Interval {
  Wide least = 0;
  Wide most = 0;
};

/// The axes of every level.
class Axes {
 public:
  explicit Axes(const OrderedSystem& system) : system_(system) {
    for (const PlanRow& row : system.given) {
      std::vector<Interval> suffix(system.columns() + 1);
      for (std::size_t j = system.columns(); j-- > 0;) {
        const Wide a = static_cast<Wide>(row.coefficients[j]) * system.lower[j];
        const Wide b = static_cast<Wide>(row.coefficients[j]) * system.upper[j];
        suffix[j] = {suffix[j + 1].least + std::min(a, b), suffix[j + 1].most + std::max(a, b)};
      }
      suffix_.push_back(std::move(suffix));
    }
  }

  struct OfLevel {
    std::vector<CompletionTable::Axis> axes;
    Independence independence;           ///< of the equations, by the columns from the level on
    std::vector<std::size_t> equations;  ///< rows that `independence` speaks of
    double entries = 1;
  };

  [[nodiscard]] OfLevel at(std::size_t level) const {
    OfLevel result;
    std::vector<std::vector<std::int64_t>> rows;
    for (std::size_t r = 0; r < system_.given.size(); ++r) {
      const PlanRow& row = system_.given[r];
      if (row.slack != 0) continue;
      result.equations.push_back(r);
      rows.emplace_back(row.coefficients.begin() + static_cast<std::ptrdiff_t>(level),
                        row.coefficients.end());
    }
    result.independence = independenceOf(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (result.independence.isIndependent[i]) addAxis(result, result.equations[i], level);
    for (std::size_t r = 0; r < system_.given.size(); ++r) {
      const PlanRow& row = system_.given[r];
      const bool isOpen = std::any_of(row.coefficients.begin() + static_cast<std::ptrdiff_t>(level),
                                      row.coefficients.end(), [](std::int64_t entry) { return entry != 0; });
      if (row.slack != 0 && isOpen) addAxis(result, r, level);
    }
    constexpr std::int64_t kMaximum = std::numeric_limits<std::int64_t>::max() / 2;
    if (result.entries < static_cast<double>(kMaximum)) {
      std::int64_t stride = 1;
      for (auto axis = result.axes.rbegin(); axis != result.axes.rend(); ++axis) {
        axis->stride = stride;
        stride *= axis->size;
      }
    }
    return result;
  }

 private:
  void addAxis(OfLevel& result, std::size_t r, std::size_t level) const {
    const PlanRow& row = system_.given[r];
    const std::vector<Interval>& suffix = suffix_[r];
    const Wide most =
        std::min(row.rightSide - (suffix[0].least - suffix[level].least), suffix[level].most + row.slack);
    const Wide least = std::max(row.rightSide - (suffix[0].most - suffix[level].most), suffix[level].least);
    CompletionTable::Axis axis;
    axis.row = r;
    axis.least = static_cast<std::int64_t>(least);
    axis.size = static_cast<std::int64_t>(std::max(most - least, Wide{0}) + 1);
    result.entries *= static_cast<double>(axis.size);
    result.axes.push_back(axis);
  }

  const OrderedSystem& system_;
  std::vector<std::vector<Interval>> suffix_;
};

/// The counts of one level, from those of the next one. `Count`: of 64 or 128 bits.
template <class Count>
class LevelFill {
 public:
  LevelFill(const OrderedSystem& system, std::size_t level, const Axes::OfLevel& own,
            const Axes::OfLevel& next, const std::vector<Count>& nextCounts)
      : lower_(system.lower[level]), upper_(system.upper[level]), axes_(own.axes), nextCounts_(nextCounts) {
    for (const CompletionTable::Axis& axis : axes_) {
      const PlanRow& row = system.given[axis.row];
      entries_.push_back(row.coefficients[level]);
      residuals_.push_back(axis.least);
      const auto found =
          std::find_if(next.axes.begin(), next.axes.end(),
                       [&](const CompletionTable::Axis& other) { return other.row == axis.row; });
      const bool stays = found != next.axes.end();
      // The range of the residual that the column may leave, and its part of the next place.
      ranges_.push_back({stays ? found->least : 0, stays ? found->least + found->size - 1 : row.slack});
      strides_.push_back(stays ? found->stride : 0);
      // An equation that leaves is left with what the others say.
      limits_.push_back(stays || row.slack != 0);
      leavesInequality_ = leavesInequality_ || (!stays && row.slack != 0);
      change_ -= strides_.back() * entries_.back();
      back_ += axis.stride * entries_.back();
      offset_ -= stays ? found->least * found->stride : 0;
    }
    findDetermined(next);
  }

  /// Empty where `stops` says so.
  [[nodiscard]] std::vector<Count> counts(const std::function<bool()>& stops) {
    const auto size = static_cast<std::size_t>(std::accumulate(
        axes_.begin(), axes_.end(), std::int64_t{1},
        [](std::int64_t product, const CompletionTable::Axis& axis) { return product * axis.size; }));
    counts_.assign(size, 0);
    // The place that a sum goes on from comes before.
    const bool ascending = back_ >= 0;
    if (!ascending)
      for (std::size_t i = 0; i < axes_.size(); ++i) residuals_[i] = axes_[i].least + axes_[i].size - 1;
    for (std::size_t i = 0; i < size; ++i) {
      if (i % kAsked == 0 && stops && stops()) return {};
      const std::size_t place = ascending ? i : size - 1 - i;
      counts_[place] = countAt(static_cast<std::int64_t>(place));
      if (ascending)
        stepUp();
      else
        stepDown();
    }
    return std::move(counts_);
  }

 private:
  /// The column of a level that an equation determines when it leaves: divisor_ * x = sum of weights *
  /// residuals.
  void findDetermined(const Axes::OfLevel& next) {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (limits_[i]) continue;
      const auto at = static_cast<std::size_t>(
          std::find(next.equations.begin(), next.equations.end(), axes_[i].row) - next.equations.begin());
      const std::vector<Rational>& combination = next.independence.combination[at];
      std::vector<Rational> weights(axes_.size() + 1);
      weights[i] = 1;
      for (std::size_t k = 0; k < next.equations.size(); ++k) {
        if (combination[k].is_zero()) continue;
        for (std::size_t other = 0; other < axes_.size(); ++other)
          if (axes_[other].row == next.equations[k]) weights[other] -= combination[k];
      }
      for (std::size_t other = 0; other < axes_.size(); ++other)
        weights.back() += weights[other] * entries_[other];
      const auto integers = small(primitive(weights));
      isDetermined_ = true;
      if (!integers) {
        isUsable_ = false;
        return;
      }
      weights_ = *integers;
      divisor_ = weights_.back();
      weights_.pop_back();
      if (divisor_ < 0) {
        divisor_ = -divisor_;
        for (std::int64_t& weight : weights_) weight = -weight;
      }
    }
  }

  [[nodiscard]] Count countAt(std::int64_t place) const {
    Wide first = lower_;
    Wide last = upper_;
    if (isDetermined_) {
      Wide sum = 0;
      for (std::size_t i = 0; i < axes_.size(); ++i) sum += static_cast<Wide>(weights_[i]) * residuals_[i];
      if (sum % divisor_ != 0) return 0;
      first = std::max(first, sum / divisor_);
      last = std::min(last, sum / divisor_);
    }
    std::int64_t at = offset_;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      at += residuals_[i] * strides_[i];
      if (!limits_[i]) continue;
      const std::int64_t c = entries_[i];
      if (c == 0) {
        if (residuals_[i] < ranges_[i].least || residuals_[i] > ranges_[i].most) return 0;
        continue;
      }
      const Wide most = c > 0 ? residuals_[i] - ranges_[i].least : ranges_[i].most - residuals_[i];
      const Wide least = c > 0 ? residuals_[i] - ranges_[i].most : ranges_[i].least - residuals_[i];
      const Wide size = c > 0 ? c : -static_cast<Wide>(c);
      last = std::min(last, size == 1 ? most : floorOf(most, size));
      first = std::max(first, size == 1 ? least : -floorOf(-least, size));
    }
    if (last < first) return 0;
    const auto number = static_cast<std::uint64_t>(last - first) + 1;
    if (change_ == 0) return number * nextCounts_[static_cast<std::size_t>(at)];
    if (number > kShort && !isDetermined_ && !leavesInequality_) {
      if (const auto sum = slid(place)) return *sum;
    }
    Count sum = 0;
    std::int64_t from = at + static_cast<std::int64_t>(first) * change_;
    for (std::uint64_t i = 0; i < number; ++i, from += change_)
      sum += nextCounts_[static_cast<std::size_t>(from)];
    return sum;
  }

  /// From the sum at the residuals less one column: the first value is new, and one beyond the last is lost.
  [[nodiscard]] std::optional<Count> slid(std::int64_t place) const {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::int64_t digit = residuals_[i] - entries_[i] - axes_[i].least;
      if (digit < 0 || digit >= axes_[i].size) return std::nullopt;
    }
    return counts_[static_cast<std::size_t>(place - back_)] + nextAt(lower_) - nextAt(upper_ + 1);
  }

  [[nodiscard]] Count nextAt(std::int64_t value) const {
    std::int64_t at = offset_ + value * change_;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Wide left = residuals_[i] - static_cast<Wide>(entries_[i]) * value;
      if (left < ranges_[i].least || left > ranges_[i].most) return 0;
      at += residuals_[i] * strides_[i];
    }
    return nextCounts_[static_cast<std::size_t>(at)];
  }

  void stepUp() {
    for (std::size_t i = axes_.size(); i-- > 0;) {
      if (++residuals_[i] < axes_[i].least + axes_[i].size) return;
      residuals_[i] = axes_[i].least;
    }
  }
  void stepDown() {
    for (std::size_t i = axes_.size(); i-- > 0;) {
      if (--residuals_[i] >= axes_[i].least) return;
      residuals_[i] = axes_[i].least + axes_[i].size - 1;
    }
  }

 public:
  /// False: a weight is too large.
  [[nodiscard]] bool isUsable() const { return isUsable_; }

 private:
  static constexpr std::size_t kAsked = 1U << 14;  ///< entries between two questions whether to stop
  static constexpr std::uint64_t kShort = 4;       ///< sums that are quicker than looking for another one

  std::int64_t lower_;
  std::int64_t upper_;
  const std::vector<CompletionTable::Axis>& axes_;
  const std::vector<Count>& nextCounts_;
  std::vector<std::int64_t> entries_;    ///< of the column
  std::vector<std::int64_t> residuals_;  ///< of the place that is filled
  std::vector<Interval> ranges_;
  std::vector<std::int64_t> strides_;  ///< in the next table
  std::vector<bool> limits_;
  bool leavesInequality_ = false;
  bool isDetermined_ = false;
  bool isUsable_ = true;
  std::vector<std::int64_t> weights_;
  std::int64_t divisor_ = 1;
  std::int64_t change_ = 0;  ///< of the next place, by one value
  std::int64_t back_ = 0;    ///< of this place, by one value
  std::int64_t offset_ = 0;
  std::vector<Count> counts_;
};

/// The tables of one level after another, from the last column up.
template <class Count>
class TableStack {
 public:
  /// `done`: work that was done before.
  TableStack(const OrderedSystem& system, const Axes& axes, const TableLimits& limits, std::size_t level,
             std::vector<Count> counts, double done)
      : system_(system),
        axes_(axes),
        limits_(limits),
        level_(level),
        counts_(std::move(counts)),
        done_(done) {
    next_ = axes_.at(level_);
  }

  /// The table of the level above, whose sums stay below `room`. False: the limits do not allow it.
  bool goUp(double room, const std::function<bool()>& stops) {
    const std::size_t level = level_ - 1;
    Axes::OfLevel own = axes_.at(level);
    const auto values = static_cast<double>(system_.upper[level] - system_.lower[level]) + 1;
    const auto most = static_cast<double>(*std::max_element(counts_.begin(), counts_.end()));
    if (own.entries > limits_.entries || most * values > room) return false;
    // Sums at the edge of the range of a residual are made anew.
    const double work = own.entries * (static_cast<double>(own.axes.size()) + std::min(values, 64.0));
    done_ += work;
    if (done_ > limits_.work) return false;
    LevelFill<Count> fill(system_, level, own, next_, counts_);
    if (!fill.isUsable()) return false;
    std::vector<Count> counts = fill.counts(stops);
    if (counts.empty()) return false;
    if (std::accumulate(counts.begin(), counts.end(), 0.0, [](double sum, Count count) {
          return sum + static_cast<double>(count);
        }) > limits_.points)
      return false;
    counts_ = std::move(counts);
    level_ = level;
    next_ = std::move(own);
    return true;
  }

  [[nodiscard]] std::size_t level() const { return level_; }
  [[nodiscard]] const std::vector<CompletionTable::Axis>& axes() const { return next_.axes; }
  [[nodiscard]] std::vector<Count>& counts() { return counts_; }
  [[nodiscard]] double work() const { return done_; }

 private:
  const OrderedSystem& system_;
  const Axes& axes_;
  const TableLimits& limits_;
  std::size_t level_;
  std::vector<Count> counts_;
  double done_;
  Axes::OfLevel next_;
};

}  // namespace

double tableEntries(const OrderedSystem& system) {
  const Axes axes(system);
  double entries = 0;
  for (std::size_t level = 0; level < system.columns(); ++level) entries += axes.at(level).entries;
  return entries;
}

CompletionTable completionTable(const OrderedSystem& system, const TableLimits& limits,
                                const std::function<bool()>& stops) {
  const Axes axes(system);
  TableStack<std::uint64_t> stack(system, axes, limits, system.columns(), {1}, 0);
  while (stack.level() > limits.highest && stack.goUp(0x1p62, stops)) {}
  return {stack.level(),
          stack.level() == system.columns() ? std::vector<CompletionTable::Axis>() : stack.axes(),
          std::move(stack.counts()), stack.work()};
}

std::optional<unsigned __int128> wideCount(const OrderedSystem& system, const CompletionTable& table,
                                           const TableLimits& limits, const std::function<bool()>& stops) {
  const Axes axes(system);
  for (std::size_t level = 0; level < table.level; ++level)
    if (axes.at(level).entries > limits.entries) return std::nullopt;
  TableStack<unsigned __int128> stack(system, axes, limits, table.level,
                                      {table.counts.begin(), table.counts.end()}, table.work);
  while (stack.level() > 0)
    if (!stack.goUp(0x1p124, stops)) return std::nullopt;
  return stack.counts().front();
}

}  // namespace slicepool::integer_points

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
