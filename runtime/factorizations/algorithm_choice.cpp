// See algorithm_choice.hpp.
#include "runtime/factorizations/algorithm_choice.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/core/memory.hpp"
#include "runtime/factorizations/periodic_count.hpp"
#include "runtime/factorizations/rank_selection.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::uint64_t kTableRows = std::uint64_t{1} << 20;  // near the size of the last cache
constexpr std::uint64_t kLeafLimit = std::uint64_t{1} << 22;  // residuals; offsets of 32 MiB
constexpr std::size_t kWideIntegerBytes = 64;  // a generous guess for one arbitrary-precision count
constexpr double kHopelessBits = 80;           // 2^80 steps are centuries of a thousand GPUs
constexpr std::uint64_t kSaturated = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturatingAdd(std::uint64_t a, std::uint64_t b) {
  return a > kSaturated - b ? kSaturated : a + b;
}

/// Factorizations of all residuals below a limit over the last generators, one generator more at each call.
class ListSizes {
 public:
  ListSizes(const std::vector<std::uint64_t>& generators, std::uint64_t limit)
      : generators_(generators), counts_(limit, 0) {
    counts_.at(0) = 1;
  }
  /// Total number of rows, saturated at 2^64 - 1. O(limit).
  std::uint64_t next() {
    const std::uint64_t g = generators_[generators_.size() - ++used_];
    for (std::uint64_t p = g; p < counts_.size(); ++p) counts_[p] = saturatingAdd(counts_[p], counts_[p - g]);
    std::uint64_t rows = 0;
    for (const std::uint64_t count : counts_) rows = saturatingAdd(rows, count);
    return rows;
  }

 private:
  const std::vector<std::uint64_t>& generators_;
  std::vector<std::uint64_t> counts_;
  std::size_t used_ = 0;
};

/// Bytes while a table of m coordinates is filled: its rows and offsets, and the counts that place them.
unsigned __int128 fillBytes(unsigned m, std::uint64_t rows, std::uint64_t limit) {
  const auto residuals = static_cast<unsigned __int128>(limit) * sizeof(std::uint64_t);
  return static_cast<unsigned __int128>(rows) * m * sizeof(std::uint32_t) + (m + 2) * residuals +
         sizeof(std::uint64_t);
}

/// Largest m <= d - 1 whose table of `limit` residuals has at most kTableRows rows and fits `bytes`; at
/// least 1.
unsigned chooseTabulatedDimension(const std::vector<std::uint64_t>& generators, std::uint64_t limit,
                                  std::size_t bytes) {
  const auto largest = static_cast<unsigned>(generators.size() - (generators.size() > 1 ? 1 : 0));
  ListSizes sizes(generators, limit);
  for (unsigned m = 1; m <= largest; ++m) {
    const std::uint64_t rows = sizes.next();
    if (rows > kTableRows || fillBytes(m, rows, limit) > bytes) return std::max(1U, m - 1);
  }
  return largest;
}

class Planner {
 public:
  Planner(const Request& request, const EngineOptions& options) : request_(request) {
    plan_.memoryLimit = hostMemoryLimit(options.memoryLimit);
  }

