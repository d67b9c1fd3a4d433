// What a workload must offer, checked at compile time with readable messages.
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

/// A workload W is a type with
///   W::View, W::Slice          trivially copyable;
///   W::advance(view, slice, budget, emit) -> Turn     HD; takes at most `budget` steps, emits results;
///   W::split(view, kept, given) -> bool               HD; `kept` and `given` together are the old `kept`,
///                                                     disjoint; false (both untouched) when it cannot be
///                                                     cut;
///   optional W::size(view, slice) -> double           HD; exact or estimated remaining steps;
///   optional, both, for slices of hundreds of bytes, which a GPU then advances and splits where they lie:
///     W::usedBytes(slice) -> std::size_t              HD; how many bytes from the start mean anything now;
///     W::splittable(view, slice) -> bool              HD; whether `split` would cut it;
///   optional, all three, how a checkpoint stores a slice where that is less than its memory:
///     W::pack(view, slice, ByteWriter&)             host; what is needed to rebuild it; slices that are
///     alike
///                                                   should begin with the same bytes;
///     W::unpack(view, ByteReader&, slice) -> bool   host; into a slice of zeros, one with the same work
///     left;
///                                                   false for bytes that no slice packs to;
///     W::kPacking                                   name of the form; another one is another format;
///   optional, both, launch bounds of the GPU kernel: W::kDeviceThreads, W::kDeviceBlocks (of a
///     multiprocessor), which together limit the registers of a thread.
template <class W>
concept HasSize = requires(const typename W::View& view, const typename W::Slice& slice) {
  { W::size(view, slice) } -> std::convertible_to<double>;
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

template <class W, class S>
constexpr void checkWorkload() {
  static_assert(
      std::is_trivially_copyable_v<typename W::View>,
      "W::View is passed to kernels by value: it must be trivially copyable (pointers and scalars)");
  static_assert(
      std::is_trivially_copyable_v<typename W::Slice> && std::is_trivially_destructible_v<typename W::Slice>,
      "W::Slice lives in a lock-free pool and on devices: it must be trivially copyable");
  static_assert(std::is_trivially_copyable_v<typename S::View>, "S::View is passed to kernels by value");
  static_assert(
      requires(const typename W::View& view, typename W::Slice& slice, Budget& budget,
               typename S::Emitter& emit) {
        { W::advance(view, slice, budget, emit) } -> std::same_as<Turn>;
      },
      "W needs: static Turn advance(const View&, Slice&, Budget&, Emit&)");
  static_assert(
      requires(const typename W::View& view, typename W::Slice& kept, typename W::Slice& given) {
        { W::split(view, kept, given) } -> std::same_as<bool>;
      },
      "W needs: static bool split(const View&, Slice& kept, Slice& given)");
}

}  // namespace slicepool
