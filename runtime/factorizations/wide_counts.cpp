// See slicepool/factorizations/steps/wide_counts.hpp.
#include "slicepool/factorizations/steps/wide_counts.hpp"

#include <algorithm>
#include <string>

#include "runtime/factorizations/counting.hpp"

namespace slicepool::factorizations {
namespace {

/// counts[m] += counts[m - g] for ascending m, over all limbs of one k.
void addGeneratorToLimbs(std::uint64_t* counts, std::size_t stride, unsigned limbs, std::uint64_t g) {
  for (std::size_t m = g; m < stride; ++m) {
    bool carry = false;
    for (unsigned limb = 0; limb < limbs; ++limb) {
      std::uint64_t* const plane = counts + limb * stride;
      std::uint64_t sum = 0;
      const bool overflowed = __builtin_add_overflow(plane[m], plane[m - g], &sum);
      carry = __builtin_add_overflow(sum, std::uint64_t{carry}, &plane[m]) || overflowed;
    }
  }
}

}  // namespace

std::size_t WideSuffixCounts::bytesNeeded(std::size_t dimension, std::uint64_t element, unsigned limbs) {
  return tableBytes(std::uint64_t{dimension} * limbs, element);
}

WideSuffixCounts makeWideSuffixCounts(const std::vector<std::uint64_t>& generators, std::uint64_t element,
                                      unsigned limbs) {
  const std::size_t bytes = WideSuffixCounts::bytesNeeded(generators.size(), element, limbs);
  requireAddressable(bytes, "suffix counts of " + std::to_string(limbs) + " limbs");
  WideSuffixCounts result;
  result.element = element;
  result.dimension = static_cast<unsigned>(generators.size());
  result.limbs = limbs;
  result.planes.resize(bytes / sizeof(std::uint64_t));
  const std::size_t stride = static_cast<std::size_t>(element) + 1;
  const std::size_t perGenerator = stride * limbs;
  for (std::size_t k = generators.size(); k-- > 0;) {
    std::uint64_t* const counts = result.planes.data() + k * perGenerator;
    if (k + 1 == generators.size())
      counts[0] = 1;  // without generators only 0 has a factorization
    else
      std::copy_n(counts + perGenerator, perGenerator, counts);
    if (generators[k] <= element) addGeneratorToLimbs(counts, stride, limbs, generators[k]);
  }
  return result;
}

}  // namespace slicepool::factorizations
