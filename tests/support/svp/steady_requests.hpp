// Searches for a shortest vector whose course does not depend on what is measured.
#pragma once

#include <cstdint>
#include <random>

#include "runtime/lattice/reduction.hpp"
#include "slicepool/svp/enumeration.hpp"
#include "support/scale.hpp"
#include "support/svp/bases.hpp"
#include "support/worker_options.hpp"

namespace slicepool::test {

/// Some twenty trials, whose course does not depend on what is measured.
inline svp::Request steadyRequest(std::uint64_t seed = 0) {
  std::mt19937_64 random(11);
  svp::Request request;
  request.basis = lattice::basisText(challengeBasis(largest(54, 51), random));
  request.seed = seed;
  request.trialProbability = 0.2;
  request.proofLimit = 0;
  request.blockSize = 22;
  return request;
}

/// Several trials, pruned as fixed rates say.
inline svp::Request fixedRequest() {
  std::mt19937_64 random(15);
  svp::Request request = steadyRequest();
  request.basis = lattice::basisText(challengeBasis(largest(60, 57), random));
  request.trialProbability = 0;
  request.rates = svp::RateSource::fixed;
  return request;
}

inline svp::Outcome finish(svp::Enumeration& search) {
  search.run();
  return search.outcome();
}

inline svp::Outcome outcomeOf(const svp::Request& request, const EngineOptions& options = onCpu(1)) {
  svp::Enumeration search(request, options);
  return finish(search);
}

}  // namespace slicepool::test
