// Makes the counting tables of ranked. Called by the planner, and by makeProblem for callers without tables.
#include "slicepool/factorizations/rank_counts.hpp"

#include <algorithm>
#include <limits>

#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/pair.hpp"
#include "slicepool/factorizations/tables.hpp"

namespace slicepool::factorizations {
namespace {

/// sums[m] = below[m] + sums[m - g]; `sums` may be `below`. Blocks of g entries do not depend on each other
/// inside, which lets the compiler use vectors. False when a sum wrapped.
bool addGenerator(std::uint64_t* sums, const std::uint64_t* below, std::uint64_t entries, std::uint64_t g) {
  std::copy_n(below, std::min(entries, g), sums);
  std::uint64_t wrapped = 0;
  for (std::uint64_t block = g; block < entries; block += g) {
    const std::uint64_t end = std::min(entries, block + g);
    const std::uint64_t* earlier = sums + block - g;
#pragma GCC ivdep
    for (std::uint64_t m = block; m < end; ++m) {
      const std::uint64_t sum = below[m] + earlier[m - block];
      wrapped |= static_cast<std::uint64_t>(sum < below[m]);
      sums[m] = sum;
    }
  }
  return wrapped == 0;
}

class Maker {
 public:
  Maker(const std::vector<std::uint64_t>& generators, std::uint64_t element)
      : generators_(generators), d_(generators.size()), element_(element) {
    counts_.element = element;
  }

  RankCounts make() {
    if (d_ == 1) {
      counts_.total = element_ % generators_[0] == 0 ? 1 : 0;
    } else {
      pair_ = Pair<std::uint64_t>::of(generators_[d_ - 2], generators_[d_ - 1]);
      if (d_ == 2) {
        counts_.total = pair_.count(element_);
      } else {
        makeLevels();
        makeChain();
        counts_.total = counts_.chain.front();
      }
    }
    counts_.exactTotal = counts_.overflow ? exactCount(generators_, element_) : std::to_string(counts_.total);
    return std::move(counts_);
  }

 private:
  [[nodiscard]] std::uint64_t* level(std::size_t k) {
    return counts_.levels.data() + (k - 1) * (static_cast<std::size_t>(element_) + 1);
  }

  void makeLevels() {
    if (d_ == 3) return;
    const auto entries = static_cast<std::size_t>(element_) + 1;
    counts_.levels.resize((d_ - 3) * entries);
    // The two closed levels pass through the memory of the first table.
    std::uint64_t* lowest = level(d_ - 3);
    for (std::uint64_t m = 0; m < entries; m += generators_[d_ - 1]) lowest[m] = 1;
    for (std::size_t k = d_ - 2; k >= d_ - 3; --k) {
      if (!addGenerator(lowest, lowest, entries, generators_[k])) counts_.overflow = true;
    }
    for (std::size_t k = d_ - 3; k-- > 1;) {
      if (!addGenerator(level(k), level(k + 1), entries, generators_[k])) counts_.overflow = true;
    }
  }

  void makeChain() {
    if (d_ == 3 && std::max({element_, generators_[1], generators_[2]}) < (std::uint64_t{1} << 31)) {
      const auto pair = Pair<std::uint32_t>::of(static_cast<std::uint32_t>(generators_[1]),
                                                static_cast<std::uint32_t>(generators_[2]));
      return addChain([&](std::uint64_t p) { return pair.count(static_cast<std::uint32_t>(p)); });
    }
    if (d_ == 3) return addChain([&](std::uint64_t p) { return pair_.count(p); });
    addChain([counts = level(1)](std::uint64_t p) { return counts[p]; });
  }

  /// `rowsOf` a residual of the first generator.
  template <class RowsOf>
  void addChain(RowsOf rowsOf) {
    const std::uint64_t g = generators_[0];
    const std::uint64_t last = element_ / g;
    counts_.chain.resize(static_cast<std::size_t>(last) + 1);
    std::uint64_t sum = 0;
    for (std::uint64_t t = last + 1; t-- > 0;) {
      if (__builtin_add_overflow(sum, static_cast<std::uint64_t>(rowsOf(element_ - t * g)), &sum))
        counts_.overflow = true;
      counts_.chain[static_cast<std::size_t>(t)] = sum;
    }
  }

  const std::vector<std::uint64_t>& generators_;
  std::size_t d_;
  std::uint64_t element_;
  Pair<std::uint64_t> pair_;
  RankCounts counts_;
};

}  // namespace

std::size_t RankCounts::bytesNeeded(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  const std::size_t d = generators.size();
  if (d <= 2) return 0;
  const auto entries = static_cast<unsigned __int128>(d - 3) * (element + 1) + element / generators[0] + 1;
  const unsigned __int128 bytes = entries * sizeof(std::uint64_t);
  return bytes > std::numeric_limits<std::size_t>::max() ? std::numeric_limits<std::size_t>::max()
                                                         : static_cast<std::size_t>(bytes);
}

RankCounts makeRankCounts(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  if (RankCounts::bytesNeeded(generators, element) >
      static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    throw LimitError("rank counts: the tables are larger than the address space");
  }
  return Maker(generators, element).make();
}

}  // namespace slicepool::factorizations
