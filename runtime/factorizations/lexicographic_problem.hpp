// Problems of `candidate` and `tabulated`: tables, view and root. Included by lexicographic_instances.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/factorizations/lexicographic_view.hpp"
#include "runtime/factorizations/problem_build.hpp"

namespace slicepool::factorizations {

/// Which table of the problem is which; -1: not there.
struct TableIndices {
  int suffixCounts = -1;
  int stepCounts = -1;
  int leafOffsets = -1;
  int leafRows = -1;
};

template <class T>
int addTable(std::vector<Table>& tables, const std::vector<T>& values) {
  tables.push_back({values.data(), values.size() * sizeof(T)});
  return static_cast<int>(tables.size()) - 1;
}

inline TableIndices lexicographicTables(const ProblemSpec& spec, std::vector<Table>& tables) {
  TableIndices indices;
  if (spec.suffixCounts && spec.rows) indices.suffixCounts = addTable(tables, spec.suffixCounts->counts);
  if (spec.algorithm == Algorithm::candidate && spec.stepCounts && !spec.stepCounts->overflow &&
      spec.element > 0)
    indices.stepCounts = addTable(tables, spec.stepCounts->counts);
  if (spec.algorithm == Algorithm::tabulated) {
    indices.leafOffsets = addTable(tables, spec.leafTable->offsets);
    indices.leafRows = addTable(tables, spec.leafTable->rows);
  }
  return indices;
}

/// The part of the stream that holds the rows' window or the range of ranks. `tabulated` walks the whole
/// stream, because a bound may not cut through a leaf; its sink drops the rows outside.
template <int D, class Word, bool kTabulated>
std::vector<LexicographicSlice<D, Word, kTabulated>> lexicographicRoots(
    const ProblemSpec& spec, const LexicographicView<D, Word>& view) {
  using Slice = LexicographicSlice<D, Word, kTabulated>;
  Slice root = wholeStream<D, Word, kTabulated>(view);
  if (!spec.rows && !spec.ranks) return {root};
  const RankRange window = rankWindow(spec);
  if (window.begin >= window.end) return {};
  if constexpr (!kTabulated) {
    const auto assign = [&](Word* target, std::uint64_t rank) {
      for (const std::uint64_t value : rowOfRank(spec, rank)) *target++ = static_cast<Word>(value);
    };
    if (window.begin > 0) {
      assign(root.cursor, window.begin);
      root.excess = 0;
      root.position = window.begin;
    }
    if (window.end < spec.suffixCounts->total()) {
      assign(root.bound, window.end);
      root.flags = Slice::kBounded;
    }
  }
  return {root};
}

template <class W, int D, class Word, bool kTabulated>
std::unique_ptr<Problem> buildLexicographic(const ProblemSpec& spec) {
  using View = LexicographicView<D, Word>;
  ProblemParts<W> parts;
  const TableIndices indices = lexicographicTables(spec, parts.tables);
  View base = makeLexicographicView<D, Word>(spec);
  if constexpr (kTabulated) {
    base.headDimension = static_cast<std::int32_t>(spec.generators.size() - spec.leafTable->dimension);
    base.leafLimit = spec.leafTable->limit;
    const bool leavesInOneStep = !spec.rows && !spec.collectRows && !wantsReduce(spec);
    if (leavesInOneStep && base.leafLimit > spec.element)
      setVolumes(base, spec.generators, base.headDimension);
  }
  // The captured specification keeps the tables alive.
  parts.makeView = [base, indices, kept = keep(spec)](std::span<const void* const> addresses) {
    const auto address = [&](int index) {
      return index < 0 ? nullptr : addresses[static_cast<std::size_t>(index)];
    };
    View view = base;
    view.suffixCounts = static_cast<const std::uint64_t*>(address(indices.suffixCounts));
    view.stepCounts = static_cast<const std::uint64_t*>(address(indices.stepCounts));
    view.leafOffsets = static_cast<const std::uint64_t*>(address(indices.leafOffsets));
    view.leafRows = static_cast<const std::uint32_t*>(address(indices.leafRows));
    return view;
  };
  std::vector<const void*> hostAddresses;
  for (const Table& table : parts.tables) hostAddresses.push_back(table.data);
  const View view = parts.makeView(hostAddresses);
  parts.roots = lexicographicRoots<D, Word, kTabulated>(spec, view);
  parts.traits = problemTraits(spec);
  if (view.stepCounts != nullptr && !spec.moduloJump && !parts.roots.empty())
    parts.traits.totalSteps = W::size(view, parts.roots.front());
  return joinAnySink<W, D, Word, true>(spec, std::move(parts));
}

}  // namespace slicepool::factorizations
