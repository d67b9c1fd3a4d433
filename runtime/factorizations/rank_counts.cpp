// Makes the counting tables of ranked. Called by the planner, and by makeProblem for callers without tables.
#include "slicepool/factorizations/steps/rank_counts.hpp"

#include <algorithm>

#include "runtime/factorizations/counting.hpp"
#include "slicepool/factorizations/steps/pair.hpp"
#include "slicepool/factorizations/steps/tables.hpp"

namespace slicepool::factorizations {
namespace {

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
    for (std::size_t k = d_ - 2; k >= d_ - 3; --k)
      if (!addGenerator(lowest, lowest, entries, generators_[k])) counts_.overflow = true;
    for (std::size_t k = d_ - 3; k-- > 1;)
      if (!addGenerator(level(k), level(k + 1), entries, generators_[k])) counts_.overflow = true;
  }

  void makeChain() {
    if (d_ == 3 && std::max({element_, generators_[1], generators_[2]}) < (std::uint64_t{1} << 31)) {
      const auto pair = Pair<std::uint32_t>::of(static_cast<std::uint32_t>(generators_[1]),
                                                static_cast<std::uint32_t>(generators_[2]));
      const std::uint64_t period = std::uint64_t{pair.common} * pair.firstStep * pair.secondStep;
      if (period <= kLongestPeriod && period <= element_ / generators_[0] / 2)
        return addPeriodicChain(pair, static_cast<std::uint32_t>(period));
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

  /// Over two generators residuals have one solution more with each common multiple: the counts below the
  /// first one are enough. Half a million residuals take a fifth of the time.
  void addPeriodicChain(const Pair<std::uint32_t>& pair, std::uint32_t period) {
    struct Residue {
      std::uint32_t count;  ///< of solutions
      std::uint32_t more;   ///< with each period
    };
    std::vector<Residue> residues(period);
    for (std::uint32_t p = 0; p < period; ++p) residues[p] = {pair.count(p), p % pair.common == 0 ? 1U : 0U};
    const std::uint64_t g = generators_[0];
    std::uint64_t periods = element_ % g / period;
    auto rest = static_cast<std::uint32_t>(element_ % g % period);
    // Residuals are asked for from the least on.
    addChain([&](std::uint64_t) {
      const std::uint64_t count = residues[rest].count + residues[rest].more * periods;
      rest += static_cast<std::uint32_t>(g % period);
      periods += g / period;
      if (rest >= period) {
        rest -= period;
        ++periods;
      }
      return count;
    });
  }

  static constexpr std::uint64_t kLongestPeriod = 1U << 16U;

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
  const auto levels = static_cast<unsigned __int128>(d - 3) * (static_cast<unsigned __int128>(element) + 1);
  return tableBytes(levels + element / generators[0] + 1);
}

RankCounts makeRankCounts(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  requireAddressable(RankCounts::bytesNeeded(generators, element), "rank counts");
  return Maker(generators, element).make();
}

}  // namespace slicepool::factorizations
