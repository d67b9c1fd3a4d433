// Makes the stored tails of ranked and chooses their length. Called by enumeration.cpp before a run.
#include "slicepool/factorizations/steps/suffix_rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "cpu_workers/core/parallel.hpp"
#include "cpu_workers/factorizations/rows.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/factorizations/steps/pair.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::uint64_t kMaximumSuffixRows = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMaximumWordInput = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t kMaximumResidues = std::uint64_t{1} << 22;  // entries of smallestSecond
constexpr std::size_t kMinimumDimension = 3;
constexpr std::size_t kMaximumDimension = 16;
constexpr std::uint64_t kRowsWorthThreads = 1U << 15;

/// Points a >= 0 with sum a_i g_i <= n, i = first..last-1, by the volume of the simplex that is half a
/// generator larger in each direction.
double pointsBelow(const std::vector<std::uint64_t>& generators, std::size_t first, std::size_t last,
                   double element) {
  double reach = element;
  for (std::size_t i = first; i < last; ++i) reach += static_cast<double>(generators[i]) / 2;
  double points = 1;
  for (std::size_t i = first; i < last; ++i)
    points *= reach / static_cast<double>(generators[i]) / static_cast<double>(i - first + 1);
  return points;
}

/// Measured costs, in nanoseconds.
struct Costs {
  double block;         // one prefix: offsets, the loop's misprediction, a store that is not full
  double progression;   // the same where the block has to be solved for
  double byte;          // one byte of output from a table in the near cache
  double farByte;       // and from a larger one
  double fill;          // one byte of table
  double nearTable;     // bytes
  double largestTable;  // bytes
};

Costs costsOf(const TailChoice& choice) {
  const double threads = std::max(1, choice.threads);
  // Mostly page faults and memory: threads help little.
  const double fill = 0.30 / std::min(threads, 2.0) / choice.uses;
  if (choice.device) return {0.096, 0.2, 0.00036, 0.0005, 0.003 / choice.uses, 16e6, 64e6};
  return {5.0 / threads, 12.0 / threads, 0.085 / threads, 0.105 / threads, fill, 8e6, 128e6};
}

/// |Z(p)| over the last `tail` >= 3 generators, for all p.
const std::uint64_t* tailCounts(const RankCounts& counts, std::size_t dimension, unsigned tail) {
  return counts.levels.data() + (dimension - tail - 1) * (static_cast<std::size_t>(counts.element) + 1);
}

/// The cheapest tail of 2 .. longest by estimates only; 0 when none is small enough.
unsigned cheapestTail(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                      const TailChoice& choice, unsigned longest) {
  const std::size_t d = generators.size();
  const Costs costs = costsOf(choice);
  const auto element = static_cast<double>(counts.element);
  const double rowBytes = static_cast<double>(d * choice.elementBytes);
  const double wanted = static_cast<double>(std::min(choice.rows, counts.total));
  const double share = counts.total == 0 ? 0 : wanted / static_cast<double>(counts.total);
  const double most = std::min(costs.largestTable, static_cast<double>(choice.memoryLimit));
  unsigned best = 0;
  double bestCost = std::numeric_limits<double>::infinity();
  for (unsigned tail = 2; tail <= longest; ++tail) {
    if (tail == 2 && generators[d - 2] > kMaximumResidues) continue;
    const double blocks = share * pointsBelow(generators, 0, d - tail, element);
    const double storedRow = (choice.rowless ? 0 : rowBytes) + (choice.values ? sizeof(std::uint64_t) : 0);
    const double table = tail == 2 ? 0 : pointsBelow(generators, d - tail, d, element) * storedRow;
    if (table > most) break;
    const double byte = table > costs.nearTable ? costs.farByte : costs.byte;
    const double output = wanted * rowBytes;
    const double making = blocks * (tail == 2 ? costs.progression : costs.block) + output * byte;
    const double cost = making + table * costs.fill;
    if (cost < bestCost) {
      bestCost = cost;
      best = tail;
    }
  }
  return best;
}

std::uint32_t commonDivisor(const std::vector<std::uint64_t>& generators, unsigned tail) {
  std::uint64_t common = 0;
  for (std::size_t i = generators.size() - tail; i < generators.size(); ++i)
    common = std::gcd(common, generators[i]);
  return static_cast<std::uint32_t>(common);
}

/// Where the rows of each residual begin, and the end of the last ones; of a tail of 3 and more.
std::vector<std::uint32_t> offsetsOf(const RankCounts& counts, std::size_t dimension, unsigned tail) {
  const std::uint64_t* level = tailCounts(counts, dimension, tail);
  const auto residuals = static_cast<std::size_t>(counts.element) + 1;
  std::vector<std::uint32_t> offsets(residuals + 1);
  std::uint64_t rows = 0;
  for (std::size_t p = 0; p < residuals; ++p) {
    offsets[p] = static_cast<std::uint32_t>(rows);
    rows += level[p];
    if (level[p] > kMaximumSuffixRows || rows > kMaximumSuffixRows) {
      throw LimitError("ranked: a table of the last " + std::to_string(tail) +
                       " coordinates has 2^31 rows or more");
    }
  }
  offsets[residuals] = static_cast<std::uint32_t>(rows);
  return offsets;
}

