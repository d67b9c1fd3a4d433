// See periodic_count.hpp.
//
// The generating function of denumerants is the product of 1 / (1 - x^g). With 1 - x^L in each denominator it
// is P(x) / (1 - x^L)^d, where P is the product of (1 - x^L) / (1 - x^g), a polynomial of degree below d L
// without negative coefficients. The coefficient of x^n is the sum of P_k C((n - k) / L + d - 1, d - 1) over
// k = n (mod L).
#include "runtime/factorizations/periodic_count.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/multiprecision/cpp_int.hpp>

#include "cpu_workers/core/setup_stop.hpp"

namespace slicepool::factorizations {
namespace {

using Integer = boost::multiprecision::cpp_int;
using Wide = unsigned __int128;

constexpr double kMaximumAdditions = 0x1p28;  // some tenths of a second
constexpr double kMaximumBits = 127;

/// 0: beyond `most`.
std::uint64_t commonMultiple(const std::vector<std::uint64_t>& generators, std::uint64_t most) {
  std::uint64_t multiple = 1;
  for (const std::uint64_t g : generators) {
    const std::uint64_t factor = g / std::gcd(multiple, g);
    if (factor > most / multiple) return 0;
    multiple *= factor;
  }
  return multiple;
}

/// P; sums wrap around on the way and not in the end.
std::vector<Wide> numerator(const std::vector<std::uint64_t>& generators, std::uint64_t period) {
  std::vector<Wide> p(generators.size() * period);
  p.front() = 1;
  for (const std::uint64_t g : generators) {
    checkSetup();
    for (std::size_t k = p.size(); k-- > period;) p[k] -= p[k - period];
    for (std::size_t k = g; k < p.size(); ++k) p[k] += p[k - g];
  }
  return p;
}

Integer binomial(const Integer& n, std::size_t k) {
  Integer result = 1;
  for (std::size_t i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

}  // namespace

std::optional<std::string> periodicCount(const std::vector<std::uint64_t>& given, std::uint64_t element,
                                         std::size_t bytes) {
  std::uint64_t divisor = given.front();
  for (const std::uint64_t g : given) divisor = std::gcd(divisor, g);
  if (element % divisor != 0) return "0";
  std::vector<std::uint64_t> generators;
  generators.reserve(given.size());
  for (const std::uint64_t g : given) generators.push_back(g / divisor);
  const std::uint64_t n = element / divisor;
  const auto d = static_cast<double>(generators.size());
  const double most = std::min(kMaximumAdditions / (d * d), static_cast<double>(bytes) / (d * sizeof(Wide)));
  const std::uint64_t period = commonMultiple(generators, static_cast<std::uint64_t>(most));
  double bits = 0;  // of the sum of all coefficients
  for (const std::uint64_t g : generators)
    bits += std::log2(static_cast<double>(period) / static_cast<double>(g));
  if (period == 0 || bits >= kMaximumBits) return std::nullopt;
  const std::vector<Wide> p = numerator(generators, period);
  Integer count = 0;
  for (std::uint64_t k = n % period; k < p.size() && k <= n; k += period)
    count +=
        Integer(p[k]) * binomial(Integer((n - k) / period) + generators.size() - 1, generators.size() - 1);
  return count.str();
}

}  // namespace slicepool::factorizations
