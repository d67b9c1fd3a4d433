// See search_state.hpp. The bytes are JSON: they are few, and people may want to read them.
#include "runtime/svp/search_state.hpp"

#include <algorithm>
#include <cstring>

#include <nlohmann/json.hpp>

#include "slicepool/core/error.hpp"

namespace slicepool::svp {
namespace {

using Json = nlohmann::ordered_json;
using lattice::Integer;

Json textsOf(const std::vector<Integer>& entries) {
  Json texts = Json::array();
  for (const Integer& entry : entries) texts.push_back(entry.str());
  return texts;
}

std::vector<Integer> entriesOf(const Json& texts) {
  std::vector<Integer> entries;
  for (const Json& text : texts) entries.emplace_back(text.get<std::string>());
  return entries;
}

}  // namespace

std::uint64_t SearchState::nextTrial(std::uint64_t from) const {
  std::vector<std::uint64_t> done;
  for (const auto& trial : trials)
    if (trial.first >= from) done.push_back(trial.first);
  std::sort(done.begin(), done.end());
  for (const std::uint64_t number : done)
    if (number == from) ++from;
  return from;
}

std::vector<std::byte> packState(const SearchState& state) {
  Json trials = Json::array();
  for (const auto& [number, probability] : state.trials) trials.push_back(Json::array({number, probability}));
  const Json json = {{"start", lattice::basisText(state.start)},
                     {"reduced", lattice::basisText(state.reduced)},
                     {"vector", textsOf(state.best.entries)},
                     {"squared_norm", state.best.squaredNorm.str()},
                     {"uncapped", state.uncapped},
                     {"failure", state.failure},
                     {"trials", std::move(trials)},
                     {"inserted", state.inserted},
                     {"nodes", state.nodes},
                     {"found_seconds", state.foundSeconds},
                     {"reduction_seconds", state.reductionSeconds},
                     {"pruning_seconds", state.pruningSeconds},
                     {"search_seconds", state.searchSeconds},
                     {"seconds", state.seconds}};
  const std::string text = json.dump();
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

SearchState unpackState(const std::vector<std::byte>& bytes) {
  try {
    const Json json = Json::parse(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    SearchState state;
    state.start = lattice::parseBasis(json.at("start").get<std::string>(), "checkpoint");
    state.reduced = lattice::parseBasis(json.at("reduced").get<std::string>(), "checkpoint");
    state.best.entries = entriesOf(json.at("vector"));
    state.best.squaredNorm = Integer(json.at("squared_norm").get<std::string>());
    state.uncapped = json.at("uncapped");
    state.failure = json.at("failure");
    for (const Json& trial : json.at("trials"))
      state.trials.emplace_back(trial.at(0).get<std::uint64_t>(), trial.at(1).get<double>());
    state.inserted = json.at("inserted");
    state.nodes = json.at("nodes");
    state.foundSeconds = json.at("found_seconds");
    state.reductionSeconds = json.at("reduction_seconds");
    state.pruningSeconds = json.at("pruning_seconds");
    state.searchSeconds = json.at("search_seconds");
    state.seconds = json.at("seconds");
    return state;
  } catch (const std::exception& error) {
    throw CheckpointError(std::string("resume: the state of the search cannot be read: ") + error.what());
  }
}

}  // namespace slicepool::svp