  Plan make() {
    const auto begin = std::chrono::steady_clock::now();
    const bool countOnly = request_.sink.kind == SinkKind::count && !request_.sink.fingerprint;
    const bool mayRead =
        countOnly && (request_.algorithm == Algorithm::automatic || request_.algorithm == Algorithm::ranked);
    makeCounts(mayRead);
    plan_.results = plan_.exactTotal;
    if (request_.ranks.has_value()) selectResults(mayRead);
    if (mayRead && plan_.exactTotal.has_value()) {
      plan_.algorithm = Algorithm::ranked;
      plan_.readCount = true;
      plan_.reason = isPeriodic_ ? "a count by the period of the generators, without enumerating"
                                 : "the counting table answers a count without enumerating";
    } else {
      choose();
      sizeTable();
      makeSteps();
    }
    plan_.seconds = secondsSince(begin);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool rowSink() const {
    return request_.sink.kind == SinkKind::rows || request_.sink.kind == SinkKind::first;
  }

  /// Whether the request will run `ranked` if its counts can be had.
  [[nodiscard]] bool wantsRanks() const {
    const bool automatic = request_.algorithm == Algorithm::automatic &&
                           !request_.tabulatedDimension.has_value() && !request_.dynamicOnGpu;
    return automatic || request_.algorithm == Algorithm::ranked;
  }

  /// Counting tables where they fit their share; a bare count where only one row of them fits.
  void makeCounts(bool mayRead) {
    const bool wanted = mayRead || rowSink() || request_.ranks.has_value() || wantsRanks();
    const std::size_t share = plan_.memoryLimit / (wanted ? 2 : 8);
    const std::size_t bytes = wantsRanks()
                                  ? RankCounts::bytesNeeded(request_.generators, request_.element)
                                  : SuffixCounts::bytesNeeded(request_.generators.size(), request_.element);
    countsFit_ = bytes <= share;
    if (bytes <= share) {
      return wantsRanks() ? keep(makeRankCounts(request_.generators, request_.element), plan_.rankCounts)
                          : keep(makeSuffixCounts(request_.generators, request_.element), plan_.suffixCounts);
    }
    whyNoCounts_ =
        "the counting tables take " +
        (bytes == std::numeric_limits<std::size_t>::max() ? "more than 2^64" : std::to_string(bytes)) +
        " bytes, " + std::to_string(share) + " allowed (of memory limit " +
        std::to_string(plan_.memoryLimit) + ")";
    if (mayRead && request_.element < share / kWideIntegerBytes)
      plan_.exactTotal = exactCount(request_.generators, request_.element);
    else if (mayRead)
      plan_.exactTotal = periodicCount(request_.generators, request_.element, share);
    isPeriodic_ = mayRead && request_.element >= share / kWideIntegerBytes;
    if (mayRead && !plan_.exactTotal) refuseHopeless();
  }

  /// More factorizations than any machine visits are searched only where the algorithm is asked for.
  void refuseHopeless() const {
    if (request_.algorithm != Algorithm::automatic) return;
    double logarithm = 0;
    double sum = 0;
    for (std::size_t i = 0; i < request_.generators.size(); ++i) {
      const auto g = static_cast<double>(request_.generators[i]);
      sum += g;
      logarithm -= std::log2(g) + (i == 0 ? 0 : std::log2(static_cast<double>(i)));
    }
    logarithm += static_cast<double>(request_.generators.size() - 1) *
                 std::log2(static_cast<double>(request_.element) + sum / 2);
    if (logarithm < kHopelessBits) return;
    throw LimitError(fmt::format(
        "count: about 2^{:.0f} factorizations are too many to visit one by one, {}, and the least common "
        "multiple of the generators is too large for a formula; algorithm candidate searches all the same",
        logarithm, whyNoCounts_));
  }

  template <class Counts>
  void keep(Counts&& counts, std::shared_ptr<const std::decay_t<Counts>>& place) {
    plan_.exactTotal = counts.exactTotal;
    if (counts.overflow) {
      whyNoCounts_ = "counts beyond 64 bits (" + counts.exactTotal + " factorizations)";
      return;
    }
    plan_.total = std::stoull(counts.exactTotal);
    place = std::make_shared<const std::decay_t<Counts>>(std::forward<Counts>(counts));
  }

  /// The range of ranks against the number of factorizations. A count needs no more than that.
  void selectResults(bool mayRead) {
    if (!plan_.exactTotal.has_value() || (!mayRead && !countsFit_))
      throw LimitError("rank_range: " + whyNoCounts_);
    const RankSelection selection = selectRanks(*request_.ranks, *plan_.exactTotal);
    plan_.results = selection.count;
    if (plan_.rankCounts != nullptr || plan_.suffixCounts != nullptr) {
      plan_.firstRank = *selection.begin;
      plan_.total = selection.length;
    } else if (!mayRead) {
      selectWideRanks();
    }
  }

  void selectWideRanks() {
    if (request_.algorithm == Algorithm::candidate) {
      throw ConfigError("rank_range",
                        "a range with algorithm candidate of " + *plan_.exactTotal + " factorizations",
                        "algorithm auto or ranked where counts are beyond 64 bits");
    }
    if (request_.tabulatedDimension.has_value()) {
      throw ConfigError("tabulated_dimension", std::to_string(*request_.tabulatedDimension),
                        "none with ranks beyond 64 bits (" + *plan_.exactTotal +
                            " factorizations): such rows go one by one");
    }
    plan_.wideRanks = makeWideRanks(request_.generators, request_.element, *request_.ranks, *plan_.exactTotal,
                                    plan_.memoryLimit / 2);
    plan_.total = plan_.wideRanks->length;
  }

  void choose() {
    if (plan_.wideRanks != nullptr) {
      return set(Algorithm::ranked, "a range of ranks, by counts of " +
                                        std::to_string(64 * plan_.wideRanks->counts->limbs) + " bits");
    }
    switch (request_.algorithm) {
      case Algorithm::ranked:
        if (plan_.rankCounts == nullptr)
          return set(Algorithm::candidate, "ranked was asked for but refused: " + whyNoCounts_);
        plan_.tabulatedDimension = request_.tabulatedDimension.value_or(0);
        return set(Algorithm::ranked, "asked for");
      case Algorithm::automatic: return chooseAutomatic();
      default: return set(request_.algorithm, "asked for");
    }
  }

  void chooseAutomatic() {
    if (request_.ranks.has_value())
      return set(Algorithm::ranked, "a range of ranks, which ranked starts anywhere");
    if (request_.tabulatedDimension.has_value())
      return set(Algorithm::tabulated, "a tabulated dimension was given");
    if (request_.dynamicOnGpu) return set(Algorithm::tabulated, "a table on the GPU was asked for");
    if (plan_.rankCounts == nullptr) return set(Algorithm::candidate, whyNoCounts_);
    set(Algorithm::ranked, "the counting tables fit");
  }

  void set(Algorithm algorithm, std::string reason) {
    plan_.algorithm = algorithm;
    plan_.reason = std::move(reason);
  }

  void sizeTable() {
    if (plan_.algorithm == Algorithm::tabulated) {
      plan_.leafLimit = std::min(request_.element + 1, kLeafLimit);
      // Where memory is short the table has fewer residuals, and the others go by candidates.
      plan_.leafLimit = std::clamp<std::uint64_t>(leafLimitInMemory(), 1, plan_.leafLimit);
      plan_.tabulatedDimension =
          request_.tabulatedDimension.has_value()
              ? *request_.tabulatedDimension
              : chooseTabulatedDimension(request_.generators, plan_.leafLimit, plan_.leafMemory());
    }
    if (plan_.algorithm == Algorithm::dynamic) sizeLists();
  }

  /// `dynamic` holds every list up to n at once: refused beforehand, with the numbers.
  void sizeLists() {
    const auto d = static_cast<unsigned>(request_.generators.size());
    const std::string what = "dynamic: all lists Z(0.." + std::to_string(request_.element) + ")";
    const std::string available = "; " + std::to_string(plan_.leafMemory()) +
                                  " bytes are left of the memory limit of " +
                                  std::to_string(plan_.memoryLimit);
    if (request_.element >= plan_.leafMemory() / 16)
      throw LimitError(what + " need more than 16 bytes for each residual" + available);
    plan_.leafLimit = request_.element + 1;
    ListSizes sizes(request_.generators, plan_.leafLimit);
    for (unsigned m = 0; m < d; ++m) plan_.listRows = sizes.next();
    const auto bytes = fillBytes(d, plan_.listRows, plan_.leafLimit);
    if (bytes > plan_.leafMemory()) {
      throw LimitError(what + " have " + (plan_.listRows == kSaturated ? "at least " : "") +
                       std::to_string(plan_.listRows) + " rows" +
                       (bytes > kSaturated
                            ? ""
                            : ", " + std::to_string(static_cast<std::uint64_t>(bytes)) + " bytes needed") +
                       available);
    }
  }

  /// Exact totals and exact halves of `candidate`; only the plain stream has them.
  void makeSteps() {
    if (plan_.algorithm != Algorithm::candidate || request_.moduloJump || request_.element == 0) return;
    const std::size_t bytes = SuffixCounts::bytesNeeded(request_.generators.size(), request_.element);
    if (bytes > plan_.memoryLimit / 8) return;
    auto steps = std::make_shared<StepCounts>(makeStepCounts(request_.generators, request_.element));
    if (!steps->overflow) plan_.stepCounts = std::move(steps);
  }

  /// Residuals whose table of one coordinate fits: 28 bytes each, and some slack.
  [[nodiscard]] std::uint64_t leafLimitInMemory() const { return plan_.leafMemory() / 32; }

  const Request& request_;
  Plan plan_;
  std::string whyNoCounts_;
  bool isPeriodic_ = false;  ///< where there is a total, it is by periods
  bool countsFit_ = false;   ///< the share of memory that counting tables may take holds 64-bit counts
};

}  // namespace

std::size_t Plan::tableBytes() const {
  std::size_t bytes = 0;
  if (rankCounts != nullptr) bytes += rankCounts->bytes();
  if (suffixCounts != nullptr) bytes += suffixCounts->counts.size() * sizeof(std::uint64_t);
  if (stepCounts != nullptr) bytes += stepCounts->counts.size() * sizeof(std::uint64_t);
  if (wideRanks != nullptr) bytes += wideRanks->counts->bytes();
  return bytes;
}

std::size_t Plan::leafMemory() const { return memoryLimit - std::min(memoryLimit / 2, tableBytes()); }

Plan makePlan(const Request& request, const EngineOptions& options) {
  return Planner(request, options).make();
}

}  // namespace slicepool::factorizations
