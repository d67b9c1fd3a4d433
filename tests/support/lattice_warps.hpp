// The lattice search by warps (lattice/warp_turn.hpp) run on the host, launch by launch as a device does it.
// Included by unit tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/warp_turn.hpp"

namespace slicepool::test {

struct WarpRun {
  std::uint32_t warps = 4;
  std::uint32_t capacity = 1U << 15U;  ///< slices
  std::uint64_t budget = 1U << 20U;
  std::uint32_t results = 1000;  ///< buffered results
  bool forget = false;           ///< slices come back without the state of their paths
};

struct WarpOutcome {
  std::vector<std::uint64_t> words;
  std::vector<std::byte> results;
  std::uint64_t steps = 0;
  std::uint64_t launches = 0;
  std::uint64_t refusals = 0;
};

/// Runs a problem of capacity kCapacity and sink S to its end.
template <int kCapacity, int kBits, class S>
class WarpHost {
 public:
  using W = lattice::Search<kCapacity>;
  using Searcher = lattice::WarpSearch<HostLanes, kCapacity, kBits>;
  using Lists = typename Searcher::Lists;
  using Slice = typename W::Slice;

  WarpHost(const Problem& problem, const WarpRun& run)
      : typed_(dynamic_cast<const TypedProblem<W, S>&>(problem)), run_(run), view_(typed_.viewOnHost()) {
    const int d = view_.dimension;
    memory_.resize(Lists::memoryBytes(d) / sizeof(lattice::FourWords) + 1);
    shared_.resize(Lists::sharedBytes(d) / sizeof(std::uint64_t) + 1);
    columns_.resize(lattice::packedColumns<kBits>(d));
    for (int depth = 1; depth < d; ++depth) lattice::packColumn<kBits>(view_, depth, 0, 1, columns_.data());
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
  std::uint32_t launch(std::uint32_t live, std::uint32_t known) {
    std::uint32_t next = 0;
    std::uint32_t idle = 0;
    std::uint32_t kept = 0;
    std::uint32_t refused = 0;
    std::uint64_t splits = 0;
    std::uint32_t taken = 0;
    const SinkMemory sink{outcome_.words.data(), results_.data(), &taken,
                          typed_.resultBytes() != 0 ? run_.results : 0, &radius_};
    const lattice::WarpBatch<Slice> batch{slices_[0].data(),
                                          states_[0].data(),
                                          live,
                                          known,
                                          slices_[1].data(),
                                          states_[1].data(),
                                          run_.capacity,
                                          run_.warps,
                                          run_.budget,
                                          {&next, &idle, &kept, &refused, &outcome_.steps, &splits}};
    for (std::uint32_t warp = 0; warp < run_.warps; ++warp) {
      Lists lists{};
      lists.dimension = view_.dimension;
      lists.memory = reinterpret_cast<std::byte*>(memory_.data());
      lists.place(reinterpret_cast<std::byte*>(shared_.data()));
      Searcher search(view_, columns_.data(), lists);
      typename S::Emitter emit(typed_.sinkViewOver(nullptr), sink);
      lattice::WarpTurn<HostLanes, kCapacity, kBits, typename S::Emitter> turn(search, batch, emit);
      turn.run();
      emit.flush();
    }
    if (kept > run_.capacity) throw std::logic_error("more slices than there is room for");
    if (kept > live + splits) throw std::logic_error("slices that no split accounts for");
    outcome_.refusals += refused;
    outcome_.results.insert(outcome_.results.end(), results_.begin(),
                            results_.begin() + static_cast<std::ptrdiff_t>(taken * typed_.resultBytes()));
    std::swap(slices_[0], slices_[1]);
    std::swap(states_[0], states_[1]);
    return kept;
  }

  const TypedProblem<W, S>& typed_;
  WarpRun run_;
  lattice::SearchView view_;
  std::vector<lattice::FourWords> memory_;
  std::vector<std::uint64_t> shared_;
  std::vector<double> columns_;
  std::vector<Slice> slices_[2];
  std::vector<lattice::PathState> states_[2];
  std::vector<std::byte> results_;
  std::uint64_t radius_ = 0;
  WarpOutcome outcome_;
};

}  // namespace slicepool::test
