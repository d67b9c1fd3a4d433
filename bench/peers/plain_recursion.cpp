// See plain_recursion.hpp. A recursion whose depth is a template argument, so that the compiler sees d - 2
// nested loops with the coordinates in registers. A byte per residual and level says whether a branch has any
// solution; the last two coordinates are looked up and then stepped.
#include "bench/peers/plain_recursion.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace slicepool::bench {
namespace {

/// The lexicographically first solution in the last two coordinates; first < 0: there is none.
struct Tail {
  std::int32_t first, last;
};

struct Tables {
  std::array<std::int32_t, kPeerLargestDimension> generators{};
  std::array<std::uint64_t, kPeerLargestDimension> reciprocals{};  ///< r * reciprocal >> 32 is r / generator
  std::array<const std::uint8_t*, kPeerLargestDimension>
      reachable{};  ///< [k][r]: r = sum of generators k..d-1
  const Tail* tails = nullptr;
  std::int32_t firstStep = 0, lastStep = 0;  ///< (first - firstStep, last + lastStep) is the next solution
};

/// Coordinates `prefix` are chosen, `residual` is left for those from K on.
template <int D, int K, class... Prefix>
[[gnu::always_inline]] inline std::int32_t* walk(const Tables& tables, std::int32_t residual,
                                                 std::int32_t* __restrict rows, Prefix... prefix) {
  if constexpr (K == D - 2) {
    auto [first, last] = tables.tails[residual];
    do {
      std::int32_t* row = rows;
      ((*row++ = prefix), ...);
      row[0] = first;
      row[1] = last;
      rows += D;
      first -= tables.firstStep;
      last += tables.lastStep;
    } while (first >= 0);
  } else {
    const std::uint8_t* __restrict reachable = tables.reachable[K + 1];
    const std::int32_t generator = tables.generators[K];
    auto value =
        static_cast<std::int32_t>(static_cast<std::uint64_t>(residual) * tables.reciprocals[K] >> 32);
    for (residual -= value * generator; value >= 0; --value, residual += generator)
      if (reachable[residual] != 0) rows = walk<D, K + 1>(tables, residual, rows, prefix..., value);
  }
  return rows;
}

template <int D>
std::int32_t* start(const Tables& tables, std::int32_t element, std::int32_t* rows) {
  if (D == 2 && tables.tails[element].first < 0) return rows;
  return walk<D, 0>(tables, element, rows);
}

using Start = std::int32_t* (*)(const Tables&, std::int32_t, std::int32_t*);

template <std::size_t... kOffsets>
constexpr auto startsFrom(std::index_sequence<kOffsets...>) {
  return std::array<Start, sizeof...(kOffsets)>{&start<static_cast<int>(kPeerLeastDimension + kOffsets)>...};
}
constexpr auto kStarts =
    startsFrom(std::make_index_sequence<kPeerLargestDimension - kPeerLeastDimension + 1>{});

/// For every residual the solution x a + y b = residual with the smallest y.
std::vector<Tail> solveTails(std::int32_t a, std::int32_t b, std::int32_t element) {
  const std::int32_t period = a / std::gcd(a, b);
  std::vector<std::int32_t> smallest(static_cast<std::size_t>(std::min(a, element + 1)),
                                     -1);  // [residual mod a]
  for (std::int64_t y = 0; y < period && y * b <= element; ++y)
    smallest[static_cast<std::size_t>(y * b % a)] = static_cast<std::int32_t>(y);
  std::vector<Tail> tails(static_cast<std::size_t>(element) + 1);
  std::size_t modulo = 0;
  for (std::int32_t residual = 0; residual <= element; ++residual) {
    const std::int32_t y = smallest[modulo];
    const std::int64_t rest = residual - std::int64_t{y} * b;
    const bool solvable = y >= 0 && rest >= 0;
    tails[static_cast<std::size_t>(residual)] =
        solvable ? Tail{static_cast<std::int32_t>(rest / a), y} : Tail{-1, 0};
    if (++modulo == static_cast<std::size_t>(a)) modulo = 0;
  }
  return tails;
}

/// Bytes [k][residual] for k = 1..d-2.
std::vector<std::uint8_t> markReachable(const Tables& tables, std::size_t d, const std::vector<Tail>& tails) {
  const std::size_t residuals = tails.size();
  std::vector<std::uint8_t> reachable((d - 1) * residuals);
  for (std::size_t k = d - 2; k >= 1; --k) {
    std::uint8_t* level = reachable.data() + k * residuals;
    if (k == d - 2) {
      for (std::size_t r = 0; r < residuals; ++r) level[r] = tails[r].first >= 0 ? 1 : 0;
      continue;
    }
    const auto generator = static_cast<std::size_t>(tables.generators[k]);
    std::copy_n(level + residuals, residuals, level);
    for (std::size_t r = generator; r < residuals; ++r) level[r] |= level[r - generator];
  }
  return reachable;
}

void check(const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  constexpr std::uint64_t kRange = std::uint64_t{1}
                                   << 30;  // of sums of a coordinate and a step, and of products
  const std::size_t d = generators.size();
  if (d < kPeerLeastDimension || d > kPeerLargestDimension)
    throw std::invalid_argument("plainRecursion: dimension");
  for (const std::uint64_t g : generators)
    if (g == 0 || g >= kRange || element >= kRange / g) throw std::invalid_argument("plainRecursion: range");
}

}  // namespace

std::size_t plainRecursion(const std::vector<std::uint64_t>& generators, std::uint64_t element,
                           std::int32_t* rows) {
  check(generators, element);
  const std::size_t d = generators.size();
  Tables tables;
  for (std::size_t k = 0; k < d; ++k) {
    tables.generators[k] = static_cast<std::int32_t>(generators[k]);
    tables.reciprocals[k] = (std::uint64_t{1} << 32) / generators[k] + 1;
  }
  const std::int32_t a = tables.generators[d - 2];
  const std::int32_t b = tables.generators[d - 1];
  const std::vector<Tail> tails = solveTails(a, b, static_cast<std::int32_t>(element));
  tables.tails = tails.data();
  tables.firstStep = b / std::gcd(a, b);
  tables.lastStep = a / std::gcd(a, b);

  const std::vector<std::uint8_t> reachable = markReachable(tables, d, tails);
  for (std::size_t k = 1; k < d - 1; ++k) tables.reachable[k] = reachable.data() + k * tails.size();
  const auto* end = kStarts[d - kPeerLeastDimension](tables, static_cast<std::int32_t>(element), rows);
  return static_cast<std::size_t>(end - rows) / d;
}

}  // namespace slicepool::bench
