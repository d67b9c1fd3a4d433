// See problem_factory.hpp.
#include "runtime/integer_points/problem_factory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "runtime/integer_points/conditions.hpp"
#include "runtime/integer_points/request_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/integer_points/steps/search.hpp"

namespace slicepool::integer_points {
namespace {

constexpr std::uint64_t kHashedPiece = 4096;  ///< points that an emitter looks at one by one

/// All tables of a plan but the completions, one after another: one copy to a device.
template <class Int>
class PlanMemory {
 public:
  explicit PlanMemory(PlanTables<Int> tables) : tables_(std::move(tables)) {
    place(tables_.levels, levels_);
    place(tables_.terms, terms_);
    place(tables_.congruences, congruences_);
    place(tables_.entries, entries_);
    place(tables_.rightSides, rightSides_);
    place(tables_.tails, tails_);
    place(tables_.digits, digits_);
    place(tables_.conditions, conditions_);
  }

  [[nodiscard]] std::vector<Table> tables() const {
    std::vector<Table> all{{bytes_.data(), bytes_.size() * sizeof(std::uint64_t)}};
    if (!tables_.completions.empty())
      all.push_back({tables_.completions.data(), tables_.completions.size() * sizeof(std::uint64_t)});
    return all;
  }
  [[nodiscard]] SearchPlan<Int> over(std::span<const void* const> addresses) const {
    SearchPlan<Int> plan = tables_.plan;
    const auto* const base = static_cast<const std::byte*>(addresses[0]);
    const auto set = [&](auto& pointer, std::size_t at) {
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(base + at);
    };
    set(plan.levels, levels_);
    set(plan.terms, terms_);
    set(plan.congruences, congruences_);
    set(plan.entries, entries_);
    set(plan.rightSides, rightSides_);
    set(plan.tails, tails_);
    set(plan.digits, digits_);
    set(plan.conditions, conditions_);
    plan.completions = addresses.size() > 1 ? static_cast<const std::uint64_t*>(addresses[1]) : nullptr;
    return plan;
  }

 private:
  template <class T>
  void place(const std::vector<T>& entries, std::size_t& at) {
    at = bytes_.size() * sizeof(std::uint64_t);
    const std::size_t size = entries.size() * sizeof(T);
    bytes_.resize(bytes_.size() + size / sizeof(std::uint64_t) + 1);
    if (size != 0) std::memcpy(reinterpret_cast<std::byte*>(bytes_.data()) + at, entries.data(), size);
  }

