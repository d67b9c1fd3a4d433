// See search_plan.hpp.
#include "runtime/integer_points/search_plan.hpp"
#include "runtime/integer_points/wide_division.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace slicepool::integer_points {
namespace {

using Wide = __int128;

/// Of a, modulo m > 1, which have no common divisor.
std::int64_t inverseOf(std::int64_t a, std::int64_t m) {
  Wide r0 = m;
  Wide r1 = (a % m + m) % m;
  Wide t0 = 0;
  Wide t1 = 1;
  while (r1 != 0) {
    const Wide q = r0 / r1;
    std::swap(r0, r1);
    r1 -= q * r0;
    std::swap(t0, t1);
    t1 -= q * t0;
  }
  return static_cast<std::int64_t>((t0 % m + m) % m);
}

/// Numbers in a search with Int stay below this. Differences of two of them must fit.
template <class Int>
constexpr Wide kLimit = Wide{1} << (sizeof(Int) * 8 - 3);
/// Products of two residues as well.
template <class Int>
constexpr Wide kModulusLimit = Wide{1} << (sizeof(Int) * 4 - 2);

template <class Int>
class PlanMaker {
 public:
  PlanMaker(const OrderedSystem& system, const CompletionTable* table,
            const std::vector<ColumnCondition>& conditions, std::uint64_t piece)
      : system_(system), table_(table), columns_(system.columns()) {
    rows_ = system.given;
    rows_.insert(rows_.end(), system.derived.begin(), system.derived.end());
    leaf_ = table == nullptr ? system.leaf : table->level - 1;
    usesTails_ = table == nullptr && leaf_ + 1 < columns_;
    tables_.plan.piece = conditions.empty() ? piece : 1;
    isWhole_ = piece == ~std::uint64_t{0};
    addConditions(conditions);
  }

  std::optional<PlanTables<Int>> make() {
    if (!boundsFit()) return std::nullopt;
    for (PlanRow& row : rows_)
      if (!fits(row)) return std::nullopt;
    findReach();
    lastUse_.assign(rows_.size(), -1);
    for (std::size_t level = 0; level <= leaf_; ++level)
      if (!addLevel(level)) return std::nullopt;
    for (std::size_t level = leaf_ + 1; level < columns_; ++level) addBounds(level);
    if (!addTails()) return std::nullopt;
    addDigits();
    addEntries();
    countPlainTerms();
    if (tables_.rightSides.size() > kMaximumRows) return std::nullopt;
    SearchPlan<Int>& plan = tables_.plan;
    plan.columns = static_cast<std::int32_t>(columns_);
    plan.rows = static_cast<std::int32_t>(tables_.rightSides.size());
    plan.leaf = static_cast<std::int32_t>(leaf_);
    plan.digitCount = static_cast<std::int32_t>(tables_.digits.size());
    plan.conditionCount = static_cast<std::int32_t>(tables_.conditions.size());
    return std::move(tables_);
  }

 private:
  /// Of a column, in absolute value.
  [[nodiscard]] Wide mostOf(std::size_t j) const {
    return std::max(system_.lower[j] < 0 ? -static_cast<Wide>(system_.lower[j]) : system_.lower[j],
                    system_.upper[j] < 0 ? -static_cast<Wide>(system_.upper[j]) : system_.upper[j]);
  }
  /// Columns that no row has are among them.
  [[nodiscard]] bool boundsFit() const {
    for (std::size_t j = 0; j < columns_; ++j)
      if (mostOf(j) >= kLimit<Int>) return false;
    return true;
  }
  [[nodiscard]] bool fits(const PlanRow& row) const {
    Wide sum = (row.rightSide < 0 ? -static_cast<Wide>(row.rightSide) : row.rightSide) + row.slack;
    for (std::size_t j = 0; j < columns_; ++j) {
      const Wide c = row.coefficients[j];
      sum += (c < 0 ? -c : c) * std::max(mostOf(j), Wide{1});
    }
    return sum < kLimit<Int>;
  }

  struct Interval {
    Wide least = 0;
    Wide most = 0;
  };

  /// What the columns from a level on contribute: suffix_[row][level], without the slack.
  void findReach() {
    for (const PlanRow& row : rows_) {
      std::vector<Interval> suffix(columns_ + 1);
      for (std::size_t j = columns_; j-- > 0;) {
        const Interval one = contribution(row, j);
        suffix[j] = {suffix[j + 1].least + one.least, suffix[j + 1].most + one.most};
      }
      suffix_.push_back(std::move(suffix));
    }
  }
  [[nodiscard]] Interval contribution(const PlanRow& row, std::size_t j) const {
    const Wide a = static_cast<Wide>(row.coefficients[j]) * system_.lower[j];
    const Wide b = static_cast<Wide>(row.coefficients[j]) * system_.upper[j];
    return {std::min(a, b), std::max(a, b)};
  }
  /// The residuals at a level that columns before it can leave and columns from it on can use.
  [[nodiscard]] Interval residuals(std::size_t r, std::size_t level) const {
    const PlanRow& row = rows_[r];
    const std::vector<Interval>& suffix = suffix_[r];
    const Wide before = suffix[0].most - suffix[level].most;
    const Wide beforeLeast = suffix[0].least - suffix[level].least;
    return {std::max(row.rightSide - before, suffix[level].least),
            std::min(row.rightSide - beforeLeast, suffix[level].most + row.slack)};
  }

