// See endings.hpp.
#include "runtime/integer_points/endings.hpp"

#include <cstring>
#include <memory>
#include <string>

#include "runtime/integer_points/line_reader.hpp"
#include "runtime/integer_points/point_files.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/integer_points/steps/search.hpp"

namespace slicepool::integer_points {
namespace {

/// 2^15 endings of 16 bytes fill the second-level cache of a small core.
constexpr TableLimits kEndingLimits{.entries = 1 << 18, .work = 0x1p26, .points = 1 << 15};
/// Above this part of the columns hardly two lines have the same residuals.
constexpr std::size_t kHighestPart = 2;
constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
constexpr std::uint32_t kLinesAtATime = 1024;

}  // namespace

std::optional<CompletionTable> endingsTable(const PreparedSearch& search) {
  if (!search.conditions.empty()) return std::nullopt;
  TableLimits limits = kEndingLimits;
  limits.highest = (search.system.leaf + 1) / kHighestPart;
  CompletionTable table = completionTable(search.system, limits);
  if (table.level < 1 || table.level > search.system.leaf) return std::nullopt;
  return table;
}

/// Residuals of the table's rows from line to line, and a search of what is below a line that is the first
/// one with its residuals.
class Endings::Maker {
 public:
  Maker(Endings& endings, const PreparedSearch& search, const CompletionTable& table, const Lines& lines)
      : endings_(endings), search_(search), table_(table), lines_(lines), level_(table.level) {
    PreparedSearch whole = search;
    whole.slices.reset();
    problem_ = makeProblem(whole, nullptr, true);
    shape_ = lineShapeOf(search);
    known_.assign(table.counts.size(), kUnknown);
    places_.assign(level_ + 1, 0);
    for (const CompletionTable::Axis& axis : table.axes)
      places_[0] += (search.system.given[axis.row].rightSide - axis.least) * axis.stride;
    for (std::size_t i = 0; i < level_; ++i) {
      std::int64_t change = 0;
      for (const CompletionTable::Axis& axis : table.axes)
        change += search.system.given[axis.row].coefficients[i] * axis.stride;
      changes_.push_back(change);
    }
    first_.assign(shape_.order.size(), 0);
    for (std::size_t i = 0; i < shape_.order.size(); ++i)
      multipliers_.push_back(coordinateMultiplier(static_cast<unsigned>(shape_.order[i])));
    endings.columns_ = shape_.order.size() - level_;
    elementBytes_ = static_cast<std::size_t>(npyTypeOf(shape_).back() - '0');
  }

  void make() {
    endings_.begins_.reserve(lines_.size());
    std::vector<std::int64_t> before(first_);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      readFirst(lines_, i, first_);
      std::size_t changed = 0;
      while (i != 0 && changed + 1 < level_ && first_[changed] == before[changed]) ++changed;
      for (std::size_t k = changed; k < level_; ++k) places_[k + 1] = places_[k] - changes_[k] * first_[k];
      before = first_;
      std::uint32_t& begin = known_.at(static_cast<std::size_t>(places_[level_]));
      if (begin == kUnknown) {
        begin = static_cast<std::uint32_t>(endings_.linear_.size());
        search();
      }
      endings_.begins_.push_back(begin);
    }
  }

 private:
  /// The points with the coordinates of the line, in order.
  void search() {
    SearchSlice<std::int64_t> slice{};
    slice.base = slice.depth = static_cast<std::int16_t>(level_ - 1);
    for (std::size_t i = 0; i < level_; ++i) slice.path[i] = {first_[i], first_[i]};
    std::vector<std::uint64_t> words = problem_->words().fresh();
    std::vector<std::byte> results(kLinesAtATime * problem_->resultBytes());
    for (Turn turn = Turn::budgetSpent; turn != Turn::exhausted;) {
      std::uint32_t used = 0;
      const SinkMemory memory{words.data(), results.data(), &used, kLinesAtATime, nullptr};
      Budget budget{kLinesAtATime};
      turn = problem_->advance(reinterpret_cast<std::byte*>(&slice), budget, memory);
      forEachPoint({shape_, std::span(results).first(used * problem_->resultBytes())},
                   [this](const Point& point) { add(point); });
    }
  }

  void add(const Point& point) {
    std::uint64_t linear = 0;
    const std::size_t row = endings_.rows_.size();
    endings_.rows_.resize(row + point.size() * elementBytes_);
    for (std::size_t i = level_; i < point.size(); ++i) {
      const std::int64_t value = point[shape_.order[i]];
      endings_.values_.push_back(value);
      linear += multipliers_[i] * static_cast<std::uint64_t>(value);
      std::memcpy(endings_.rows_.data() + row + shape_.order[i] * elementBytes_, &value, elementBytes_);
    }
    endings_.linear_.push_back(linear);
  }

  Endings& endings_;
  const PreparedSearch& search_;
  const CompletionTable& table_;
  const Lines& lines_;
  std::size_t level_;
  std::unique_ptr<Problem> problem_;
  LineShape shape_;                   ///< of lines of whole points
  std::vector<std::uint32_t> known_;  ///< by place: the number of its first ending
  std::vector<std::int64_t> places_;  ///< after so many coordinates of the line
  std::vector<std::int64_t> changes_;
  std::vector<std::int64_t> first_;
  std::vector<std::uint64_t> multipliers_;
  std::size_t elementBytes_ = 1;
};

Endings::Endings(const PreparedSearch& search, const CompletionTable& table, const Lines& lines) {
  Maker(*this, search, table, lines).make();
}

}  // namespace slicepool::integer_points
