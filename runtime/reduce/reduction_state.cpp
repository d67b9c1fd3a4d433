// See reduction_state.hpp. The bytes are JSON: they are few, and people may want to read them.
#include "runtime/reduce/reduction_state.hpp"

#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/core/checkpoint.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::reduce {
namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const ReductionState& state) {
  Json tours = Json::array();
  for (const Tour& tour : state.tours)
    tours.push_back({tour.blockSize, tour.seconds, tour.inserted, tour.hermiteFactor, tour.slope});
  return {{"basis", lattice::basisText(state.basis)},
          {"tour", state.tour},
          {"step", state.step},
          {"changed", state.changed},
          {"tour_seconds", state.tourSeconds},
          {"tour_inserted", state.tourInserted},
          {"hermite_factor_before", state.hermiteFactorBefore},
          {"tours", std::move(tours)},
          {"blocks", state.blocks},
          {"inserted", state.inserted},
          {"trials", state.trials},
          {"nodes", state.nodes},
          {"lll_seconds", state.lllSeconds},
          {"preprocessing_seconds", state.preprocessingSeconds},
          {"search_seconds", state.searchSeconds},
          {"device_seconds", state.deviceSeconds},
          {"size_reduction_seconds", state.sizeReductionSeconds},
          {"seconds", state.seconds}};
}

ReductionState stateOf(const Json& json) {
  ReductionState state;
  state.basis = lattice::parseBasis(json.at("basis").get<std::string>(), "checkpoint", kMaximumRows);
  state.tour = json.at("tour");
  state.step = json.at("step");
  state.changed = json.at("changed");
  state.tourSeconds = json.at("tour_seconds");
  state.tourInserted = json.at("tour_inserted");
  state.hermiteFactorBefore = json.at("hermite_factor_before");
  for (const Json& tour : json.at("tours"))
    state.tours.push_back({tour.at(0), tour.at(1), tour.at(2), tour.at(3), tour.at(4)});
  state.blocks = json.at("blocks");
  state.inserted = json.at("inserted");
  state.trials = json.at("trials");
  state.nodes = json.at("nodes");
  state.lllSeconds = json.at("lll_seconds");
  state.preprocessingSeconds = json.at("preprocessing_seconds");
  state.searchSeconds = json.at("search_seconds");
  state.deviceSeconds = json.at("device_seconds");
  state.sizeReductionSeconds = json.at("size_reduction_seconds");
  state.seconds = json.at("seconds");
  return state;
}

}  // namespace

std::string reductionIdentity(const Request& request, const lattice::IntegerBasis& basis) {
  const std::string text = lattice::basisText(basis);
  return fmt::format("reduce d={} basis={:016x} bkz={} tours={} trials={} seed={}", basis.dimension,
                     XXH3_64bits(text.data(), text.size()), request.blockSize, request.tours, request.trials,
                     request.seed);
}

std::uint64_t writeReductionState(const std::string& path, const std::string& identity,
                                  const ReductionState& state) {
  Checkpoint checkpoint;
  checkpoint.workload = "reduce";
  checkpoint.identity = identity;
  checkpoint.steps = static_cast<double>(state.nodes);
  checkpoint.seconds = state.seconds;
  const std::string text = jsonOf(state).dump();
  checkpoint.consumer.resize(text.size());
  std::memcpy(checkpoint.consumer.data(), text.data(), text.size());
  return writeCheckpoint(path, checkpoint);
}

ReductionState readReductionState(const std::string& path, const std::string& identity) {
  (void)readCheckpointHeaderOf(path, "reduce", identity);
  const std::vector<std::byte> bytes = readCheckpoint(path).consumer;
  try {
    return stateOf(Json::parse(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  } catch (const std::exception& error) {
    throw CheckpointError(std::string("resume: the state of the reduction cannot be read: ") + error.what());
  }
}

}  // namespace slicepool::reduce
