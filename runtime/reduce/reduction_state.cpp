// See reduction_state.hpp. The bytes are JSON: they are few, and people may want to read them.
#include "runtime/reduce/reduction_state.hpp"

#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/core/checkpoint.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::reduce {
namespace {

using Json = nlohmann::ordered_json;

/// each(name, member) for every member of a state that is a number or a flag: written and read by one list.
template <class State, class Each>
void forEachMember(State& state, const Each& each) {
  each("tour", state.tour);
  each("step", state.step);
  each("changed", state.changed);
  each("tour_seconds", state.tourSeconds);
  each("tour_inserted", state.tourInserted);
  each("unchanged", state.unchanged);
  each("hermite_factor_before", state.hermiteFactorBefore);
  each("blocks", state.blocks);
  each("inserted", state.inserted);
  each("trials", state.trials);
  each("nodes", state.nodes);
  each("lll_seconds", state.lllSeconds);
  each("preprocessing_seconds", state.preprocessingSeconds);
  each("search_seconds", state.searchSeconds);
  each("device_seconds", state.deviceSeconds);
  each("size_reduction_seconds", state.sizeReductionSeconds);
  each("seconds", state.seconds);
}

Json jsonOf(const ReductionState& state) {
  Json json = {{"basis", lattice::basisText(state.basis)}, {"tours", Json::array()}};
  if (state.start.dimension != 0) json["start"] = lattice::basisText(state.start);
  for (const Tour& tour : state.tours)
    json["tours"].push_back({tour.blockSize, tour.seconds, tour.inserted, tour.hermiteFactor, tour.slope});
  forEachMember(state, [&](const char* name, const auto& member) { json[name] = member; });
  return json;
}

ReductionState stateOf(const Json& json) {
  ReductionState state;
  state.basis = lattice::parseBasis(json.at("basis").get<std::string>(), "checkpoint", kMaximumRows);
  if (json.contains("start"))
    state.start = lattice::parseBasis(json.at("start").get<std::string>(), "checkpoint", kMaximumRows);
  for (const Json& tour : json.at("tours"))
    state.tours.push_back({tour.at(0), tour.at(1), tour.at(2), tour.at(3), tour.at(4)});
  forEachMember(state, [&](const char* name, auto& member) { json.at(name).get_to(member); });
  return state;
}

}  // namespace

std::string reductionIdentity(const Request& request, const lattice::IntegerBasis& basis) {
  return fmt::format("reduce d={} basis={:016x} bkz={} tours={} trials={} seed={}", basis.dimension,
                     lattice::hashOfRows(basis), request.blockSize, request.tours, request.trials,
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
