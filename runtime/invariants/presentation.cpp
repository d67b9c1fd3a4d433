// Betti elements of a numerical semigroup, minimal presentations and the catenary degree.
//
// The R-classes of an element n are the connected components of its factorizations, where two are joined that
// have a generator in common. They are also those of the graph on the generators g_i with n - g_i in S, in
// which g_i and g_j are joined when n - g_i - g_j is in S (Rosales, García-Sánchez 2009, Numerical
// semigroups, section 7). The Betti elements are among w + g_j with w in the Apéry set of g_1 and j > 1.
#include <algorithm>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/invariants/r_classes.hpp"
#include "runtime/invariants/tables.hpp"
#include "slicepool/invariants/numerical_semigroup.hpp"

namespace slicepool::invariants {

std::vector<std::uint64_t> NumericalSemigroup::bettiElements() const {
  std::vector<std::uint64_t> candidates;
  requireTable(static_cast<unsigned __int128>(apery_.size()) * generators_.size(), sizeof(std::uint64_t),
               memoryLimit_, "Betti elements: the candidates");
  for (const std::uint64_t entry : apery_)
    for (std::size_t j = 1; entry != 0 && j < generators_.size(); ++j)
      candidates.push_back(entry + generators_[j]);
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::vector<std::uint64_t> betti;
  for (const std::uint64_t candidate : candidates) {
    checkSetup();
    if (rClassesOf(*this, generators_, candidate).size() > 1) betti.push_back(candidate);
  }
  return betti;
}

std::vector<Relation> NumericalSemigroup::minimalPresentation() const {
  const auto betti = bettiElements();
  std::vector<Relation> relations;
  if (betti.empty()) return relations;
  const auto least = leastLengths(generators_, betti.back(), memoryLimit_);
  for (const std::uint64_t element : betti) {
    const auto classes = rClassesOf(*this, generators_, element);
    const Factorization left = shortestOf(generators_, least, element, classes[0]);
    for (std::size_t other = 1; other < classes.size(); ++other)
      relations.push_back({left, shortestOf(generators_, least, element, classes[other])});
  }
  return relations;
}

AtElement NumericalSemigroup::catenaryDegree() const {
  const auto betti = bettiElements();
  AtElement greatest;
  if (betti.empty()) return greatest;
  const auto least = leastLengths(generators_, betti.back(), memoryLimit_);
  for (const std::uint64_t element : betti) {
    for (const auto& members : rClassesOf(*this, generators_, element)) {
      std::uint64_t length = kNoLength;
      for (const std::size_t i : members)
        length = std::min<std::uint64_t>(length, least[element - generators_[i]] + std::uint64_t{1});
      if (length > greatest.value) greatest = {length, element};
    }
  }
  return greatest;
}

}  // namespace slicepool::invariants
