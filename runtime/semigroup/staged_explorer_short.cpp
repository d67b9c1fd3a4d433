// Explorations with one kind of key (explorer_factory.hpp).
#include "runtime/semigroup/explorer_factory.hpp"
#include "runtime/semigroup/staged_explorer.hpp"

namespace slicepool::semigroup {

std::unique_ptr<Explorer> makeShortExplorer(const Generators& generators, const ExplorerOptions& options,
                                            StagedRun& run, std::vector<Image> base, std::uint32_t sources) {
  return std::make_unique<StagedExplorer<ImageKeyStore<std::uint16_t>>>(generators, options, run,
                                                                        std::move(base), sources);
}

}  // namespace slicepool::semigroup
