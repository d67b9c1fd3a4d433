// Problems of `ranked` whose turns on a CPU worker go by whole blocks of rows instead of row by row. Results
// are those of the plain step function. Included by ranked_instances.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "cpu_workers/factorizations/row_walk.hpp"
#include "cpu_workers/factorizations/rows.hpp"
#include "cpu_workers/factorizations/tail_reduction.hpp"
#include "runtime/factorizations/problem_build.hpp"

namespace slicepool::factorizations {

/// What both problems below share: one turn over a slice of ranks.
template <int D, class S>
class RankedFastProblem : public TypedProblem<Ranked<D, std::uint32_t>, S> {
 public:
  using Base = TypedProblem<Ranked<D, std::uint32_t>, S>;
  template <class MakeSinkView>
  RankedFastProblem(const ProblemSpec& spec, ProblemParts<Ranked<D, std::uint32_t>>&& parts,
                    MakeSinkView makeSinkView)
      : Base(std::move(parts.tables), std::move(parts.makeView), std::move(parts.roots),
             reductionLayout(spec), std::move(makeSinkView), std::move(parts.traits)),
        table_(spec.cpuTail),
        shape_(rowShape<D>(this->view(), *table_)) {}

 protected:
  /// Takes up to the budget's ranks off the slice's front: take(first, count).
  template <class Take>
  static Turn turn(std::byte* bytes, Budget& budget, Take take) {
    RankedSlice slice;
    std::memcpy(&slice, bytes, sizeof(slice));
    const std::uint64_t count = std::min(slice.last - slice.first, budget.left);
    if (count != 0) take(slice.first, count);
    slice.first += count;
    budget.left -= count;
    std::memcpy(bytes, &slice, sizeof(slice));
    return slice.first == slice.last ? Turn::exhausted : Turn::budgetSpent;
  }

  std::shared_ptr<const SuffixRows> table_;
  RowShape shape_;
};

template <int D>
class RankedRowsProblem final : public RankedFastProblem<D, PlaceRows<D, std::uint32_t>> {
 public:
  using Base = RankedFastProblem<D, PlaceRows<D, std::uint32_t>>;
  template <class MakeSinkView>
  RankedRowsProblem(const ProblemSpec& spec, ProblemParts<Ranked<D, std::uint32_t>>&& parts,
                    MakeSinkView makeSinkView)
      : Base(spec, std::move(parts), std::move(makeSinkView)),
        streaming_((spec.rows->window.end - spec.rows->window.begin) * this->shape_.rowBytes() >=
                   kStreamingBytes) {
    const int index = elementIndex(this->shape_.elementBytes);
    const RowKernels& kernels = rowKernels();
    expand_ = this->table_->stored() ? kernels.expandStored[index] : kernels.expandProgression[index];
    if (this->sinkView().fingerprint >= 0) {
      mixer_ = std::make_unique<TailForm>(this->shape_, *this->table_,
                                          fingerprintWeights(spec.generators.size()), kRowHashOffset);
    }
  }

  Turn advanceFast(std::byte* slice, Budget& budget, const SinkMemory& memory) const override {
    return this->turn(
        slice, budget,
        [&](std::uint64_t first, std::uint64_t count) {
          const auto& sink = this->sinkView();
          const std::size_t rowBytes = this->shape_.rowBytes();
          std::byte* const begin = sink.base + (first - sink.begin) * rowBytes;
          alignas(64) std::byte buffer[RowTarget::kBufferBytes];
          RowTarget target(begin, begin + count * rowBytes, streaming_ ? buffer : nullptr);
          FingerprintTotals totals;
          walkRows<D>(
              this->view(), this->shape_.axis, first, count,
              [&](const AxisRun& run) {
                expand_(this->shape_, run, target);
                if (mixer_ != nullptr) mixer_->mix(run, totals);
              });
          target.finish();
          mergeWord<Merge::add>(memory.words, count);
          if (mixer_ != nullptr) totals.flush(memory.words, sink.fingerprint);
        });
  }

 private:
  /// From about the size of the caches that cores share on, streaming stores win
  /// (docs/performance/factorizations.md).
  static constexpr std::size_t kStreamingBytes = std::size_t{48} << 20;

