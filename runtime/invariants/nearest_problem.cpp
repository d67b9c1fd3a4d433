// Implementation of nearest_problem.hpp.
#include "runtime/invariants/nearest_problem.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "cpu_workers/invariants/nearest_turn.hpp"
#include "slicepool/invariants/sinks.hpp"

namespace slicepool::invariants {

struct NearestTables {
  std::vector<std::uint16_t> narrow;  ///< coordinates by lines, then lengths; one of the two is empty
  std::vector<std::uint32_t> wide;
  std::vector<NearestQuery> queries;
};

namespace {

/// Fewer pairs than this take less time than an engine does to start.
constexpr std::uint64_t kFewPairs = 1'000'000;
constexpr std::uint32_t kLineMultiple = 32;

std::uint32_t strideOf(std::size_t columns) {
  return static_cast<std::uint32_t>((columns + kLineMultiple - 1) / kLineMultiple * kLineMultiple);
}

template <class Coordinate>
std::vector<Coordinate> linesOf(const RowSet& set, const std::vector<std::uint32_t>& order) {
  const std::size_t stride = strideOf(order.size());
  std::vector<Coordinate> lines(stride * (set.dimension() + 1), 0);
  for (std::uint32_t i = 0; i <= set.dimension(); ++i) {
    const auto& from = i < set.dimension() ? set.column(i) : set.lengths();
    Coordinate* const to = lines.data() + i * stride;
    for (std::size_t c = 0; c < order.size(); ++c) to[c] = static_cast<Coordinate>(from[order[c]]);
  }
  return lines;
}

template <class Coordinate>
std::unique_ptr<const Problem> problemOver(const std::vector<Coordinate>& lines,
                                           const std::vector<NearestQuery>& queries, std::uint32_t dimension,
                                           std::uint32_t columns) {
  using Search = NearestSearch<Coordinate>;
  const std::uint32_t stride = strideOf(columns);
  const auto count = static_cast<std::uint32_t>(queries.size());
  const auto makeView = [=](std::span<const void* const> tables) {
    const auto* const coordinates = static_cast<const Coordinate*>(tables[0]);
    return NearestView<Coordinate>{coordinates,
                                   coordinates + static_cast<std::size_t>(dimension) * stride,
                                   static_cast<const NearestQuery*>(tables[1]),
                                   columns,
                                   stride,
                                   dimension};
  };
  ProblemTraits traits;
  traits.workload = "invariants";
  const auto root = Search::root(count, columns);
  traits.totalSteps = Search::size({}, root);
  return std::make_unique<NearestProblem<Coordinate>>(
      std::vector<Table>{{lines.data(), lines.size() * sizeof(Coordinate)},
                         {queries.data(), queries.size() * sizeof(NearestQuery)}},
      makeView, std::vector<NearestSlice>{root}, LeastDistances::layout(count),
      [](std::byte*) { return LeastDistances::View{}; }, std::move(traits));
}

}  // namespace

OwnedProblem makeNearestProblem(const RowSet& set, const std::vector<std::uint32_t>& order,
                                std::vector<NearestQuery> queries, bool wide) {
  auto tables = std::make_shared<NearestTables>();
  tables->queries = std::move(queries);
  OwnedProblem owned;
  const auto columns = static_cast<std::uint32_t>(order.size());
  if (wide) {
    tables->wide = linesOf<std::uint32_t>(set, order);
    owned.problem = problemOver(tables->wide, tables->queries, set.dimension(), columns);
  } else {
    tables->narrow = linesOf<std::uint16_t>(set, order);
    owned.problem = problemOver(tables->narrow, tables->queries, set.dimension(), columns);
  }
  owned.tables = std::move(tables);
  return owned;
}

std::vector<std::uint64_t> advanceHere(const Problem& problem) {
  std::vector<std::uint64_t> words = problem.words().fresh();
  std::vector<std::byte> slice = problem.roots();
  Budget budget{std::numeric_limits<std::uint64_t>::max()};
  SinkMemory memory;
  memory.words = words.data();
  (void)problem.advanceFast(slice.data(), budget, memory);
  return words;
}

std::vector<NearestRow> nearestRows(const RowSet& set, const std::vector<std::uint32_t>& order,
                                    const std::vector<NearestQuery>& queries, const RunProblem& run) {
  std::vector<NearestRow> found(queries.size());
  if (queries.empty()) return found;
  const bool wide = *std::max_element(set.lengths().begin(), set.lengths().end()) >=
                    std::numeric_limits<std::uint16_t>::max();
  const OwnedProblem owned = makeNearestProblem(set, order, queries, wide);
  const bool few = static_cast<std::uint64_t>(queries.size()) * order.size() < kFewPairs;
  const auto words = few ? advanceHere(*owned.problem) : run(*owned.problem);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::uint64_t word = words.at(1 + q);
    if (word == LeastDistances::kNone) continue;
    found[q] = {static_cast<std::uint32_t>(word >> 32), order[static_cast<std::uint32_t>(word)]};
  }
  return found;
}

}  // namespace slicepool::invariants
