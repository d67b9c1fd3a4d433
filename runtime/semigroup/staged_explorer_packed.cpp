// Explorations with one kind of key (explorer_factory.hpp).
#include "runtime/semigroup/explorer_factory.hpp"
#include "runtime/semigroup/staged_explorer.hpp"

namespace slicepool::semigroup {

std::unique_ptr<Explorer> makePackedExplorer(const Generators& generators, const ExplorerOptions& options,
                                             StagedRun& run, std::vector<Image> base) {
  return std::make_unique<StagedExplorer<PackedKeyStore>>(generators, options, run, std::move(base), 0);
}

}  // namespace slicepool::semigroup