  ExpandAxis expand_;
  bool streaming_;
  std::unique_ptr<TailForm> mixer_;
};

/// Reductions that look at one linear form of a row.
template <int D>
class RankedReduceProblem final : public RankedFastProblem<D, Reduce<D, std::uint32_t>> {
 public:
  using Base = RankedFastProblem<D, Reduce<D, std::uint32_t>>;
  template <class MakeSinkView>
  RankedReduceProblem(const ProblemSpec& spec, TailValues kind,
                      ProblemParts<Ranked<D, std::uint32_t>>&& parts, MakeSinkView makeSinkView)
      : Base(spec, std::move(parts), std::move(makeSinkView)),
        kind_(kind),
        form_(this->shape_, *this->table_, tailWeights(spec.reductions, kind, spec.generators.size()),
              kind == TailValues::fingerprint ? kRowHashOffset : 0) {}

  Turn advanceFast(std::byte* slice, Budget& budget, const SinkMemory& memory) const override {
    return this->turn(
        slice, budget,
        [&](std::uint64_t first, std::uint64_t count) {
          mergeWord<Merge::add>(memory.words, count);
          switch (kind_) {
            case TailValues::fingerprint: return mix(first, count, memory.words);
            case TailValues::length: return measure(first, count, memory.words);
            default: return test(first, count, memory.words);
          }
        });
  }

 private:
  template <class Take>
  void walk(std::uint64_t first, std::uint64_t count, Take take) const {
    walkRows<D>(this->view(), this->shape_.axis, first, count, take);
  }

  void mix(std::uint64_t first, std::uint64_t count, std::uint64_t* words) const {
    FingerprintTotals totals;
    walk(first, count, [&](const AxisRun& run) { form_.mix(run, totals); });
    totals.flush(words, this->sinkView().fingerprint);
  }

  void measure(std::uint64_t first, std::uint64_t count, std::uint64_t* words) const {
    const auto& sink = this->sinkView();
    std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t longest = 0;
    std::uint64_t* const bins = sink.lengths >= 0 ? words + sink.lengths : nullptr;
    walk(first, count, [&](const AxisRun& run) {
      form_.forRows(run, [&](std::uint64_t length) {
        shortest = std::min(shortest, length);
        longest = std::max(longest, length);
        if (bins != nullptr) ++bins[length];
      });
    });
    if (sink.lengthRange < 0) return;
    mergeWord<Merge::minimum>(words + sink.lengthRange, shortest);
    mergeWord<Merge::maximum>(words + sink.lengthRange + 1, longest);
  }

  void test(std::uint64_t first, std::uint64_t count, std::uint64_t* words) const {
    const auto& sink = this->sinkView();
    std::uint64_t below = 0;
    std::uint64_t equal = 0;
    walk(first, count, [&](const AxisRun& run) {
      form_.forRows(run, [&](std::uint64_t form) {
        const auto value = static_cast<std::int64_t>(form);
        below += value < sink.bound ? 1 : 0;
        equal += value == sink.bound ? 1 : 0;
      });
    });
    const std::uint64_t satisfied = sink.relation < 0   ? below + equal
                                    : sink.relation > 0 ? count - below
                                                        : equal;
    mergeWord<Merge::add>(words + sink.predicate, satisfied);
    mergeWord<Merge::add>(words + sink.predicate + 1, count - satisfied);
  }

  TailValues kind_;
  TailForm form_;
};

template <int D>
std::unique_ptr<Problem> rankedRowsProblem(const ProblemSpec& spec,
                                           ProblemParts<Ranked<D, std::uint32_t>>&& parts) {
  return std::make_unique<RankedRowsProblem<D>>(spec, std::move(parts),
                                                viewAt(placeRowsView<D, std::uint32_t>(spec)));
}

/// `kind` is the form that the reductions look at; not none.
template <int D>
std::unique_ptr<Problem> rankedReduceProblem(const ProblemSpec& spec, TailValues kind,
                                             ProblemParts<Ranked<D, std::uint32_t>>&& parts) {
  const auto view = reduceView<D, std::uint32_t>(spec);
  return std::make_unique<RankedReduceProblem<D>>(spec, kind, std::move(parts),
                                                  [view](std::byte*) { return view; });
}

}  // namespace slicepool::factorizations
