// Fingerprints of parts, put together. Called by what lists and merges results.
#pragma once

#include <cstdint>

#include "slicepool/core/fingerprint.hpp"

namespace slicepool {

/// The fingerprint of both sets, which have nothing in common.
inline void addTo(Fingerprint& sum, const Fingerprint& part) {
  sum.sum += part.sum;
  sum.exclusiveOr ^= part.exclusiveOr;
}
/// Of one more member, by its hash.
inline void addTo(Fingerprint& sum, std::uint64_t hash) { addTo(sum, Fingerprint{hash, hash}); }

}  // namespace slicepool
