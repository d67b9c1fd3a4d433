// See block_search.hpp.
#include "plugins/fplll/block_search.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>

#include "plugins/fplll/interrupts.hpp"
#include "plugins/fplll/running_pools.hpp"
#include "runtime/lattice/fplll_block.hpp"
#include "runtime/svp/thread_search.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/lattice/sinks.hpp"

namespace slicepool::fplll_plugin {
namespace {

/// The gate as the engine's consumer, which calls it under a lock.
class GateConsumer final : public ResultConsumer {
 public:
  GateConsumer(SolutionGate& gate, std::size_t resultBytes) : gate_(gate), resultBytes_(resultBytes) {}
  void consume(const std::byte* results, std::size_t count) override {
    for (std::size_t i = 0; i < count && !gate_.closed(); ++i) gate_.deliver(results + i * resultBytes_);
    if (gate_.closed()) engine->cancel();
  }
  [[nodiscard]] std::uint64_t sharedBound() const override { return gate_.boundBits(); }
  Engine* engine = nullptr;

 private:
  SolutionGate& gate_;
  std::size_t resultBytes_;
};

std::vector<std::uint64_t> levelsOf(const std::vector<std::uint64_t>& words, int dimension) {
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(lattice::kNodesWord);
  return {begin, begin + dimension};
}

}  // namespace

SolutionGate::SolutionGate(int dimension, double squaredRadius, const ProcessSolution& process)
    : process_(process), squaredRadius_(squaredRadius), coefficients_(static_cast<std::size_t>(dimension)) {}

void SolutionGate::deliver(const std::byte* result) {
  const double squaredNorm = lattice::readShortVector(result, coefficients_);
  if (closed_ || squaredNorm > squaredRadius_) return;
  try {
    squaredRadius_ = process_(squaredNorm, coefficients_.data());
    closed_ = !(squaredRadius_ > 0);
  } catch (...) {  // crosses the engine's threads; rethrown on fplll's
    error_ = std::current_exception();
    closed_ = true;
  }
}

std::uint64_t SolutionGate::boundBits() const { return lattice::bitsOf(squaredRadius()); }

void SolutionGate::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

std::vector<std::uint64_t> searchAlone(const lattice::ProblemSpec& spec, SolutionGate& gate) {
  const auto problem = lattice::makeProblem(spec);
  return svp::searchOnThisThread(
             *problem, spec.dimension, [&] { return gate.squaredRadius(); },
             [&](const std::byte* result) { gate.deliver(result); }, [&] { return gate.closed(); })
      .levels;
}

std::vector<std::uint64_t> searchTogether(lattice::ProblemSpec spec, const Settings& settings,
                                          SolutionGate& gate) {
  spec.devices = settings.mode != Mode::cpu;
  const auto problem = lattice::makeProblem(spec);
  EngineOptions options;
  options.mode = settings.mode;
  options.progressInterval = std::chrono::milliseconds(20);
  std::vector<std::uint64_t> levels;
  const bool interrupted = withoutInterrupts([&](const std::function<bool()>& stopped) {
    const RunningPool pool(settings);
    options.threads = pool.threads();
    Engine* running = nullptr;
    options.onProgress = [&](const Progress&) {
      if (stopped()) running->cancel();
    };
    GateConsumer consumer(gate, problem->resultBytes());
    Engine engine(*problem, options, &consumer);
    consumer.engine = running = &engine;
    engine.run();
    levels = levelsOf(engine.report().words, spec.dimension);
  });
  // The handler returned: what was not searched is left to fplll.
  if (interrupted) throw std::runtime_error("the search was interrupted");
  return levels;
}

}  // namespace slicepool::fplll_plugin
