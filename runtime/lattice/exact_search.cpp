// See exact_search.hpp.
#include "runtime/lattice/exact_search.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/lattice/core_walk.hpp"
#include "runtime/lattice/shortest_kept.hpp"
#include "runtime/lattice/tables.hpp"
#include "runtime/lattice/vector_maker.hpp"
#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::lattice {
namespace {

Way searchOne(const PreparedSearch& prepared, std::uint64_t kept, const CoreLimits& limits,
              LatticeAnswer& answer, const VectorTest& accept) {
  const bool close = prepared.embedding.given();
  const LastRow last = close ? LastRow::target : LastRow::vector;
  ProblemSpec spec = prepared.spec;
  spec.collect = true;
  (void)makeProblem(spec);  // checks its numbers
  const SearchTables tables(spec);
  std::vector<const void*> addresses;
  const std::vector<Table> data = tables.tables();
  addresses.reserve(data.size());
  for (const Table& table : data) addresses.push_back(table.data);
  const SearchView view = tables.viewOver(addresses);
  if (isTooLarge(view, last, !answer.byRadius, limits.maximumNodes)) return Way::tooLarge;
  answer.dimension = prepared.spec.dimension - (close ? 1 : 0);
  VectorMaker maker(prepared.basis);
  ShortestKept<Integer, Integer> best;
  best.start(kept, !close);
  std::vector<std::int16_t> coefficients(static_cast<std::size_t>(view.dimension));
  const Integer most(prepared.squaredRadius.integerPart());
  double bound = view.squaredRadius;
  answer.count = 0;
  const auto textOf = [&](const Integer& norm) {
    return close ? prepared.embedding.distance(norm) : decimalOf(norm);
  };
  std::optional<Integer> least;
  const auto stopped = [&] { return limits.stop.load(std::memory_order_relaxed); };
  const bool complete = walkOnCore(view, last, stopped, answer.nodes, [&](const FastSearch& found) {
    for (std::size_t k = 0; k < coefficients.size(); ++k)
      coefficients[k] = static_cast<std::int16_t>(found.coefficient(static_cast<int>(k)));
    maker.make(coefficients);
    const Integer norm = maker.squaredNorm();
    if (norm > most) return bound;
    if (answer.byRadius) {
      if (accept) {
        auto asked = maker.wide();
        if (!close) orient(asked);
        if (!accept(latticeVector(textOf(norm), asked))) return bound;
      }
      ++answer.count;
      if (!best.excludes(norm)) best.offer(norm, maker.wide());
      return answer.count == limits.first ? kEnough : bound;
    }
    if (least && norm >= *least) return bound;
    least = norm;
    best.start(1, !close);
    best.offer(norm, maker.wide());
    bound = std::min(bound, found.norm() * prepared.radius.findFactor);
    return bound;
  });
  if (!complete) return Way::stopped;
  if (!answer.byRadius) answer.count = 1;
  best.giveTo(answer.vectors, textOf);
  return Way::exact;
}

}  // namespace

Way searchExactly(const PreparedSearch& prepared, std::uint64_t kept, const CoreLimits& limits,
                  LatticeAnswer& answer, const VectorTest& accept) {
  Way way = searchOne(prepared, kept, limits, answer, accept);
  auto wider = prepared.wider;
  while (way == Way::exact && answer.vectors.empty() && wider) {
    const PreparedSearch ball = wider();
    way = searchOne(ball, kept, limits, answer, accept);
    wider = ball.wider;
  }
  return way;
}

}  // namespace slicepool::lattice
