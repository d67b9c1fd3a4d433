// See explorer.hpp: which explorer, which keys, which base points to start with.
#include "runtime/semigroup/explorer.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "runtime/semigroup/explorer_factory.hpp"
#include "runtime/semigroup/sources.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {
namespace {

constexpr std::uint32_t kPackedPoints = 16;

/// The sources, then the base asked for.
std::vector<Image> firstBase(const ExplorerOptions& options, const std::vector<Image>& sources) {
  std::vector<Image> base = sources;
  for (const Image point : options.base)
    if (std::find(base.begin(), base.end(), point) == base.end()) base.push_back(point);
  return base;
}

}  // namespace

std::uint64_t Explorer::countRules(int threads) { return semigroup::countRules(wholeGraph(), threads); }

std::optional<TreeBits> Explorer::treeBits(Element begin, Element end, int threads) {
  return semigroup::treeBits(graph_, begin, end, threads);
}

void Explorer::load(std::shared_ptr<const SavedStages> saved) { saved_ = std::move(saved); }

void Explorer::requireSaved() const {
  const std::size_t stages = graph_.stages.size();
  if (stages > saved_->stages.size() || graph_.stages.back() == saved_->stages[stages - 1]) return;
  throw CheckpointError(fmt::format("checkpoint: stage {} has {} elements, and the checkpoint says {}",
                                    stages - 2, graph_.stages.back() - graph_.stages[stages - 2],
                                    saved_->stages[stages - 1] - saved_->stages[stages - 2]));
}

std::unique_ptr<Explorer> makeExplorer(const Generators& generators, const ExplorerOptions& options,
                                       StagedRun& run) {
  if (options.algorithm == Algorithm::words) return makeWordsExplorer(generators, options, run);
  const std::vector<Image> points = sourcePoints(generators);
  std::vector<Image> base = firstBase(options, points);
  auto sources = static_cast<std::uint32_t>(points.size());
  if (options.algorithm == Algorithm::froidurePin || base.size() == generators.points) {
    base.resize(generators.points);
    std::iota(base.begin(), base.end(), 0U);
    sources = 0;
  }
  if (generators.points <= kPackedPoints && !options.fixedBase) {
    base.resize(generators.points);
    std::iota(base.begin(), base.end(), 0U);
    return makeStagedExplorer<PackedKeyStore>(generators, options, run, std::move(base), 0);
  }
  const auto make = generators.points <= 1U << 8    ? &makeStagedExplorer<ImageKeyStore<std::uint8_t>>
                    : generators.points <= 1U << 16 ? &makeStagedExplorer<ImageKeyStore<std::uint16_t>>
                                                    : &makeStagedExplorer<ImageKeyStore<std::uint32_t>>;
  return make(generators, options, run, std::move(base), sources);
}

}  // namespace slicepool::semigroup
