// Omega primality and the tame degree of numerical semigroups, by longest factorizations.
//
// A bullet of n is a factorization b of n + s, with s in S, such that s - g_i is not in S for any generator
// g_i of b: n divides the element of b, and that of no proper part of b. So b uses only generators without
// which s cannot go on, and s lies in the Apéry set of each of them. These sets are finite.
// The elements s are grouped by their set of such generators, and the longest factorization over a set
// comes from one table. The omega primality of n is the greatest length of a bullet.
//
// The tame degree of S goes by the bullets of a generator g_i, because the distance from a factorization to
// the nearest one with g_i does not grow when generators are added to both. A factorization of g_i + s with
// g_i has no generator in common with a bullet of it, or s - g_j would be an element. So the distance is the
// greater one of the bullet's length and 1 + the least length of s.
#include <algorithm>
#include <map>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/invariants/tables.hpp"
#include "slicepool/invariants/numerical_semigroup.hpp"

namespace slicepool::invariants {
namespace {

/// By set of generators (indices): the elements s that cannot go on without them, ascending.
using Blocked = std::map<std::vector<std::size_t>, std::vector<std::uint64_t>>;

Blocked blockedElements(const NumericalSemigroup& semigroup) {
  const auto& generators = semigroup.generators();
  Blocked blocked;
  const std::int64_t last = semigroup.frobenius() + static_cast<std::int64_t>(generators.back());
  for (std::uint64_t s = 0; static_cast<std::int64_t>(s) <= last; ++s) {
    if ((s & 0xFFF) == 0) checkSetup();
    if (!semigroup.contains(s)) continue;
    std::vector<std::size_t> without;
    for (std::size_t i = 0; i < generators.size(); ++i)
      if (generators[i] > s || !semigroup.contains(s - generators[i])) without.push_back(i);
    if (!without.empty()) blocked[std::move(without)].push_back(s);
  }
  return blocked;
}

std::vector<std::uint64_t> chosen(const std::vector<std::uint64_t>& generators,
                                  const std::vector<std::size_t>& indices) {
  std::vector<std::uint64_t> some;
  some.reserve(indices.size());
  for (const std::size_t i : indices) some.push_back(generators[i]);
  return some;
}

}  // namespace

std::vector<std::optional<OmegaPrimality>> NumericalSemigroup::omegaPrimality(
    const std::vector<std::uint64_t>& elements) const {
  std::vector<std::optional<OmegaPrimality>> found(elements.size());
  std::uint64_t last = 0;
  for (std::size_t at = 0; at < elements.size(); ++at) {
    if (!contains(elements[at])) continue;
    found[at] = OmegaPrimality{0, Factorization(generators_.size(), 0)};
    last = std::max(last, elements[at]);
  }
  for (const auto& [indices, blocked] : blockedElements(*this)) {
    const auto some = chosen(generators_, indices);
    const auto greatest = greatestLengths(some, last + blocked.back(), memoryLimit_);
    for (std::size_t at = 0; at < elements.size(); ++at) {
      if (!found[at]) continue;
      // The longest bullet over these generators, and its element.
      std::uint64_t length = found[at]->value;
      std::uint64_t longest = 0;
      for (const std::uint64_t s : blocked) {
        const std::uint32_t other = greatest[elements[at] + s];
        if (other == kNoLength || other <= length) continue;
        length = other;
        longest = elements[at] + s;
      }
      if (length == found[at]->value) continue;
      const Factorization part = traced(some, greatest, longest);
      found[at] = OmegaPrimality{length, Factorization(generators_.size(), 0)};
      for (std::size_t i = 0; i < indices.size(); ++i) found[at]->bullet[indices[i]] = part[i];
    }
  }
  return found;
}

AtElement NumericalSemigroup::omegaPrimality() const {
  AtElement omega;
  for (const auto& [indices, elements] : blockedElements(*this)) {
    const auto greatest =
        greatestLengths(chosen(generators_, indices), generators_.back() + elements.back(), memoryLimit_);
    for (const std::uint64_t s : elements) {
      for (const std::uint64_t generator : generators_) {
        const std::uint32_t length = greatest[generator + s];
        if (length != kNoLength && length > omega.value) omega = {length, generator};
      }
    }
  }
  return omega;
}

AtElement NumericalSemigroup::tameDegree() const {
  AtElement tame;
  const std::uint64_t last = conductor() + generators_.back();
  const auto least = leastLengths(generators_, last, memoryLimit_);
  for (const auto& [indices, elements] : blockedElements(*this)) {
    const auto greatest =
        greatestLengths(chosen(generators_, indices), generators_.back() + elements.back(), memoryLimit_);
    for (const std::uint64_t s : elements) {
      for (const std::uint64_t generator : generators_) {
        // The bullet of g_i that is g_i itself has s = 0 and needs no step.
        const std::uint32_t length = greatest[generator + s];
        if (s == 0 || length == kNoLength) continue;
        const std::uint64_t distance = std::max(length, least[s] + 1);
        if (distance > tame.value) tame = {distance, generator + s};
      }
    }
  }
  return tame;
}

}  // namespace slicepool::invariants
