// See recount_draw.hpp.
#include "runtime/app/cli/recount_draw.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "slicepool/core/fingerprint.hpp"

namespace slicepool::cli {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): the library's distributions differ between compilers.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  /// Below `bound` > 0, each value with the same probability: values of the incomplete last round are
  /// dropped.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t incomplete = (UINT64_MAX % bound + 1) % bound;
    for (;;) {
      const std::uint64_t value = mix64(state_ += 0x9e3779b97f4a7c15ULL);
      if (value <= UINT64_MAX - incomplete) return value % bound;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace

std::vector<std::uint64_t> drawShards(std::vector<std::uint64_t> shards, std::uint64_t number,
                                      std::uint64_t seed) {
  Generator generator(seed);
  for (std::uint64_t i = 0; i < number; ++i)
    std::swap(shards[i], shards[i + generator.below(shards.size() - i)]);
  shards.resize(number);
  return shards;
}

std::uint64_t numberOfFraction(std::uint64_t shards, double fraction) {
  const double part = std::ceil(static_cast<double>(shards) * fraction);
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(part), 1, shards);
}

}  // namespace slicepool::cli
