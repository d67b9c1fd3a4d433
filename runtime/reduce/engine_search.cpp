// See engine_search.hpp.
#include "runtime/reduce/engine_search.hpp"

#include <chrono>
#include <cstring>
#include <numeric>
#include <utility>

#include "runtime/core/report_merge.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/lattice/sinks.hpp"

namespace slicepool::reduce {
namespace {

using Clock = std::chrono::steady_clock;

class CoefficientsConsumer final : public ResultConsumer {
 public:
  CoefficientsConsumer(int dimension, std::size_t resultBytes)
      : dimension_(dimension), resultBytes_(resultBytes) {}

  void consume(const std::byte* results, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const std::byte* from = results + i * resultBytes_ + sizeof(double);
      auto& coefficients = found.emplace_back();
      for (int j = 0; j < dimension_; ++j, from += sizeof(std::int16_t)) {
        std::int16_t value = 0;
        std::memcpy(&value, from, sizeof value);
        coefficients.push_back(value);
      }
    }
  }

  std::vector<std::vector<std::int64_t>> found;

 private:
  int dimension_;
  std::size_t resultBytes_;
};

}  // namespace

EngineSearch::EngineSearch(EngineOptions options) : options_(std::move(options)) {
  if (options_.mode == Mode::hybrid || options_.mode == Mode::automatic) options_.mode = Mode::gpu;
  options_.emulator.withCpuWorkers = false;
  options_.checkpointPath.clear();
  options_.tracePath.clear();
  options_.timeline = false;
  options_.stepLimit = 0;
  options_.phases = nullptr;  // the clock of the run is that of the reduction
  options_.cluster = nullptr;
  options_.progressInterval = std::chrono::milliseconds(5);
}

EngineSearchResult EngineSearch::search(lattice::ProblemSpec spec, const std::function<bool()>& stop) {
  const auto start = Clock::now();
  spec.devices = true;
  const auto problem = lattice::makeProblem(spec);
  CoefficientsConsumer consumer(spec.dimension, problem->resultBytes());
  EngineOptions options = options_;
  Engine* running = nullptr;
  options.onProgress = [&](const Progress&) {
    if (stop()) running->giveUp();
  };
  Engine engine(*problem, options, &consumer);
  running = &engine;
  engine.run();
  const RunReport report = engine.report();
  reports_.add(report);
  const auto nodes = report.words.begin() + static_cast<std::ptrdiff_t>(lattice::kNodesWord);
  return {std::accumulate(nodes, nodes + spec.dimension, std::uint64_t{0}), secondsSince(start),
          report.complete, std::move(consumer.found)};
}

}  // namespace slicepool::reduce