void requireTail(const std::vector<std::uint64_t>& generators, const RankCounts& counts, unsigned tail,
                 bool rowless, const std::vector<std::uint64_t>& weights) {
  if (counts.overflow || !suffixRowsApply(generators, counts.element) || tail < 2 ||
      tail >= generators.size()) {
    throw ConfigError("tail", std::to_string(tail) + " of " + std::to_string(generators.size()),
                      "2 to d - 1 coordinates of 3 to 16, generators and element below 2^31");
  }
  if (rowless && weights.empty())
    throw ConfigError("weights", "none", "one per generator for tables without rows");
}

class Builder {
 public:
  Builder(const std::vector<std::uint64_t>& generators, const RankCounts& counts, unsigned elementBytes,
          const std::vector<std::uint64_t>& weights, const TailMaking& making)
      : generators_(generators),
        counts_(counts),
        weights_(weights),
        making_(making),
        dimension_(static_cast<unsigned>(generators.size())),
        element_(counts.element),
        elementBytes_(elementBytes) {}

  SuffixRows progressions() {
    SuffixRows made = empty(2);
    const auto pair = pairOf();
    made.smallestSecond.assign(pair.first, RowShape::kNoSolution);
    // y = 0 .. secondStep - 1 are all smallest ones, each for one residue.
    std::uint64_t residue = 0;
    for (std::uint32_t y = 0; y < pair.secondStep; ++y) {
      made.smallestSecond[residue] = y;
      residue = (residue + pair.second) % pair.first;
    }
    return made;
  }

  SuffixRows stored(unsigned tail) {
    SuffixRows made;
    for (unsigned length = 3; length <= tail; ++length) made = extended(made, length);
    return made;
  }

 private:
  [[nodiscard]] Pair<std::uint32_t> pairOf() const {
    return Pair<std::uint32_t>::of(static_cast<std::uint32_t>(generators_[dimension_ - 2]),
                                   static_cast<std::uint32_t>(generators_[dimension_ - 1]));
  }
  [[nodiscard]] SuffixRows empty(unsigned tail) const {
    SuffixRows made;
    made.tail = tail;
    made.dimension = dimension_;
    made.elementBytes = elementBytes_;
    return made;
  }

  /// The rows with one coordinate more: those of p - g with that coordinate one higher, then those without.
  SuffixRows extended(const SuffixRows& shorter, unsigned tail) const {
    SuffixRows made = empty(tail);
    made.offsets = offsetsOf(counts_, dimension_, made.tail);
    if (!making_.rowless) {
      made.memory = allocate(made.memoryBytes());
      std::memset(made.memory.get(), 0, SuffixRows::kReadable);
      std::memset(made.rows() + made.storedRows() * made.rowBytes(), 0, SuffixRows::kReadable);
    }
    if (!weights_.empty()) made.sums = allocate(made.storedRows() * sizeof(std::uint64_t));
    const std::uint64_t g = generators_[dimension_ - tail];
    const std::uint64_t classes = std::min(g, element_ + 1);
    const auto fill = [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t residue = first; residue < last; ++residue)
        for (std::uint64_t p = residue; p <= element_; p += g) fillOne(made, shorter, p, g);
    };
    // A residual needs the one g below it: residue classes modulo g are independent.
    if (made.storedRows() < kRowsWorthThreads)
      fill(0, classes);
    else
      parallelFor(0, classes, 1, fill);
    return made;
  }

  [[nodiscard]] std::shared_ptr<std::byte[]> allocate(std::size_t bytes) const {
    if (making_.device) return transferMemory(bytes);
    return std::make_shared_for_overwrite<std::byte[]>(bytes);
  }

  void fillOne(SuffixRows& made, const SuffixRows& shorter, std::uint64_t p, std::uint64_t g) const {
    const std::size_t axis = dimension_ - made.tail;
    const std::size_t rowBytes = made.rowBytes();
    std::uint64_t at = made.offsets[p];
    if (p >= g) {
      const std::uint64_t from = made.offsets[p - g];
      const std::uint64_t rows = made.offsets[p - g + 1] - from;
      std::uint32_t unit[kMaximumDimension] = {};
      unit[axis] = 1;
      if (rows != 0 && !making_.rowless) {
        addPrefix_(made.rows() + at * rowBytes, made.rows() + from * rowBytes, rows,
                   static_cast<int>(dimension_), unit);
      }
      if (!weights_.empty()) {
        std::uint64_t* const values = made.values();
        for (std::uint64_t i = 0; i < rows; ++i) values[at + i] = values[from + i] + weights_[axis];
      }
      at += rows;
    }
    if (made.tail == 3) return fillPairs(made, p, at);
    const std::uint64_t from = shorter.offsets[p];
    const std::uint64_t rows = shorter.offsets[p + 1] - from;
    if (!making_.rowless)
      std::memcpy(made.rows() + at * rowBytes, shorter.rows() + from * rowBytes, rows * rowBytes);
    if (!weights_.empty()) std::copy_n(shorter.values() + from, rows, made.values() + at);
  }

  void fillPairs(SuffixRows& made, std::uint64_t p, std::uint64_t at) const {
    auto [x, y, count] = pair_.solve(static_cast<std::uint32_t>(p));
    for (; count != 0; --count, ++at, x -= pair_.firstStep, y += pair_.secondStep) {
      if (!weights_.empty()) made.values()[at] = x * weights_[dimension_ - 2] + y * weights_[dimension_ - 1];
      if (making_.rowless) continue;
      std::byte* row = made.rows() + at * made.rowBytes();
      std::memset(row, 0, made.rowBytes());
      // Little-endian: the low bytes come first.
      std::byte* const last = row + made.rowBytes() - elementBytes_;
      std::memcpy(last - elementBytes_, &x, std::min(elementBytes_, 4U));
      std::memcpy(last, &y, std::min(elementBytes_, 4U));
    }
  }

  const std::vector<std::uint64_t>& generators_;
  const RankCounts& counts_;
  const std::vector<std::uint64_t>& weights_;
  const TailMaking& making_;
  unsigned dimension_;
  std::uint64_t element_;
  unsigned elementBytes_;
  Pair<std::uint32_t> pair_ = pairOf();
  AddPrefix addPrefix_ = rowKernels().addPrefix[elementIndex(static_cast<int>(elementBytes_))];
};

}  // namespace

