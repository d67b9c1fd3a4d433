// A numerical semigroup by its Apéry set: membership and what follows from it alone. Presentations, primality
// and delta sets have sources of their own.
#include "slicepool/invariants/numerical_semigroup.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/invariants/tables.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::invariants {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaximumValue = (std::uint64_t{1} << 63) - 1;

std::string listText(const std::vector<std::uint64_t>& values) {
  std::string text;
  for (const std::uint64_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return "[" + text + "]";
}

void checkGenerators(const std::vector<std::uint64_t>& values) {
  std::uint64_t divisor = 0;
  for (const std::uint64_t value : values) divisor = std::gcd(divisor, value);
  const bool inside = !values.empty() && *std::min_element(values.begin(), values.end()) >= 1 &&
                      *std::max_element(values.begin(), values.end()) <= kMaximumValue;
  if (inside && divisor == 1) return;
  throw ConfigError("generators", listText(values),
                    "integers from 1 to 2^63-1 with greatest common divisor 1");
}

/// Round Robin: the least elements with one more generator. What is beyond 2^63-1 stays unknown: a later
/// generator may give a lesser one, whose parts are all within.
void addToApery(std::vector<std::uint64_t>& apery, std::uint64_t generator) {
  const std::uint64_t m = apery.size();
  const std::uint64_t cycles = std::gcd(m, generator);
  const std::uint64_t step = generator % m;
  for (std::uint64_t start = 0; start < cycles; ++start) {
    std::uint64_t at = start;
    std::uint64_t least = kUnknown;
    for (std::uint64_t i = 0; i < m / cycles; ++i, at = (at + step) % m) least = std::min(least, apery[at]);
    if (least == kUnknown) continue;
    at = least % m;
    std::uint64_t value = least;
    for (std::uint64_t i = 0; i + 1 < m / cycles; ++i) {
      at = (at + step) % m;
      value = value > kMaximumValue - generator ? apery[at] : std::min(value + generator, apery[at]);
      apery[at] = value;
    }
  }
}

}  // namespace

NumericalSemigroup::NumericalSemigroup(std::vector<std::uint64_t> generators, std::size_t memoryLimit)
    : memoryLimit_(hostMemoryLimit(memoryLimit)) {
  checkGenerators(generators);
  std::sort(generators.begin(), generators.end());
  const std::uint64_t m = generators.front();
  requireTable(m, sizeof(std::uint64_t), memoryLimit_, "generators: the Apéry set");
  apery_.assign(m, kUnknown);
  apery_[0] = 0;
  for (const std::uint64_t generator : generators) {
    checkSetup();
    const bool minimal = generator == m ? generators_.empty() : apery_[generator % m] > generator;
    if (!minimal) continue;
    generators_.push_back(generator);
    addToApery(apery_, generator);
  }
  if (*std::max_element(apery_.begin(), apery_.end()) > kMaximumValue)
    throw LimitError("generators: an element of the Apéry set is beyond 2^63-1");
}

std::int64_t NumericalSemigroup::frobenius() const {
  return static_cast<std::int64_t>(*std::max_element(apery_.begin(), apery_.end())) -
         static_cast<std::int64_t>(multiplicity());
}

std::uint64_t NumericalSemigroup::genus() const {
  std::uint64_t gaps = 0;
  for (const std::uint64_t entry : apery_) gaps += entry / multiplicity();
  return gaps;
}

std::vector<std::int64_t> NumericalSemigroup::pseudoFrobenius() const {
  std::vector<std::int64_t> found;
  for (const std::uint64_t entry : apery_) {
    // Of the Apéry set, the maximal elements: no entry + g_i is in it. For i = 1 that is always so.
    const bool maximal =
        std::all_of(generators_.begin() + 1, generators_.end(), [&](std::uint64_t generator) {
          return entry + generator != apery_[(entry + generator) % multiplicity()];
        });
    if (maximal)
      found.push_back(static_cast<std::int64_t>(entry) - static_cast<std::int64_t>(multiplicity()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

Fraction NumericalSemigroup::elasticity() const {
  const std::uint64_t divisor = std::gcd(generators_.back(), generators_.front());
  return {generators_.back() / divisor, generators_.front() / divisor};
}

Integer NumericalSemigroup::wilf() const {
  return Integer(generators_.size()) * (conductor() - genus()) - conductor();
}

Integer NumericalSemigroup::eliahou() const {
  const std::uint64_t c = conductor();
  const std::uint64_t m = multiplicity();
  const std::uint64_t q = c / m + (c % m != 0 ? 1 : 0);
  std::uint64_t below = 0;   // minimal generators below the conductor
  std::uint64_t within = 0;  // those in c .. c + m - 1
  for (const std::uint64_t generator : generators_) {
    below += generator < c ? 1 : 0;
    within += generator >= c && generator - c < m ? 1 : 0;
  }
  return Integer(below) * (c - genus()) - Integer(q) * (m - within) + (Integer(q) * m - c);
}

}  // namespace slicepool::invariants
