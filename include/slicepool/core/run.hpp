// The typed front of the engine for library users: a workload's view, its root slices and a sink.
#pragma once

#include <utility>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool {

/// A run of workload W into sink S. Owns the problem and the engine.
///
///     slicepool::Run<NQueens> run{{14}, {NQueens::root()}, {.mode = slicepool::Mode::hybrid}};
///     run.run();
///     std::cout << run.results();
template <class W, class S = Count>
class Run {
 public:
  Run(const typename W::View& view, std::vector<typename W::Slice> roots, EngineOptions options,
      ProblemTraits traits = {}, ResultConsumer* consumer = nullptr)
      : problem_(view, std::move(roots), std::move(traits)),
        engine_(problem_, std::move(options), consumer) {}

  void run() { engine_.run(); }
  void runFor(std::chrono::nanoseconds duration) { engine_.runFor(duration); }
  void cancel() noexcept { engine_.cancel(); }
  [[nodiscard]] bool finished() const { return engine_.finished(); }
  [[nodiscard]] Progress progress() const { return engine_.progress(); }
  [[nodiscard]] RunReport report() const { return engine_.report(); }
  /// Number of results so far (exact once finished). Not while running.
  [[nodiscard]] std::uint64_t results() const { return engine_.report().words.at(0); }

 private:
  TypedProblem<W, S> problem_;
  Engine engine_;
};

}  // namespace slicepool