  PlanTables<Int> tables_;
  std::vector<std::uint64_t> bytes_;
  std::size_t levels_ = 0, terms_ = 0, congruences_ = 0, entries_ = 0, rightSides_ = 0, tails_ = 0,
              digits_ = 0, conditions_ = 0;
};

template <class Int, class S>
std::unique_ptr<Problem> problemOver(const PreparedSearch& search, PlanTables<Int> tables,
                                     const typename S::View& sinkView, WordLayout layout) {
  const auto memory = std::make_shared<const PlanMemory<Int>>(std::move(tables));
  ProblemTraits traits;
  traits.workload = "integer_points";
  const std::vector<Table> all = memory->tables();
  std::vector<const void*> addresses;
  addresses.reserve(all.size());
  for (const Table& table : all) addresses.push_back(table.data);
  std::vector<SearchSlice<Int>> roots(1);
  if (search.slices) {
    roots.resize(search.slices->size() / sizeof(SearchSlice<Int>));
    if (!roots.empty()) std::memcpy(roots.data(), search.slices->data(), search.slices->size());
  } else if (!Search<Int>::root(memory->over(addresses), roots.front())) {
    roots.clear();
  }
  return std::make_unique<TypedProblem<Search<Int>, S>>(
      all, [memory](std::span<const void* const> at) { return memory->over(at); }, std::move(roots),
      std::move(layout), [sinkView](std::byte*) { return sinkView; }, std::move(traits));
}

template <class Int>
std::unique_ptr<Problem> collecting(const PreparedSearch& search, PlanTables<Int> tables) {
  const LineShape shape = lineShapeOf(search);
  const auto with = [&]<int kBytes>() {
    using S = CollectLines<kBytes>;
    return problemOver<Int, S>(search, std::move(tables), {shape.width}, S::layout());
  };
  switch (shape.recordBytes) {
    case 32: return with.template operator()<32>();
    case 72: return with.template operator()<72>();
    case 264: return with.template operator()<264>();
    default: return with.template operator()<520>();
  }
}

/// `table`: whether there is one, of which a count adds an entry for each value of a line.
std::uint64_t pieceOf(const PreparedSearch& search, bool table) {
  if (table && collects(search.sink)) return 1;  // a value with its endings
  if (search.sink == SinkKind::list) return kMaximumPiece;
  // Some points are wanted, and no more than these.
  if (collects(search.sink)) return 1;
  const bool looksAtEach = search.fingerprint || search.sink == SinkKind::sums || table;
  return looksAtEach ? kHashedPiece : ~std::uint64_t{0};
}

template <class Int>
std::unique_ptr<Problem> problemWith(const PreparedSearch& search, const CompletionTable* table) {
  auto tables = planTables<Int>(search.system, table, search.conditions, pieceOf(search, table != nullptr));
  if (!tables) return nullptr;
  if (collects(search.sink)) return collecting<Int>(search, std::move(*tables));
  if (!search.fingerprint && search.sink != SinkKind::sums)
    return problemOver<Int, Tally>(search, std::move(*tables), {}, Tally::layout());
  Digest::View view{};
  for (std::size_t level = 0; level < search.system.columns(); ++level)
    view.multipliers[level] = coordinateMultiplier(static_cast<unsigned>(search.system.order[level]));
  view.leastSum = search.leastSum;
  view.columns = static_cast<std::int32_t>(search.system.columns());
  view.bins = search.bins;
  return problemOver<Int, Digest>(search, std::move(*tables), view, Digest::layout(search.bins));
}

std::vector<std::size_t> identityOrder(std::size_t columns) {
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Columns of the largest entries first: few values, and the last columns have many.
std::vector<std::size_t> bySize(const BoundedSystem& system) {
  std::vector<std::size_t> order = identityOrder(system.columns());
  const auto sizeOf = [&](std::size_t column) {
    double size = 0;
    for (const Row& row : system.rows)
      size = std::max(size, std::abs(static_cast<double>(row.coefficients[column])));
    return size;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizeOf(a) > sizeOf(b); });
  return order;
}

/// Row after row: next is a column of the row with the fewest columns left.
std::vector<std::size_t> byRows(const BoundedSystem& system) {
  std::vector<std::size_t> order;
  std::vector<bool> taken(system.columns());
  while (order.size() < system.columns()) {
    std::size_t best = system.columns();
    std::size_t fewest = 0;
    for (const Row& row : system.rows) {
      std::size_t left = 0;
      std::size_t first = system.columns();
      for (std::size_t j = system.columns(); j-- > 0;) {
        if (taken[j] || row.coefficients[j] == 0) continue;
        ++left;
        first = j;
      }
      if (left == 0 || (best != system.columns() && left >= fewest)) continue;
      best = first;
      fewest = left;
    }
    if (best == system.columns())
      best = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    taken[best] = true;
    order.push_back(best);
  }
  return order;
}

/// A list comes in the order of its columns. Otherwise the order with the fewest residuals, by their ranges.
OrderedSystem orderOf(const BoundedSystem& system, SinkKind sink) {
  if (sink != SinkKind::list && system.rows.size() == 1) return orderedSystem(system, bySize(system));
  OrderedSystem given = orderedSystem(system, identityOrder(system.columns()));
  if (sink == SinkKind::list || given.isEmpty) return given;
  OrderedSystem other = orderedSystem(system, byRows(system));
  return tableEntries(other) < tableEntries(given) ? other : given;
}

Row rowOf(const Condition& condition) {
  Row row;
  row.coefficients = condition.coefficients;
  if (condition.relation <= 0) row.most = condition.bound;
  if (condition.relation >= 0) row.least = condition.bound;
  return row;
}

/// Sums of conditions must fit, as those of rows.
void requireFits(const BoundedSystem& system, const Condition& condition, const std::string& field) {
  __int128 sum = condition.bound < 0 ? -static_cast<__int128>(condition.bound) : condition.bound;
  for (std::size_t j = 0; j < system.columns(); ++j) {
    const __int128 c = condition.coefficients[j];
    const __int128 most = std::max(std::abs(system.lower[j]), std::abs(system.upper[j]));
    sum += (c < 0 ? -c : c) * most;
    if (sum > kMaximumMagnitude)
      throw ConfigError(field, "a condition whose sums may be beyond 2^60", "smaller numbers");
  }
}

}  // namespace

PreparedSearch prepareSearch(const Request& request) {
  const std::size_t columns = request.system.matrix.front().size();
  Alternatives conditions = parseAlternatives(request.system.where, columns, "where");
  if (sinkOf(request).asks()) {
    Alternatives asked = parseAlternatives(request.condition, columns, "sink");
    if (request.sink == SinkKind::all) asked = negationOf(asked, "sink");
    conditions = bothOf(conditions, asked, "sink");
  }
  std::vector<Row> further;
  if (conditions.size() == 1)
    for (const Condition& condition : conditions.front()) further.push_back(rowOf(condition));
  const std::string field = request.condition.empty() ? "where" : "sink";
  const BoundedSystem system = boundedSystem(request.system, further, field);
  PreparedSearch search;
  search.sink = request.sink;
  search.fingerprint = request.fingerprint;
  search.emptyBecause = system.emptyBecause;
  if (!search.emptyBecause.empty()) return search;
  for (std::size_t g = 0; conditions.size() > 1 && g < conditions.size(); ++g) {
    for (std::size_t i = 0; i < conditions[g].size(); ++i) {
      const Condition& condition = conditions[g][i];
      requireFits(system, condition, field);
      search.conditions.push_back(
          {condition.coefficients, condition.bound, condition.relation, g != 0 && i == 0});
    }
  }
  search.system = orderOf(system, request.sink);
  if (search.system.isEmpty) {
    search.emptyBecause = "the rows contradict each other, or leave no integers";
    return search;
  }
  // Where the columns below the leaf follow by numbers that are too large, each has a level of its own.
  if (!planTables<std::int64_t>(search.system, nullptr, search.conditions, 1))
    search.system.leaf = search.system.columns() - 1;
  if (request.sink == SinkKind::sums) {
    __int128 least = 0;
    __int128 most = 0;
    for (std::size_t j = 0; j < system.columns(); ++j) {
      least += system.lower[j];
      most += system.upper[j];
    }
    if (most - least >= Digest::kMaximumBins)
      throw ConfigError("sink",
                        fmt::format("sums, which may have {} values", static_cast<double>(most - least) + 1),
                        fmt::format("sums of at most {} values", Digest::kMaximumBins));
    search.leastSum = static_cast<std::int64_t>(least);
    search.bins = static_cast<std::int32_t>(most - least) + 1;
  }
  return search;
}

std::unique_ptr<Problem> makeProblem(const PreparedSearch& search, const CompletionTable* table, bool wide) {
  if (!wide) {
    if (auto problem = problemWith<std::int32_t>(search, table)) return problem;
  }
  if (auto problem = problemWith<std::int64_t>(search, table)) return problem;
  throw ConfigError("matrix", "rows whose sums may be beyond 2^60", "smaller numbers or narrower bounds");
}

LineShape emptyShape(std::size_t columns) {
  LineShape shape;
  shape.order = identityOrder(columns);
  shape.lower.assign(columns, 0);
  shape.upper.assign(columns, 0);
  return shape;
}

LineShape lineShapeOf(const PreparedSearch& search) {
  const OrderedSystem& system = search.system;
  LineShape shape;
  shape.order = system.order;
  shape.lower = system.lower;
  shape.upper = system.upper;
  shape.coordinates = system.columns();
  std::uint64_t widest = 0;
  for (std::size_t level = 0; level < system.columns(); ++level)
    widest = std::max(widest, static_cast<std::uint64_t>(system.upper[level]) -
                                  static_cast<std::uint64_t>(system.lower[level]));
  shape.width = widest < 1U << 8 ? 1 : widest < 1U << 16 ? 2 : widest < std::uint64_t{1} << 32 ? 4 : 8;
  const int bytes = kCountBytes + shape.width * static_cast<int>(system.columns());
  for (const int size : {32, 72, 264, 520}) {
    shape.recordBytes = size;
    if (bytes <= size) break;
  }
  const auto tables = planTables<std::int64_t>(system, nullptr, search.conditions, pieceOf(search, false));
  if (!tables) return shape;
  SearchPlan<std::int64_t> plan = tables->plan;
  plan.levels = tables->levels.data();
  plan.tails = tables->tails.data();
  for (int level = 0; level < plan.columns; ++level) shape.increments.push_back(increment(plan, level));
  return shape;
}

}  // namespace slicepool::integer_points