  bool addLevel(std::size_t level) {
    addBounds(level);
    Level<Int>& made = tables_.levels.back();
    made.firstTerm = static_cast<std::int16_t>(tables_.terms.size());
    made.firstCongruence = static_cast<std::int16_t>(tables_.congruences.size());
    std::int64_t step = 1;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const PlanRow& row = rows_[r];
      if (row.coefficients[level] == 0) continue;
      if (level == leaf_ && usesTails_ && !row.atLeaf) continue;
      addTerm(r, level);
      if (row.slack == 0 && !addCongruence(r, level, step)) return false;
    }
    made.terms = static_cast<std::int16_t>(static_cast<std::int16_t>(tables_.terms.size()) - made.firstTerm);
    made.congruences = static_cast<std::int16_t>(static_cast<std::int16_t>(tables_.congruences.size()) -
                                                 made.firstCongruence);
    made.step = static_cast<Int>(step);
    return true;
  }

  void addBounds(std::size_t level) {
    Level<Int> made{};
    made.lower = static_cast<Int>(system_.lower[level]);
    made.upper = static_cast<Int>(system_.upper[level]);
    made.step = 1;
    tables_.levels.push_back(made);
  }

  void addTerm(std::size_t r, std::size_t level) {
    const PlanRow& row = rows_[r];
    const std::int64_t c = row.coefficients[level];
    const Wide size = c < 0 ? -static_cast<Wide>(c) : c;
    Wide least = suffix_[r][level + 1].least;
    Wide most = suffix_[r][level + 1].most + row.slack;
    Interval residual = residuals(r, level);
    if (c < 0) {
      std::swap(least, most);
      least = -least;
      most = -most;
      std::swap(residual.least, residual.most);
      residual = {-residual.least, -residual.most};
    }
    // A row that bounds nothing here needs no look.
    const bool boundsAbove = floorOf(residual.least - least, size) < system_.upper[level];
    const bool boundsBelow = -floorOf(most - residual.most, size) > system_.lower[level];
    if (!boundsAbove && !boundsBelow) return;
    const int sign = c < 0 ? -1 : 1;
    Wide change = 0;
    if (level == leaf_ && level > 0)
      change = -sign * static_cast<Wide>(row.coefficients[level - 1]) * tables_.levels[level - 1].step;
    if (change >= kLimit<Int> || -change >= kLimit<Int>) {
      change = 0;
      leafChangeFits_ = false;
    }
    tables_.terms.push_back({static_cast<Int>(size), static_cast<Int>(least), static_cast<Int>(most),
                             static_cast<Int>(change), static_cast<std::int16_t>(r),
                             static_cast<std::int16_t>(sign)});
    use(r, level);
  }

  /// False where a column below the leaf might not be an integer then; elsewhere a congruence only makes the
  /// search faster.
  bool addCongruence(std::size_t r, std::size_t level, std::int64_t& step) {
    const PlanRow& row = rows_[r];
    std::int64_t later = 0;
    for (std::size_t j = level + 1; j < columns_; ++j) later = std::gcd(later, row.coefficients[j]);
    if (later == 0) return true;
    const std::int64_t divisor = std::gcd(later, row.coefficients[level]);
    const std::int64_t modulus = later / divisor;
    if (modulus == 1) return true;
    const std::int64_t common = std::gcd(step, modulus);
    const Wide next = static_cast<Wide>(step / common) * modulus;
    if (modulus >= kModulusLimit<Int> || next >= kLimit<Int>) return !(level == leaf_ && usesTails_);
    Congruence<Int> made{};
    made.divisor = static_cast<Int>(divisor);
    made.modulus = static_cast<Int>(modulus);
    made.inverse = static_cast<Int>(inverseOf(row.coefficients[level] / divisor, modulus));
    made.before = static_cast<Int>(step);
    made.common = static_cast<Int>(common);
    made.beforeInverse = static_cast<Int>(modulus == common ? 0 : inverseOf(step / common, modulus / common));
    made.row = static_cast<std::int32_t>(r);
    tables_.congruences.push_back(made);
    use(r, level);
    step = static_cast<std::int64_t>(next);
    return true;
  }

