// One function per kind of key, each in a file of its own so that they compile side by side. Called by
// makeExplorer (explorer.cpp).
#pragma once

#include <memory>
#include <vector>

#include "runtime/semigroup/explorer.hpp"

namespace slicepool::semigroup {

using MakeStaged = std::unique_ptr<Explorer>(const Generators&, const ExplorerOptions&, StagedRun&,
                                             std::vector<Image> base, std::uint32_t sources);

/// n <= 16: the element is its key.
[[nodiscard]] std::unique_ptr<Explorer> makePackedExplorer(const Generators& generators,
                                                           const ExplorerOptions& options, StagedRun& run,
                                                           std::vector<Image> base);
[[nodiscard]] MakeStaged makeByteExplorer;   ///< n <= 2^8
[[nodiscard]] MakeStaged makeShortExplorer;  ///< n <= 2^16
[[nodiscard]] MakeStaged makeWideExplorer;   ///< all others
[[nodiscard]] std::unique_ptr<Explorer> makeWordsExplorer(const Generators& generators,
                                                          const ExplorerOptions& options, StagedRun& run);

}  // namespace slicepool::semigroup
