// Walks the rows of a range of ranks as runs along the axis (rows.hpp). Used by the CPU fast path of
// ranked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu_workers/factorizations/rows.hpp"
#include "slicepool/factorizations/steps/pair.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"
#include "slicepool/factorizations/steps/suffix_rows.hpp"

namespace slicepool::factorizations {

/// The shape of a run's rows. `table` must outlive it.
template <int D>
RowShape rowShape(const RankedView<D, std::uint32_t>& view, const SuffixRows& table) {
  RowShape shape;
  shape.dimension = static_cast<int>(table.dimension);
  shape.elementBytes = static_cast<int>(table.elementBytes);
  shape.axis = static_cast<int>(table.dimension - table.tail) - 1;
  shape.axisGenerator = view.generators[shape.axis];
  if (table.stored()) {
    shape.offsets = table.offsets.data();
    if (table.memory != nullptr) shape.rows = table.rows();
  }
  shape.smallestSecond = table.smallestSecond.data();
  shape.first = view.pair.first;
  shape.second = view.pair.second;
  shape.firstStep = view.pair.firstStep;
  shape.secondStep = view.pair.secondStep;
  return shape;
}

/// Calls take(run) for consecutive runs that are together the rows first .. first + count - 1.
template <int D, class Take>
void walkRows(const RankedView<D, std::uint32_t>& view, int axis, std::uint64_t first, std::uint64_t count,
              Take take) {
  PrefixCursor<RankedView<D, std::uint32_t>> prefix(view, axis, first);
  AxisRun run;
  run.head = prefix.coordinates();
  // The first run may begin anywhere on the axis and inside a block.
  const std::uint32_t residual = prefix.residual();
  const std::uint64_t before = prefix.rank();
  auto inside = prefix;
  run.axisTop = inside.descendByRank(axis);
  run.residual = inside.residual();
  run.skip = inside.rank();
  run.rows = std::min(count, view.count(axis, residual) - before);
  for (;;) {
    take(static_cast<const AxisRun&>(run));
    count -= run.rows;
    if (count == 0) return;
    (void)prefix.moveToNext();
    run.axisTop = view.dividers[axis].quotient(prefix.residual());
    run.residual = prefix.residual() - run.axisTop * view.generators[axis];
    run.skip = 0;
    run.rows = std::min(count, view.count(axis, prefix.residual()));
  }
}

}  // namespace slicepool::factorizations
