// A problem as the engine sees it: slices are opaque bytes of one size, and every call below is made once
// a turn (milliseconds), so type erasure costs nothing and the engine is compiled once for all workloads.
// TypedProblem<W, S> makes one from a workload and a sink.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "slicepool/core/sink.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/core/workload.hpp"

namespace slicepool {

/// A read-only host table that a View points to; a device gets its own copy. Without data it is memory of the
/// device alone, which the workload's kernels fill (kernels/core/device_tables.cuh); the host has none.
struct Table {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// A half-open range of result ranks, for sinks that write rows at their final place.
struct RankRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Rows written at known places of one window of the output. All zero for sinks without places.
struct Places {
  std::byte* base = nullptr;  ///< host address of row `window.begin`
  RankRange window;           ///< rows outside are dropped by the emitter
  std::size_t rowBytes = 0;
};

/// What a launch of Problem::advanceBatch did.
struct BatchTurn {
  std::uint32_t kept = 0;     ///< slices left
  std::uint64_t steps = 0;    ///< taken
  std::uint64_t splits = 0;   ///< made
  std::uint32_t refused = 0;  ///< turns that ended because the sink refused a result
};

/// Immutable during a run and shared by all workers: every const member is thread-safe.
class Problem {
 public:
  virtual ~Problem() = default;

  [[nodiscard]] virtual std::string workload() const = 0;  ///< e.g. "factorizations"
  [[nodiscard]] virtual std::size_t sliceBytes() const = 0;
  [[nodiscard]] virtual std::size_t resultBytes() const = 0;  ///< 0: the sink only reduces
  [[nodiscard]] virtual const WordLayout& words() const = 0;
  /// Root slices, concatenated; `sliceBytes()` each.
  [[nodiscard]] virtual const std::vector<std::byte>& roots() const = 0;

  /// Advances one slice by at most `budget.left` steps with the plain (host/device) step function.
  virtual Turn advance(std::byte* slice, Budget& budget, const SinkMemory& memory) const = 0;
  /// The same by the fastest CPU path there is; results are the same. Default: the plain step.
  virtual Turn advanceFast(std::byte* slice, Budget& budget, const SinkMemory& memory) const {
    return advance(slice, budget, memory);
  }
  /// Advances `live` slices together, each by about `budget` steps, where the algorithm on a device works on
  /// many at once: what a launch does, on the host, for the lane emulator. There is room for `capacity`
  /// slices (>= live); what is left lies in front. Nothing: slices go one by one, by `advance`.
  virtual std::optional<BatchTurn> advanceBatch(std::byte* slices, std::uint32_t live, std::uint32_t capacity,
                                                std::uint64_t budget, const SinkMemory& memory) const {
    (void)slices, (void)live, (void)capacity, (void)budget, (void)memory;
    return std::nullopt;
  }
  virtual bool split(std::byte* kept, std::byte* given) const = 0;
  /// Part `index` of `parts` of a slice that can be cut anywhere; false for others.
  virtual bool part(const std::byte* whole, std::uint32_t index, std::uint32_t parts,
                    std::byte* given) const {
    (void)whole, (void)index, (void)parts, (void)given;
    return false;
  }
  /// Remaining steps of a slice (exact or estimated), NaN when unknown.
  [[nodiscard]] virtual double size(const std::byte* slice) const = 0;
  /// Steps of the whole run, when known in advance.
  [[nodiscard]] virtual std::optional<double> totalSteps() const = 0;
  /// Steps of the whole run as far as is known, for the pace and the ETA alone; they may be wrong.
  [[nodiscard]] virtual std::optional<double> expectedSteps() const { return totalSteps(); }
  /// True once the words decide the answer (early stop of any/all).
  [[nodiscard]] virtual bool decided(const std::uint64_t* words) const = 0;
  /// False when `decided` can never be true, so that it need not be asked often.
  [[nodiscard]] virtual bool mayDecide() const = 0;

  /// Known places: where rows go, and the ranks that a slice still has to write.
  [[nodiscard]] virtual Places places() const { return {}; }
  [[nodiscard]] virtual RankRange ranks(const std::byte* slice) const {
    (void)slice;
    return {};
  }

  /// Checkpoints: appends what is needed to rebuild the slice.
  virtual void packSlice(const std::byte* slice, std::vector<std::byte>& packed) const {
    packed.insert(packed.end(), slice, slice + sliceBytes());
  }
  /// The way back, into memory of zeros; false for bytes that no slice packs to. The slice has the same work
  /// left, and may have other bytes.
  virtual bool unpackSlice(std::span<const std::byte> packed, std::byte* slice) const {
    if (packed.size() > sliceBytes()) return false;
    if (!packed.empty()) std::memcpy(slice, packed.data(), packed.size());
    return true;
  }
  /// Name of that form; a checkpoint of another one is refused.
  [[nodiscard]] virtual std::string packing() const { return "memory"; }