  bool addTails() {
    if (!usesTails_) return true;
    const Wide step = tables_.levels[leaf_].step;
    for (std::size_t column = leaf_ + 1; column < columns_; ++column) {
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const PlanRow& row = rows_[r];
        if (!row.atLeaf || row.tailOf != column) continue;
        const Wide change = row.coefficients[leaf_] * step;
        if (change >= kLimit<Int> || -change >= kLimit<Int>) return false;
        tables_.tails.push_back({static_cast<Int>(row.coefficients[column]),
                                 static_cast<Int>(row.coefficients[leaf_]), static_cast<std::int32_t>(r), 0});
        use(r, leaf_);
      }
    }
    return tables_.tails.size() + leaf_ + 1 == columns_;
  }

  void addDigits() {
    if (table_ == nullptr) return;
    tables_.completions = table_->counts;
    for (const CompletionTable::Axis& axis : table_->axes) {
      tables_.digits.push_back({axis.least, axis.stride, static_cast<std::int32_t>(axis.row), 0});
      tables_.plan.stride -= axis.stride * rows_[axis.row].coefficients[leaf_];
      use(axis.row, leaf_);
    }
  }

  void use(std::size_t r, std::size_t level) { lastUse_[r] = std::max(lastUse_[r], static_cast<int>(level)); }

  /// Rows are numbered anew, without those that no level reads. A residual that is not looked at again is
  /// not kept either.
  void addEntries() {
    std::vector<std::int32_t> number(rows_.size(), -1);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (lastUse_[r] < 0) continue;
      number[r] = static_cast<std::int32_t>(tables_.rightSides.size());
      tables_.rightSides.push_back(static_cast<Int>(rows_[r].rightSide));
    }
    const auto renumber = [&](auto& row) {
      row = static_cast<std::remove_reference_t<decltype(row)>>(number[static_cast<std::size_t>(row)]);
    };
    for (auto& term : tables_.terms) renumber(term.row);
    for (auto& congruence : tables_.congruences) renumber(congruence.row);
    for (auto& tail : tables_.tails) renumber(tail.row);
    for (auto& digit : tables_.digits) renumber(digit.row);
    for (std::size_t level = 0; level < leaf_; ++level) {
      Level<Int>& made = tables_.levels[level];
      made.firstEntry = static_cast<std::int16_t>(tables_.entries.size());
      for (std::size_t r = 0; r < rows_.size(); ++r)
        if (rows_[r].coefficients[level] != 0 && lastUse_[r] > static_cast<int>(level))
          tables_.entries.push_back({static_cast<Int>(rows_[r].coefficients[level]), number[r]});
      made.entries =
          static_cast<std::int16_t>(static_cast<std::int16_t>(tables_.entries.size()) - made.firstEntry);
    }
  }

  /// Where lines are counted and nothing else, the terms of the leaf are enough for several of them at once.
  void countPlainTerms() {
    const Level<Int>& level = tables_.levels[leaf_];
    bool isPlain = leaf_ > 0 && table_ == nullptr && tables_.conditions.empty() && level.congruences == 0 &&
                   level.terms > 0 && level.terms <= kMaximumPlainTerms && isWhole_;
    for (int i = 0; i < level.terms; ++i) {
      const Term<Int>& term =
          tables_.terms[static_cast<std::size_t>(level.firstTerm) + static_cast<std::size_t>(i)];
      isPlain = isPlain && term.size == 1 && leafChangeFits_;
    }
    tables_.plan.plainTerms = isPlain ? level.terms : 0;
    const std::uint64_t longest =
        static_cast<std::uint64_t>(level.upper) - static_cast<std::uint64_t>(level.lower) + 1;
    tables_.plan.linesAtOnce =
        std::max<std::uint64_t>(1, (std::uint64_t{1} << 63) / std::max<std::uint64_t>(1, longest));
  }

  void addConditions(const std::vector<ColumnCondition>& conditions) {
    for (const ColumnCondition& condition : conditions) {
      PointCondition made{};
      for (std::size_t level = 0; level < columns_; ++level)
        made.coefficients[level] = condition.coefficients[system_.order[level]];
      made.bound = condition.bound;
      made.relation = condition.relation;
      made.alternative = condition.alternative ? 1 : 0;
      tables_.conditions.push_back(made);
    }
  }

  const OrderedSystem& system_;
  const CompletionTable* table_;
  std::size_t columns_;
  std::size_t leaf_ = 0;
  bool usesTails_ = false;
  bool leafChangeFits_ = true;
  bool isWhole_ = false;  ///< a line is emitted at once, however long it is
  std::vector<PlanRow> rows_;
  std::vector<std::vector<Interval>> suffix_;
  std::vector<int> lastUse_;  ///< level at which the residual is looked at; -1: none
  PlanTables<Int> tables_;
};

}  // namespace

template <class Int>
std::optional<PlanTables<Int>> planTables(const OrderedSystem& system, const CompletionTable* table,
                                          const std::vector<ColumnCondition>& conditions,
                                          std::uint64_t piece) {
  return PlanMaker<Int>(system, table, conditions, piece).make();
}

template std::optional<PlanTables<std::int32_t>> planTables(const OrderedSystem&, const CompletionTable*,
                                                            const std::vector<ColumnCondition>&,
                                                            std::uint64_t);
template std::optional<PlanTables<std::int64_t>> planTables(const OrderedSystem&, const CompletionTable*,
                                                            const std::vector<ColumnCondition>&,
                                                            std::uint64_t);

}  // namespace slicepool::integer_points
