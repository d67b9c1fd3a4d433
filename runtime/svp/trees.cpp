// See trees.hpp.
#include "runtime/svp/trees.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/report_merge.hpp"
#include "runtime/lattice/vector_maker.hpp"
#include "runtime/svp/thread_search.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"

namespace slicepool::svp {
namespace {

using Clock = std::chrono::steady_clock;

lattice::ProblemSpec specOf(const Tree& tree, double squaredRadius) {
  lattice::ProblemSpec spec;
  spec.dimension = tree.basis->basis.dimension;
  spec.mu = tree.basis->mu;
  spec.norms = tree.basis->norms;
  spec.pruning = tree.profile.coefficients;
  spec.squaredRadius = squaredRadius;
  spec.shrinking = true;
  spec.findsLower = false;  // norms are exact in `best`, whose bound all searches follow
  spec.collect = true;
  return spec;
}

std::uint64_t nodesOf(const std::vector<std::uint64_t>& words, int dimension) {
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(lattice::kNodesWord);
  return std::accumulate(begin, begin + dimension, std::uint64_t{0});
}

/// From buffered results to vectors.
class Offer {
 public:
  Offer(const lattice::IntegerBasis& basis, BestVector& best)
      : maker_(basis), coefficients_(static_cast<std::size_t>(basis.dimension)), best_(best) {}

  void take(const std::byte* result) {
    std::memcpy(coefficients_.data(), result + sizeof(double), coefficients_.size() * sizeof(std::int16_t));
    maker_.make(coefficients_);
    if (maker_.roundedNorm() > 2 * best_.bound()) return;  // from before the radius shrank
    best_.offer({maker_.squaredNorm(), maker_.wide()});
  }

 private:
  lattice::VectorMaker maker_;
  std::vector<std::int16_t> coefficients_;
  BestVector& best_;
};

class OfferingConsumer final : public ResultConsumer {
 public:
  OfferingConsumer(const lattice::IntegerBasis& basis, std::size_t resultBytes, BestVector& best)
      : offer_(basis, best), resultBytes_(resultBytes), best_(best) {}
  void consume(const std::byte* results, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) offer_.take(results + i * resultBytes_);
  }
  [[nodiscard]] std::uint64_t sharedBound() const override { return lattice::bitsOf(best_.bound()); }

 private:
  Offer offer_;
  std::size_t resultBytes_;
  BestVector& best_;
};

class EngineTreeSearch final : public TreeSearch {
 public:
  /// The GPU, or emulator, with this number.
  EngineTreeSearch(EngineOptions options, int index) : options_(std::move(options)), index_(index) {
    if (options_.mode != Mode::emulated) options_.mode = Mode::gpu;
    options_.device.deviceIndex = index;
    options_.devices = 1;
    options_.emulator.devices = 1;
    options_.emulator.withCpuWorkers = false;
    options_.checkpointPath.clear();
    options_.tracePath.clear();
    options_.timeline = false;
    options_.stepLimit = 0;
    options_.phases = nullptr;  // the clock of the run is that of the trials
    options_.cluster = nullptr;
    options_.progressInterval = std::chrono::milliseconds(5);
  }

  TreeResult search(const Tree& tree, BestVector& best, const std::function<bool()>& stop) override {
    if (stop()) return {};
    const auto start = Clock::now();
    lattice::ProblemSpec spec = specOf(tree, best.bound());
    spec.devices = true;
    const auto problem = lattice::makeProblem(spec);
    OfferingConsumer consumer(tree.basis->basis, problem->resultBytes(), best);
    EngineOptions options = options_;
    Engine* running = nullptr;
    options.onProgress = [&](const Progress&) {
      running->lowerShared(lattice::bitsOf(best.bound()));
      if (stop()) running->giveUp();
    };
    Engine engine(*problem, options, &consumer);
    running = &engine;
    engine.run();
    RunReport report = engine.report();
    for (auto& worker : report.workers)
      if (worker.kind == "emulated") worker.name = fmt::format("emulated{}", index_);
    reports_.add(report);
    return {nodesOf(report.words, tree.basis->basis.dimension), secondsSince(start), report.complete};
  }

  void beginAt(Clock::time_point moment) override { reports_.beginAt(moment); }
  [[nodiscard]] RunReport report(double seconds) const override { return reports_.report(seconds); }

 private:
  EngineOptions options_;
  int index_;
  ReportsInTurn reports_;
};

}  // namespace

TreeResult searchTree(const Tree& tree, BestVector& best, const std::function<bool()>& stop) {
  const auto start = Clock::now();
  const auto problem = lattice::makeProblem(specOf(tree, best.bound()));
  Offer offer(tree.basis->basis, best);
  const ThreadSearch done = searchOnThisThread(
      *problem, tree.basis->basis.dimension, [&] { return best.bound(); },
      [&](const std::byte* result) { offer.take(result); }, stop);
  return {done.nodes(), secondsSince(start), done.complete};
}

std::vector<std::unique_ptr<TreeSearch>> makeTreeSearches(const EngineOptions& options) {
  int first = options.device.deviceIndex;
  int end = first + options.devices;
  if (options.mode == Mode::emulated) {
    first = 0;
    end = std::max(1, options.emulator.devices);
  } else if (options.devices == 0) {
    end = std::max(first + 1, static_cast<int>(requireGpus().gpus.size()));
  }
  std::vector<std::unique_ptr<TreeSearch>> searches;
  for (int index = first; index < end; ++index)
    searches.push_back(std::make_unique<EngineTreeSearch>(options, index));
  return searches;
}

}  // namespace slicepool::svp