  /// Initial value of the shared monotone word (Merge::minimum).
  [[nodiscard]] virtual std::uint64_t sharedStart() const {
    return std::numeric_limits<std::uint64_t>::max();
  }

  /// Identity of the instantiation: key into the registry of device factories.
  [[nodiscard]] virtual std::type_index type() const = 0;
};

/// Everything about a problem that is not in the types W and S.
struct ProblemTraits {
  std::string workload;
  std::optional<double> totalSteps;
  std::optional<double> expectedSteps;                ///< where totalSteps is empty
  std::function<bool(const std::uint64_t*)> decided;  ///< may be empty
  Places places;
  std::uint64_t sharedStart = std::numeric_limits<std::uint64_t>::max();
};

/// What a problem is but for its types. The parts of TypedProblem below are a chain of classes, so that a
/// program has each of them once: this one, one for each workload, and for each sink only what emits.
class PreparedProblem : public Problem {
 public:
  [[nodiscard]] std::string workload() const override { return traits_.workload; }
  [[nodiscard]] const WordLayout& words() const override { return layout_; }
  [[nodiscard]] const std::vector<std::byte>& roots() const override { return roots_; }
  [[nodiscard]] std::optional<double> totalSteps() const override { return traits_.totalSteps; }
  [[nodiscard]] std::optional<double> expectedSteps() const override {
    return traits_.totalSteps ? traits_.totalSteps : traits_.expectedSteps;
  }
  [[nodiscard]] bool decided(const std::uint64_t* words) const override {
    return traits_.decided && traits_.decided(words);
  }
  [[nodiscard]] bool mayDecide() const override { return static_cast<bool>(traits_.decided); }
  [[nodiscard]] Places places() const override { return traits_.places; }
  [[nodiscard]] std::uint64_t sharedStart() const override { return traits_.sharedStart; }

  /// For devices: the tables to copy.
  [[nodiscard]] const std::vector<Table>& tables() const { return tables_; }

 protected:
  PreparedProblem(std::vector<Table>&& tables, WordLayout&& layout, ProblemTraits&& traits,
                  std::span<const std::byte> roots)
      : tables_(std::move(tables)),
        layout_(std::move(layout)),
        traits_(std::move(traits)),
        roots_(roots.begin(), roots.end()) {}
  [[nodiscard]] std::vector<const void*> tableAddresses() const {
    std::vector<const void*> addresses;
    for (const auto& table : tables_) addresses.push_back(table.data);
    return addresses;
  }

 private:
  std::vector<Table> tables_;
  WordLayout layout_;
  ProblemTraits traits_;
  std::vector<std::byte> roots_;
};

/// A workload W with its parameters, whatever takes its results.
template <class W>
class WorkloadProblem : public PreparedProblem {
 public:
  using View = typename W::View;
  using Slice = typename W::Slice;
  /// Builds the View from one address per table, so that devices can substitute their copies.
  using MakeView = std::function<View(std::span<const void* const>)>;

