// One function for each kind of key, in translation units of their own so that they compile side by side
// (explorer_instances.hpp). Called by makeExplorer (explorer.cpp).
#pragma once

#include <memory>
#include <vector>

#include "runtime/semigroup/explorer.hpp"

namespace slicepool::semigroup {

class PackedKeyStore;  // n <= 16: the element is its key
template <class Point>
class ImageKeyStore;  // Point holds the images of n points

template <class KeyStore>
[[nodiscard]] std::unique_ptr<Explorer> makeStagedExplorer(const Generators& generators,
                                                           const ExplorerOptions& options, StagedRun& run,
                                                           std::vector<Image> base, std::uint32_t sources);
[[nodiscard]] std::unique_ptr<Explorer> makeWordsExplorer(const Generators& generators,
                                                          const ExplorerOptions& options, StagedRun& run);

}  // namespace slicepool::semigroup
