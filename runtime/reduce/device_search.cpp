// See device_search.hpp.
#include "runtime/reduce/device_search.hpp"

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

/// Keeps the shortest vector, and lowers the radius of all workers to its norm.
class ShortestConsumer final : public ResultConsumer {
 public:
  ShortestConsumer(const lattice::ProblemSpec& spec, std::size_t resultBytes)
      : resultBytes_(resultBytes),
        coefficients_(static_cast<std::size_t>(spec.dimension)),
        least_(spec.squaredRadius) {}

  void consume(const std::byte* results, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const std::byte* result = results + i * resultBytes_;
      double norm = 0;
      std::memcpy(&norm, result, sizeof norm);
      if (norm > least_ || (found_ && norm == least_)) continue;
      least_ = norm;
      found_ = true;
      std::memcpy(coefficients_.data(), result + sizeof norm, coefficients_.size() * sizeof(std::int16_t));
    }
  }
  [[nodiscard]] std::uint64_t sharedBound() const override { return lattice::bitsOf(least_); }

  [[nodiscard]] std::vector<std::int64_t> coefficients() const {
    return found_ ? std::vector<std::int64_t>(coefficients_.begin(), coefficients_.end())
                  : std::vector<std::int64_t>();
  }

 private:
  std::size_t resultBytes_;
  std::vector<std::int16_t> coefficients_;
  double least_;
  bool found_ = false;
};

}  // namespace

DeviceSearch::DeviceSearch(EngineOptions options) : options_(std::move(options)) {
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

DeviceResult DeviceSearch::search(const lattice::ProblemSpec& spec, const std::function<bool()>& stop) {
  const auto start = Clock::now();
  const auto problem = lattice::makeProblem(spec);
  ShortestConsumer consumer(spec, problem->resultBytes());
  EngineOptions options = options_;
  Engine* running = nullptr;
  options.onProgress = [&](const Progress&) {
    if (stop()) running->cancel();
  };
  Engine engine(*problem, options, &consumer);
  running = &engine;
  engine.run();
  const RunReport report = engine.report();
  addReport(report_, report);
  const auto nodes = report.words.begin() + static_cast<std::ptrdiff_t>(lattice::kNodesWord);
  return {std::accumulate(nodes, nodes + spec.dimension, std::uint64_t{0}), secondsSince(start),
          report.complete, consumer.coefficients()};
}

}  // namespace slicepool::reduce