  [[nodiscard]] std::size_t sliceBytes() const override { return sizeof(Slice); }
  bool split(std::byte* kept, std::byte* given) const override {
    Slice keptSlice = load(kept);
    Slice givenSlice;
    if (!W::split(view_, keptSlice, givenSlice)) return false;
    std::memcpy(kept, &keptSlice, sizeof(Slice));
    std::memcpy(given, &givenSlice, sizeof(Slice));
    return true;
  }
  bool part(const std::byte* whole, std::uint32_t index, std::uint32_t parts,
            std::byte* given) const override {
    if constexpr (HasCuts<W>) {
      const Slice slice = load(whole);
      const Slice made =
          W::between(slice, W::cut(view_, slice, index, parts), W::cut(view_, slice, index + 1, parts));
      std::memcpy(given, &made, sizeof(Slice));
      return true;
    } else {
      return Problem::part(whole, index, parts, given);
    }
  }
  [[nodiscard]] double size(const std::byte* slice) const override {
    if constexpr (HasSize<W>) {
      return W::size(view_, load(slice));
    } else {
      (void)slice;
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
  [[nodiscard]] RankRange ranks(const std::byte* slice) const override {
    if constexpr (HasRanks<W>)
      return W::ranks(view_, load(slice));
    else
      return Problem::ranks(slice);
  }
  void packSlice(const std::byte* slice, std::vector<std::byte>& packed) const override {
    if constexpr (HasPacking<W>) {
      ByteWriter writer(packed);
      W::pack(view_, load(slice), writer);
    } else if constexpr (HasUsedBytes<W>) {
      packed.insert(packed.end(), slice, slice + std::min(W::usedBytes(load(slice)), sizeof(Slice)));
    } else {
      Problem::packSlice(slice, packed);
    }
  }
  bool unpackSlice(std::span<const std::byte> packed, std::byte* slice) const override {
    if constexpr (HasPacking<W>) {
      Slice typed = load(slice);
      ByteReader reader(packed);
      if (!W::unpack(view_, reader, typed) || !reader.good() || reader.left() != 0) return false;
      std::memcpy(slice, &typed, sizeof(Slice));
      return true;
    } else {
      return (HasUsedBytes<W> || packed.size() == sizeof(Slice)) && Problem::unpackSlice(packed, slice);
    }
  }
  [[nodiscard]] std::string packing() const override {
    if constexpr (HasPacking<W>)
      return W::kPacking;
    else
      return Problem::packing();
  }

  // For devices: the view, and the view over copies of the tables.
  [[nodiscard]] const View& viewOnHost() const { return view_; }
  [[nodiscard]] View viewOver(std::span<const void* const> addresses) const { return makeView_(addresses); }

 protected:
  WorkloadProblem(std::vector<Table>&& tables, MakeView&& makeView, const std::vector<Slice>& rootSlices,
                  WordLayout&& layout, ProblemTraits&& traits)
      : PreparedProblem(std::move(tables), std::move(layout), std::move(traits),
                        std::as_bytes(std::span(rootSlices))),
        makeView_(std::move(makeView)),
        view_(makeView_(tableAddresses())) {}

  [[nodiscard]] static Slice load(const std::byte* slice) {
    Slice typed;
    std::memcpy(&typed, slice, sizeof(Slice));
    return typed;
  }
  [[nodiscard]] const View& view() const { return view_; }

 private:
  MakeView makeView_;
  View view_{};
};

/// W, if it keeps the contract with the sink S; else a sentence says what is wrong, before anything uses W.
template <class W, class S>
struct CheckedWorkload {
  static_assert(checkWorkload<W, S>());
  using Type = W;
};

/// A workload W with its parameters and a sink S.
template <class W, class S>
class TypedProblem : public WorkloadProblem<typename CheckedWorkload<W, S>::Type> {
  using Base = WorkloadProblem<W>;

 public:
  using typename Base::MakeView;
  using typename Base::Slice;
  using typename Base::View;
  /// Builds the sink's View; `rowsBase` is the address of row places.window.begin (host or device).
  using MakeSinkView = std::function<typename S::View(std::byte* rowsBase)>;

  TypedProblem(std::vector<Table> tables, MakeView makeView, std::vector<Slice> rootSlices, WordLayout layout,
               MakeSinkView makeSinkView, ProblemTraits traits)
      : Base(std::move(tables), std::move(makeView), rootSlices, std::move(layout), std::move(traits)),
        makeSinkView_(std::move(makeSinkView)),
        sinkView_(makeSinkView_(this->places().base)) {}

  /// Short form for views without tables and sinks without parameters.
  TypedProblem(const View& view, std::vector<Slice> rootSlices, ProblemTraits traits)
      : TypedProblem(
            {}, [view](std::span<const void* const>) { return view; }, std::move(rootSlices), S::layout(),
            [](std::byte*) { return typename S::View{}; }, std::move(traits)) {}

  [[nodiscard]] std::size_t resultBytes() const override { return S::kResultBytes; }
  Turn advance(std::byte* slice, Budget& budget, const SinkMemory& memory) const override {
    return advanceWith<&W::template advance<typename S::Emitter>>(slice, budget, memory);
  }
  [[nodiscard]] std::type_index type() const override { return typeid(TypedProblem<W, S>); }

  /// For devices.
  [[nodiscard]] typename S::View sinkViewOver(std::byte* rowsBase) const { return makeSinkView_(rowsBase); }

 protected:
  /// Loads the slice, runs the step function `kStep`, flushes the emitter, stores the slice.
  template <auto kStep>
  Turn advanceWith(std::byte* slice, Budget& budget, const SinkMemory& memory) const {
    Slice typed = Base::load(slice);
    typename S::Emitter emit(sinkView_, memory);
    const Turn turn = kStep(this->view(), typed, budget, emit);
    emit.flush();
    std::memcpy(slice, &typed, sizeof(Slice));
    return turn;
  }
  [[nodiscard]] const typename S::View& sinkView() const { return sinkView_; }

 private:
  MakeSinkView makeSinkView_;
  typename S::View sinkView_{};
};

}  // namespace slicepool
