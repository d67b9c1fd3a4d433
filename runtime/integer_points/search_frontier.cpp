// See search_frontier.hpp.
#include "runtime/integer_points/search_frontier.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include "runtime/integer_points/endings.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/integer_points/steps/search.hpp"

namespace slicepool::integer_points {
namespace {

/// The same on every machine: a checkpoint goes on with the same slices.
constexpr TableLimits kTableLimits{.entries = 1 << 22, .work = 0x1p31};
/// Tables above this are made when the search itself has not ended after so many steps.
constexpr double kSmallTables = 1 << 16;
constexpr std::uint64_t kTrialSteps = 1 << 18;
/// Of what the words of Tally can say.
constexpr int kCountBits = 96;

/// A search that is over soon needs no table.
bool trySearch(const Problem& problem, Counting& result) {
  std::vector<std::byte> slice = problem.roots();
  std::vector<std::uint64_t> words = problem.words().fresh();
  const SinkMemory memory{words.data(), nullptr, nullptr, 0, nullptr};
  Budget budget{kTrialSteps};
  if (problem.advance(slice.data(), budget, memory) != Turn::exhausted) return false;
  result.words = std::move(words);
  result.steps = kTrialSteps - budget.left;
  return true;
}

/// Values that are open at the first level that has several, times those of all levels below, by their bounds
/// alone. A product of doubles is the same everywhere, and the bits of positive ones are in their order.
template <class Int>
std::uint64_t weightOf(const OrderedSystem& system, const std::vector<std::byte>& bytes) {
  SearchSlice<Int> slice;
  std::memcpy(&slice, bytes.data(), sizeof slice);
  int level = slice.base;
  while (level < slice.depth && slice.path[level].first == slice.path[level].last) ++level;
  double weight =
      static_cast<double>(slice.path[level].last) - static_cast<double>(slice.path[level].first) + 1;
  for (std::size_t i = static_cast<std::size_t>(level) + 1; i <= system.leaf; ++i)
    weight *= static_cast<double>(system.upper[i]) - static_cast<double>(system.lower[i]) + 1;
  return std::bit_cast<std::uint64_t>(weight);
}

}  // namespace

Counting countingOf(const Request& request, const PreparedSearch& search, const Problem& problem,
                    const std::function<bool()>& stops) {
  Counting result;
  if (request.sink == SinkKind::list && request.algorithm == Algorithm::automatic && !problem.roots().empty())
    result.table = endingsTable(search);
  const bool mayUse = request.sink == SinkKind::count && !request.fingerprint && search.conditions.empty() &&
                      request.algorithm == Algorithm::automatic && !problem.roots().empty();
  if (!mayUse) return result;
  if (tableEntries(search.system) > kSmallTables && trySearch(problem, result)) return result;
  CompletionTable table = completionTable(search.system, kTableLimits, stops);
  std::optional<unsigned __int128> all;
  if (table.level == 0)
    all = table.counts.front();
  else
    all = wideCount(search.system, table, kTableLimits, stops);
  if (all && *all >> kCountBits != 0)
    throw LimitError(
        "count: there are 2^96 integer points or more, and counts are exact below that; bounds or conditions "
        "leave fewer");
  if (all) {
    result.byTable = true;
    result.words = Tally::wordsOf(*all);
  } else if (table.level <= search.system.leaf) {
    result.table = std::move(table);
  }
  return result;
}

Frontier frontierOf(const PreparedSearch& search, const CompletionTable* table, std::size_t atLeast,
                    std::size_t memoryLimit) {
  PreparedSearch whole = search;
  whole.slices.reset();
  const auto problem = makeProblem(whole, table);
  const bool wide = problem->sliceBytes() == sizeof(SearchSlice<std::int64_t>);
  return slicepool::frontierOf(
      *problem,
      [&](const std::vector<std::byte>& slice) {
        return wide ? weightOf<std::int64_t>(whole.system, slice)
                    : weightOf<std::int32_t>(whole.system, slice);
      },
      atLeast, memoryLimit);
}

}  // namespace slicepool::integer_points
