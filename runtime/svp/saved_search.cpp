// See saved_search.hpp.
#include "runtime/svp/saved_search.hpp"

#include <fmt/format.h>

#include "runtime/core/checkpoint.hpp"
#include "runtime/svp/proof.hpp"

namespace slicepool::svp {

std::string searchIdentity(const Request& request, const lattice::IntegerBasis& basis) {
  const std::string target = request.squaredNorm.given() ? request.squaredNorm.text()
                             : request.ghFactor != 0     ? fmt::format("gh:{}", request.ghFactor)
                                                         : "exact";
  return fmt::format("svp d={} basis={:016x} target={} seed={} bkz={} trial_probability={}", basis.dimension,
                     lattice::hashOfRows(basis), target, request.seed, request.blockSize,
                     request.trialProbability) +
         (request.rates == RateSource::fixed ? " rates=fixed" : "");
}

SavedSearch readSavedSearch(const std::string& path, const std::string& identity, int dimension) {
  const CheckpointHeader header = readCheckpointHeader(path);
  // What the engine of an unpruned search saves is named after its problem.
  if (header.workload == "lattice" && header.identity == identity)
    return {unpackState(readCheckpoint(path, proofReader(dimension).get()).consumer), true};
  (void)readCheckpointHeaderOf(path, "svp", identity);
  return {unpackState(readCheckpoint(path).consumer), false};
}

std::uint64_t writeSavedSearch(const std::string& path, const std::string& identity,
                               const SearchState& state) {
  Checkpoint checkpoint;
  checkpoint.workload = "svp";
  checkpoint.identity = identity;
  checkpoint.steps = static_cast<double>(state.nodes);
  checkpoint.seconds = state.seconds;
  checkpoint.consumer = packState(state);
  return writeCheckpoint(path, checkpoint);
}

}  // namespace slicepool::svp
