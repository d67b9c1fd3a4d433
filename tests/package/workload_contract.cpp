// A workload that keeps the contract, and one copy for each clause, which -DBROKEN_<clause> breaks. Compiled
// by workload_contract.sh, which looks for the sentence of the clause.
#include "slicepool/core/problem.hpp"

using namespace slicepool;

namespace {

struct Range {
#ifdef BROKEN_VIEW
  struct View {
    std::vector<int> values;
  };
#elif !defined(BROKEN_TYPES)
  struct View {};
#endif
#ifdef BROKEN_SLICE
  struct Slice {
    std::string name;
    std::uint64_t first, last;
  };
#else
  struct Slice {
    std::uint64_t first, last;
  };
#endif
#ifndef BROKEN_TYPES
#ifdef BROKEN_ADVANCE
  static Turn advance(const View&, Slice&, Budget&) { return Turn::exhausted; }
#else
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View&, Slice& slice, Budget& budget, Emit& emit) {
    for (; slice.first != slice.last; ++slice.first, --budget.left) {
      if (budget.left == 0) return Turn::budgetSpent;
      if (!emit(slice.first)) return Turn::sinkFull;
    }
    return Turn::exhausted;
  }
#endif
#ifdef BROKEN_SPLIT
  static void split(const View&, Slice&, Slice&) {}
#else
  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) {
    if (kept.last - kept.first < 2) return false;
    given = kept;
    kept.last = given.first = kept.first + (kept.last - kept.first) / 2;
    return true;
  }
#endif
#ifdef BROKEN_SIZE
  static double size(const Slice& slice) { return static_cast<double>(slice.last - slice.first); }
#else
  static double size(const View&, const Slice& slice) {
    return static_cast<double>(slice.last - slice.first);
  }
#endif
#ifdef BROKEN_RANKS
  static std::uint64_t ranks(const View&, const Slice& slice) { return slice.first; }
#else
  static RankRange ranks(const View&, const Slice& slice) { return {slice.first, slice.last}; }
#endif
#ifndef BROKEN_CUTS
  SLICEPOOL_HD static Slice between(const Slice&, std::uint64_t from, std::uint64_t to) { return {from, to}; }
#endif
  SLICEPOOL_HD static std::uint64_t cut(const View&, const Slice& whole, std::uint32_t index,
                                        std::uint32_t parts) {
    return whole.first + (whole.last - whole.first) * index / parts;
  }
#ifndef BROKEN_USED_BYTES
  static bool splittable(const View&, const Slice& slice) { return slice.last - slice.first >= 2; }
#endif
  static std::size_t usedBytes(const Slice&) { return sizeof(Slice); }
#ifndef BROKEN_PACKING
  static bool unpack(const View&, ByteReader&, Slice&) { return true; }
#endif
  static void pack(const View&, const Slice&, ByteWriter&) {}
  static constexpr const char* kPacking = "range";
  static constexpr unsigned kDeviceThreads = 128;
#ifndef BROKEN_LAUNCH_BOUNDS
  static constexpr unsigned kDeviceBlocks = 4;
#endif
#endif
};

#ifdef BROKEN_SINK
struct Sink {
  struct View {};
  struct Emitter {
    Emitter(const View&, const SinkMemory&) {}
    bool operator()(std::uint64_t) { return true; }
  };
  static constexpr std::size_t kResultBytes = 0;
};
#else
using Sink = Count;
#endif

#ifdef WHOLE
static_assert(Workload<Range, Sink>);
#else
static_assert(!Workload<Range, Sink>);
static_assert(checkWorkload<Range, Sink>());
#endif

}  // namespace

#ifdef WHOLE
int main() {
  const TypedProblem<Range, Sink> problem({}, {{0, 10}}, {});
  return problem.workload().empty() ? 0 : 1;
}
#endif
