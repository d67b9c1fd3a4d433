// The lattice searches by warps (runtime/lattice/host_launch.hpp) run on the host, launch by launch as a
// device does it. Included by unit tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/lattice/host_launch.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/steps/compacted_turn.hpp"
#include "slicepool/lattice/steps/team_paths.hpp"
#include "slicepool/lattice/steps/team_turn.hpp"
#include "slicepool/lattice/steps/warp_turn.hpp"
#include "support/lattice/driver.hpp"
#include "support/lattice/words.hpp"

namespace slicepool::test {

struct WarpRun {
  std::uint32_t units = 4;             ///< warps or teams
  std::uint32_t capacity = 1U << 15U;  ///< slices
  std::uint64_t budget = 1U << 20U;
  std::uint32_t results = 1000;  ///< buffered results
  bool forget = false;           ///< slices come back without the state of their paths
  int places = 64;               ///< of a list of the compacted search
  int narrow = 0;                ///< coefficients in the narrow packing (PathLayout)
  int teamWarps = 3;             ///< of a team
  int teamPlaces = 700;          ///< entries of a team
};

struct WarpOutcome {
  std::vector<std::uint64_t> words;
  std::vector<std::byte> results;
  std::uint64_t steps = 0;
  std::uint64_t launches = 0;
  std::uint64_t refusals = 0;
  std::uint32_t mostKept = 0;  ///< slices that a launch left
};

/// Runs a problem of capacity kCapacity and sink S to its end. Algorithm: see HostWarps.
template <class Algorithm, int kCapacity, class Layout, class S>
class WarpHost {
 public:
  using W = lattice::Search<kCapacity>;
  using Warps = lattice::HostWarps<Algorithm, kCapacity, Layout, S>;
  using Lists = typename Warps::Lists;
  using Slice = typename W::Slice;

  WarpHost(const Problem& problem, const WarpRun& run)
      : typed_(dynamic_cast<const TypedProblem<W, S>&>(problem)),
        run_(run),
        warps_(typed_.viewOnHost(), listsOf(run), run.narrow) {
    for (auto& slices : slices_) slices.resize(run.capacity);
    for (auto& states : states_) states.resize(run.capacity);
    outcome_.words = problem.words().fresh();
    results_.resize(run.results * problem.resultBytes());
    radius_ = problem.sharedStart();
  }

  WarpOutcome run() {
    const auto& roots = typed_.roots();
    std::memcpy(slices_[0].data(), roots.data(), roots.size());
    auto live = static_cast<std::uint32_t>(roots.size() / sizeof(Slice));
    std::uint32_t known = 0;
    while (live != 0) {
      live = launch(live, known);
      known = run_.forget ? 0 : live;
      if (++outcome_.launches > 1'000'000) throw std::logic_error("no end of launches");
    }
    return outcome_;
  }

 private:
  static Lists listsOf(const WarpRun& run) {
    Lists lists{};
    if constexpr (requires { Lists::kDefaultPlaces; }) lists.places = run.places;
    if constexpr (requires { lists.warps; }) {
      lists.warps = run.teamWarps;
      lists.places = run.teamPlaces;
    }
    return lists;
  }

  std::uint32_t launch(std::uint32_t live, std::uint32_t known) {
    std::uint32_t taken = 0;
    const SinkMemory sink{outcome_.words.data(), results_.data(), &taken,
                          typed_.resultBytes() != 0 ? run_.results : 0, &radius_};
    const lattice::HostLaunch launch = warps_.run({slices_[0].data(),
                                                   states_[0].data(),
                                                   live,
                                                   known,
                                                   run_.forget ? 0 : ofTeams_,
                                                   slices_[1].data(),
                                                   states_[1].data(),
                                                   run_.capacity,
                                                   run_.units,
                                                   run_.budget,
                                                   nullptr,
                                                   {}},
                                                  typed_.sinkViewOver(nullptr), sink);
    if (launch.kept > run_.capacity) throw std::logic_error("more slices than there is room for");
    if (launch.kept > live + launch.splits) throw std::logic_error("slices that no split accounts for");
    ofTeams_ = launch.early ? 0 : launch.ofTeams;
    outcome_.steps += launch.steps;
    outcome_.refusals += launch.refused;
    outcome_.mostKept = std::max(outcome_.mostKept, launch.kept);
    outcome_.results.insert(outcome_.results.end(), results_.begin(),
                            results_.begin() + static_cast<std::ptrdiff_t>(taken * typed_.resultBytes()));
    std::swap(slices_[0], slices_[1]);
    std::swap(states_[0], states_[1]);
    return launch.kept;
  }

