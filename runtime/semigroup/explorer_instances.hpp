// Instantiates the explorer of stages for the kind of key of each unit in instances.cmake. Called by
// makeExplorer.
#pragma once

#include "runtime/semigroup/explorer_factory.hpp"
#include "runtime/semigroup/staged_explorer.hpp"

namespace slicepool::semigroup {

template <class KeyStore>
std::unique_ptr<Explorer> makeStagedExplorer(const Generators& generators, const ExplorerOptions& options,
                                             StagedRun& run, std::vector<Image> base, std::uint32_t sources) {
  return std::make_unique<StagedExplorer<KeyStore>>(generators, options, run, std::move(base), sources);
}

#define X(KeyStore)                                                \
  template std::unique_ptr<Explorer> makeStagedExplorer<KeyStore>( \
      const Generators&, const ExplorerOptions&, StagedRun&, std::vector<Image>, std::uint32_t);
SLICEPOOL_INSTANCES
#undef X

}  // namespace slicepool::semigroup
