// The contract of a workload: what it must offer and what it may offer, as concepts. TypedProblem and the
// registration of kernels check it at compile time; a broken clause is named by a sentence.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "slicepool/core/platform.hpp"
#include "slicepool/core/sink.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/detail/packing.hpp"

namespace slicepool {

struct RankRange;  // problem.hpp

// A workload is a type W whose members are static. "HD" marks functions that a GPU executes as well: they
// carry SLICEPOOL_HD. What every workload has:
//
//   W::View, W::Slice
//       Parameters of the problem (pointers and scalars), and a piece of the search. Both are copied as
//       bytes.
//   template <class Emit> W::advance(const View&, Slice&, Budget&, Emit&) -> Turn                          HD
//       Takes at most `budget` steps, emits results, says how it ended; the slice can be advanced further.
//   W::split(const View&, Slice& kept, Slice& given) -> bool                                               HD
//       `kept` and `given` together are the old `kept`, and have nothing in common. False: the slice cannot
//       be cut, and both are untouched.
//
// Each of the following is optional:
//
//   W::size(const View&, const Slice&) -> double                                                           HD
//       Remaining steps, exact or estimated: how much to give away. Without it a split is taken to halve a
//       slice.
//   W::ranks(const View&, const Slice&) -> RankRange                                                     host
//       For sinks that write rows at known places: the ranks of the rows that the slice has still to emit.
//       A batch copies the rows between those of its slices, and a resumed run takes slices in this order.
//   W::cut(const View&, const Slice& whole, std::uint32_t index, std::uint32_t parts) -> std::uint64_t     HD
//   W::between(const Slice& whole, std::uint64_t from, std::uint64_t to) -> Slice                          HD
//       For slices that can be cut anywhere: where part `index` of `parts` begins, and what lies between two
//       cuts. Parts 0 .. parts-1 together are the slice, have nothing in common, and take a device about
//       equally long; some may be empty. A device that has few slices makes many of them at once, where
//       `split` would need a pass for every doubling. Every worker must find the same cuts.
//   W::usedBytes(const Slice&) -> std::size_t, W::splittable(const View&, const Slice&) -> bool            HD
//       For slices of hundreds of bytes, which a GPU then advances and splits where they lie: how many bytes
//       from the start mean anything now, and whether `split` would cut the slice.
//   W::pack(const View&, const Slice&, ByteWriter&), W::unpack(const View&, ByteReader&, Slice&) -> bool,
//   W::kPacking                                                                                          host
//       How a checkpoint stores a slice, where that is less than its memory. `pack` writes what is needed to
//       rebuild it; slices that are alike should begin with the same bytes. `unpack` makes a slice with the
//       same work left out of one that is all zeros, and returns false for bytes that no slice packs to.
//       kPacking names the form: a checkpoint of another form is refused.
//   W::kDeviceThreads, W::kDeviceBlocks
//       Launch bounds of the GPU kernel: threads of a block, blocks of a multiprocessor. Together they limit
//       the registers of a thread.
//   W::kDeviceRound
//       For slices of very different sizes, with usedBytes and splittable: steps after which a GPU thread
//       whose slice is exhausted takes another one, or a part of one that its neighbours have.

/// Values that are copied as bytes, to devices and into checkpoints, and need no destructor.
template <class T>
concept CopiedAsBytes = std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>;

template <class W>
concept HasViewAndSlice = requires {
  typename W::View;
  typename W::Slice;
};

/// A sink as far as step functions see it; sink.hpp has the contract.
template <class S>
concept ResultSink = CopiedAsBytes<typename S::View> &&
    std::constructible_from<typename S::Emitter, const typename S::View&, const SinkMemory&> &&
    requires(typename S::Emitter& emit) {
  emit.flush();
  { S::kResultBytes } -> std::convertible_to<std::size_t>;
};

template <class W, class S>
concept HasAdvance = requires(const typename W::View& view, typename W::Slice& slice, Budget& budget,
                              typename S::Emitter& emit) {
  { W::template advance<typename S::Emitter>(view, slice, budget, emit) } -> std::same_as<Turn>;
};

template <class W>
concept HasSplit = requires(const typename W::View& view, typename W::Slice& kept, typename W::Slice& given) {
  { W::split(view, kept, given) } -> std::same_as<bool>;
};

template <class W>
concept HasSize = requires(const typename W::View& view, const typename W::Slice& slice) {
  { W::size(view, slice) } -> std::convertible_to<double>;
};

template <class W>
concept HasRanks = requires(const typename W::View& view, const typename W::Slice& slice) {
  { W::ranks(view, slice) } -> std::same_as<RankRange>;
};

template <class W>
concept HasCuts = requires(const typename W::View& view, const typename W::Slice& slice) {
  { W::cut(view, slice, std::uint32_t{}, std::uint32_t{}) } -> std::same_as<std::uint64_t>;
  { W::between(slice, std::uint64_t{}, std::uint64_t{}) } -> std::same_as<typename W::Slice>;
};

template <class W>
concept HasUsedBytes = requires(const typename W::View& view, const typename W::Slice& slice) {
  { W::usedBytes(slice) } -> std::same_as<std::size_t>;
  { W::splittable(view, slice) } -> std::same_as<bool>;
};

template <class W>
concept HasPacking = requires(const typename W::View& view, typename W::Slice& slice, ByteWriter& writer,
                              ByteReader& reader) {
  W::pack(view, slice, writer);
  { W::unpack(view, reader, slice) } -> std::same_as<bool>;
  { W::kPacking } -> std::convertible_to<const char*>;
};

template <class W>
concept HasLaunchBounds = (W::kDeviceThreads > 0) && (W::kDeviceBlocks > 0);

template <class W>
concept HasRounds = HasUsedBytes<W> &&(W::kDeviceRound > 0);

// Whether W has a member of the name of a hook. A hook that is there must be usable: one with another
// signature would be ignored without a word. Those for cuts and for large slices are looked for by a call: a
// template may have them for some of its slices only, and GCC 12 takes addresses of functions whose
// constraints do not hold. clang-format 14 does not know such expressions.

// clang-format off
template <class W>
concept NamesSize = requires { &W::size; };
template <class W>
concept NamesRanks = requires { &W::ranks; };
template <class W>
concept NamesCuts =
    requires(const typename W::View& view, const typename W::Slice& slice) { W::cut(view, slice, 0U, 1U); } ||
    requires(const typename W::Slice& slice) { W::between(slice, 0U, 1U); };
template <class W>
concept NamesUsedBytes =
    requires(const typename W::Slice& slice) { W::usedBytes(slice); } ||
    requires(const typename W::View& view, const typename W::Slice& slice) { W::splittable(view, slice); };
template <class W>
concept NamesPacking = requires { &W::pack; } || requires { &W::unpack; } || requires { W::kPacking; };
template <class W>
concept NamesLaunchBounds = requires { W::kDeviceThreads; } || requires { W::kDeviceBlocks; };
template <class W>
concept NamesRounds = requires { W::kDeviceRound; };

/// The whole contract of a workload W whose results go to a sink S.
template <class W, class S>
concept Workload =
    HasViewAndSlice<W> && CopiedAsBytes<typename W::View> && CopiedAsBytes<typename W::Slice> &&
    ResultSink<S> && HasAdvance<W, S> && HasSplit<W> &&
    (HasSize<W> || !NamesSize<W>) &&
    (HasRanks<W> || !NamesRanks<W>) &&
    (HasCuts<W> || !NamesCuts<W>) &&
    (HasUsedBytes<W> || !NamesUsedBytes<W>) &&
    (HasPacking<W> || !NamesPacking<W>) &&
    (HasLaunchBounds<W> || !NamesLaunchBounds<W>) &&
    (HasRounds<W> || !NamesRounds<W>);
// clang-format on

/// The same clause by clause: does not compile, with a sentence for each clause that W or S breaks.
template <class W, class S>
consteval bool checkWorkload() {
  static_assert(HasViewAndSlice<W>, "a workload W needs types W::View and W::Slice");
  if constexpr (HasViewAndSlice<W>) {
    static_assert(
        CopiedAsBytes<typename W::View>,
        "W::View is passed to kernels by value: it must be trivially copyable (pointers and scalars)");
    static_assert(CopiedAsBytes<typename W::Slice>,
                  "W::Slice lives in a lock-free pool and on devices: it must be trivially copyable");
    static_assert(ResultSink<S>,
                  "a sink S needs a trivially copyable S::View, S::Emitter(view, memory) with flush(), and "
                  "S::kResultBytes");
    static_assert(HasAdvance<W, S>,
                  "W needs: template <class Emit> static Turn advance(const View&, Slice&, Budget&, Emit&)");
    static_assert(HasSplit<W>, "W needs: static bool split(const View&, Slice& kept, Slice& given)");
    static_assert(HasSize<W> || !NamesSize<W>,
                  "W::size must be: static double size(const View&, const Slice&)");
    static_assert(HasRanks<W> || !NamesRanks<W>,
                  "W::ranks must be: static RankRange ranks(const View&, const Slice&)");
    static_assert(HasCuts<W> || !NamesCuts<W>,
                  "W needs both or neither: static std::uint64_t cut(const View&, const Slice&, "
                  "std::uint32_t index, std::uint32_t parts), static Slice between(const Slice&, "
                  "std::uint64_t from, std::uint64_t to)");
    static_assert(HasUsedBytes<W> || !NamesUsedBytes<W>,
                  "W needs both or neither: static std::size_t usedBytes(const Slice&), "
                  "static bool splittable(const View&, const Slice&)");
    static_assert(HasPacking<W> || !NamesPacking<W>,
                  "W needs all or none: static void pack(const View&, const Slice&, ByteWriter&), "
                  "static bool unpack(const View&, ByteReader&, Slice&), const char* kPacking");
    static_assert(HasLaunchBounds<W> || !NamesLaunchBounds<W>,
                  "W needs both or neither, and positive: kDeviceThreads, kDeviceBlocks");
    static_assert(HasRounds<W> || !NamesRounds<W>,
                  "W::kDeviceRound must be positive, and needs usedBytes and splittable");
  }
  return true;
}

}  // namespace slicepool