  const TypedProblem<W, S>& typed_;
  WarpRun run_;
  Warps warps_;
  std::vector<Slice> slices_[2];
  std::vector<lattice::PathState> states_[2];
  std::vector<std::byte> results_;
  std::uint64_t radius_ = 0;
  std::uint32_t ofTeams_ = 0;
  WarpOutcome outcome_;
};

/// call(capacity), an integral constant.
template <class Call>
auto atCapacity(int dimension, const Call& call) {
  switch (lattice::capacityOf(dimension)) {
    case 16: return call(std::integral_constant<int, 16>());
    case 32: return call(std::integral_constant<int, 32>());
    case 64: return call(std::integral_constant<int, 64>());
    case 96: return call(std::integral_constant<int, 96>());
    default: return call(std::integral_constant<int, 160>());
  }
}

template <class Algorithm, class Layout>
WarpOutcome runWarps(const lattice::ProblemSpec& spec, const WarpRun& run) {
  const auto problem = lattice::makeProblem(spec);
  return atCapacity(spec.dimension, [&](auto capacity) {
    return WarpHost<Algorithm, capacity, Layout, lattice::Tally<capacity>>(*problem, run).run();
  });
}

/// In the basis and with the paths that a device chooses. `chosen`, if given, becomes its choice.
template <template <int> class S = lattice::Tally>
WarpOutcome runTeamsAsDevice(lattice::ProblemSpec spec, WarpRun run, lattice::TeamPaths* chosen = nullptr) {
  spec.devices = true;
  const auto problem = lattice::makeProblem(spec);
  return atCapacity(spec.dimension, [&](auto capacity) {
    using W = lattice::Search<capacity>;
    const auto& typed = dynamic_cast<const TypedProblem<W, S<capacity>>&>(*problem);
    std::vector<typename W::Slice> roots(typed.roots().size() / sizeof(typename W::Slice));
    std::memcpy(roots.data(), typed.roots().data(), typed.roots().size());
    const auto paths = lattice::TeamPaths::of<capacity>(typed.viewOnHost(), roots);
    if (chosen != nullptr) *chosen = paths;
    run.narrow = paths.narrow;
    return paths.template atLayout<capacity>([&](auto layout) {
      return WarpHost<lattice::AutomaticTeams, capacity, decltype(layout), S<capacity>>(*problem, run).run();
    });
  });
}

/// The words of a run by the plain step.
inline std::vector<std::uint64_t> plainLatticeWords(const lattice::ProblemSpec& spec) {
  const auto problem = lattice::makeProblem(spec);
  LatticeDriver driver(*problem, spec.dimension);
  return driver.runWhole().words();
}

/// Without their norms.
inline std::vector<std::string> sortedVectors(const WarpOutcome& outcome, int dimension) {
  std::vector<std::string> vectors;
  const std::size_t bytes = lattice::shortVectorBytes(dimension);
  for (std::size_t at = 0; at < outcome.results.size(); at += bytes) {
    const auto* const begin = reinterpret_cast<const char*>(outcome.results.data() + at);
    vectors.emplace_back(begin + sizeof(double), begin + bytes);
  }
  std::sort(vectors.begin(), vectors.end());
  return vectors;
}

}  // namespace slicepool::test