bool suffixRowsApply(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  return generators.size() >= kMinimumDimension && generators.size() <= kMaximumDimension &&
         element <= kMaximumWordInput &&
         std::all_of(
             generators.begin(), generators.end(), [](std::uint64_t g) { return g <= kMaximumWordInput; });
}

std::size_t suffixRowsBytes(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                            unsigned tail, const TailChoice& choice) {
  const std::size_t d = generators.size();
  if (tail == 2) return static_cast<std::size_t>(generators[d - 2]) * sizeof(std::uint32_t);
  const std::uint64_t* const level = tailCounts(counts, d, tail);
  std::uint64_t rows = 0;
  for (std::uint64_t p = 0; p <= counts.element; ++p) {
    if (level[p] > kMaximumSuffixRows || rows > kMaximumSuffixRows - level[p])
      return std::numeric_limits<std::size_t>::max();
    rows += level[p];
  }
  const std::size_t rowBytes = choice.rowless ? 0 : d * choice.elementBytes;
  const std::size_t perRow = rowBytes + (choice.values ? sizeof(std::uint64_t) : 0);
  return rows * perRow + (choice.rowless ? 0 : 2 * SuffixRows::kReadable) +
         (counts.element + 2) * sizeof(std::uint32_t);
}

unsigned chooseTail(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                    const TailChoice& choice) {
  if (counts.overflow || !suffixRowsApply(generators, counts.element)) return 0;
  // Estimates may be wrong by a factor: what they choose is looked at exactly.
  for (auto longest = static_cast<unsigned>(generators.size()) - 1; longest >= 2;) {
    const unsigned tail = cheapestTail(generators, counts, choice, longest);
    if (tail == 0 || suffixRowsBytes(generators, counts, tail, choice) <= choice.memoryLimit) return tail;
    longest = tail - 1;
  }
  return 0;
}

SuffixRows makeSuffixRows(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                          unsigned tail, unsigned elementBytes, const std::vector<std::uint64_t>& weights,
                          const TailMaking& making) {
  requireTail(generators, counts, tail, making.rowless, weights);
  const auto begin = std::chrono::steady_clock::now();
  Builder builder(generators, counts, elementBytes, weights, making);
  SuffixRows made;
  if (tail == 2)
    made = builder.progressions();
  else
    inArena(making.threads, [&] { made = builder.stored(tail); });
  made.common = commonDivisor(generators, tail);
  made.seconds = secondsSince(begin);
  return made;
}

DeviceTail planDeviceTail(const std::vector<std::uint64_t>& generators, const RankCounts& counts,
                          unsigned tail, unsigned elementBytes, const std::vector<std::uint64_t>& weights,
                          bool rowless) {
  requireTail(generators, counts, tail, rowless, weights);
  DeviceTail plan;
  plan.tail = tail;
  plan.dimension = static_cast<unsigned>(generators.size());
  plan.elementBytes = elementBytes;
  plan.common = commonDivisor(generators, tail);
  plan.rowless = rowless;
  plan.weights = weights;
  if (tail > 2) plan.offsets = offsetsOf(counts, generators.size(), tail);
  return plan;
}

}  // namespace slicepool::factorizations
