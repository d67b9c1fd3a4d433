// Implementation of elements.hpp.
#include "slicepool/invariants/elements.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/factorizations/counting.hpp"
#include "runtime/invariants/length_histograms.hpp"
#include "runtime/invariants/length_sets.hpp"
#include "runtime/invariants/tables.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::invariants {
namespace {

using Wide = unsigned __int128;

void checkElementGenerators(const std::vector<std::uint64_t>& generators) {
  for (std::size_t i = 0; i < generators.size(); ++i) {
    if (generators[i] >= 1 && generators[i] < (std::uint64_t{1} << 63)) continue;
    throw ConfigError("generators[" + std::to_string(i) + "]", std::to_string(generators[i]),
                      "an integer from 1 to 2^63-1");
  }
  if (generators.empty()) throw ConfigError("generators", "none", "at least one generator");
}

Integer integerOf(Wide value) {
  return (Integer(static_cast<std::uint64_t>(value >> 64)) << 64) + static_cast<std::uint64_t>(value);
}

/// Nothing when a number does not fit 64 bits.
std::optional<std::vector<std::uint64_t>> narrowDenumerants(const std::vector<std::uint64_t>& generators,
                                                            std::uint64_t last, std::size_t memoryLimit) {
  requireTable(static_cast<Wide>(last) + 1, sizeof(std::uint64_t), memoryLimit, "denumerants");
  std::vector<std::uint64_t> counts(last + 1, 0);
  counts[0] = 1;
  for (const std::uint64_t generator : generators)
    if (!factorizations::addGenerator(counts.data(), counts.data(), last + 1, generator)) return std::nullopt;
  return counts;
}

std::vector<Integer> wideDenumerants(const std::vector<std::uint64_t>& generators, std::uint64_t last,
                                     std::size_t memoryLimit) {
  requireTable(static_cast<Wide>(last) + 1, sizeof(Integer), memoryLimit, "denumerants");
  std::vector<Integer> counts(last + 1, Integer(0));
  counts[0] = 1;
  for (const std::uint64_t generator : generators) {
    for (std::uint64_t n = generator; n <= last; ++n) {
      if ((n & 0xFFFF) == 0) checkSetup();
      counts[n] += counts[n - generator];
    }
  }
  return counts;
}

/// Places of the elements in a list in which one may stand several times.
class Places {
 public:
  explicit Places(const std::vector<std::uint64_t>& elements) {
    for (std::size_t at = 0; at < elements.size(); ++at) places_[elements[at]].push_back(at);
  }
  template <class Each>
  void forPlaces(std::uint64_t element, const Each& each) const {
    const auto found = places_.find(element);
    if (found == places_.end()) return;
    for (const std::size_t at : found->second) each(at);
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places_;
};

class ElementPass {
 public:
  ElementPass(const std::vector<std::uint64_t>& generators, const std::vector<std::uint64_t>& elements,
              std::size_t memoryLimit)
      : generators_(generators),
        last_(*std::max_element(elements.begin(), elements.end())),
        memoryLimit_(memoryLimit),
        places_(elements),
        found_(elements.size()) {
    for (std::size_t at = 0; at < elements.size(); ++at) found_[at].element = elements[at];
  }

  std::vector<ElementLengths> run(const LengthNeeds& needs) {
    if (needs.denumerant || needs.histogram) count();
    if (needs.histogram)
      histograms();
    else if (needs.lengthSet)
      sets();
    else if (needs.range)
      ranges();
    return std::move(found_);
  }

 private:
  void count() {
    Integer largest = 0;
    if (const auto narrow = narrowDenumerants(generators_, last_, memoryLimit_)) {
      for (auto& one : found_) one.denumerant = (*narrow)[one.element];
    } else {
      const auto wide = wideDenumerants(generators_, last_, memoryLimit_);
      for (auto& one : found_) one.denumerant = wide[one.element];
    }
    for (const auto& one : found_) largest = std::max(largest, one.denumerant);
    bits_ = largest == 0 ? 0 : msb(largest) + 1;
  }

  /// Additions wrap, so that numbers of other integers on the way may be too large for the type.
  void histograms() {
    if (bits_ <= 64)
      histogramsIn<std::uint64_t>();
    else if (bits_ <= 128)
      histogramsIn<Wide>();
    else
      histogramsIn<Integer>();
  }
  template <class Count>
  void histogramsIn() {
    forLengthHistograms<Count>(
        generators_, last_, memoryLimit_,
        [&](std::uint64_t n, std::uint64_t longest, const Count* counts, std::size_t size) {
          places_.forPlaces(n, [&](std::size_t at) {
            auto& histogram = found_[at].histogram;
            for (std::size_t i = size; i-- > 0;) {
              if (counts[i] == 0) continue;
              if constexpr (std::is_same_v<Count, Wide>)
                histogram.emplace_back(longest - i, integerOf(counts[i]));
              else
                histogram.emplace_back(longest - i, Integer(counts[i]));
            }
          });
        });
    for (auto& one : found_) {
      for (const auto& [length, number] : one.histogram) one.lengthSet.push_back(length);
      readRange(one);
    }
  }

  void sets() {
    forLengthSets(generators_, last_, memoryLimit_, [&](std::uint64_t n, const LengthSet& lengths) {
      places_.forPlaces(n, [&](std::size_t at) {
        lengths.forLengths([&](std::uint64_t length) { found_[at].lengthSet.push_back(length); });
      });
    });
    for (auto& one : found_) readRange(one);
  }

  void ranges() {
    const auto least = leastLengths(generators_, last_, memoryLimit_ / 2);
    const auto greatest = greatestLengths(generators_, last_, memoryLimit_ / 2);
    for (auto& one : found_) {
      if (least[one.element] == kNoLength) continue;
      one.minimumLength = least[one.element];
      one.maximumLength = greatest[one.element];
    }
  }

  static void readRange(ElementLengths& one) {
    if (one.lengthSet.empty()) return;
    one.minimumLength = one.lengthSet.front();
    one.maximumLength = one.lengthSet.back();
  }

  const std::vector<std::uint64_t>& generators_;
  std::uint64_t last_;
  std::size_t memoryLimit_;
  Places places_;
  std::vector<ElementLengths> found_;
  unsigned bits_ = 0;
};

Fraction reduced(const Integer& numerator, const Integer& denominator) {
  const Integer divisor = gcd(numerator, denominator);
  return {numerator / divisor, denominator / divisor};
}

/// Number of factorizations, sum of lengths, sum of their squares.
struct Moments {
  Integer number = 0;
  Integer sum = 0;
  Integer squares = 0;
};

Moments momentsOf(const std::vector<std::pair<std::uint64_t, Integer>>& histogram) {
  Moments moments;
  for (const auto& [length, number] : histogram) {
    moments.number += number;
    moments.sum += number * length;
    moments.squares += number * length * length;
  }
  return moments;
}

}  // namespace

std::vector<Integer> denumerants(const std::vector<std::uint64_t>& generators, std::uint64_t last,
                                 std::size_t memoryLimit) {
  checkElementGenerators(generators);
  const std::size_t limit = hostMemoryLimit(memoryLimit);
  requireTable(static_cast<Wide>(last) + 1, sizeof(Integer) + sizeof(std::uint64_t), limit, "denumerants");
  if (const auto narrow = narrowDenumerants(generators, last, limit)) return {narrow->begin(), narrow->end()};
  return wideDenumerants(generators, last, limit);
}

std::vector<ElementLengths> elementLengths(const std::vector<std::uint64_t>& generators,
                                           const std::vector<std::uint64_t>& elements,
                                           const LengthNeeds& needs, std::size_t memoryLimit) {
  checkElementGenerators(generators);
  if (elements.empty()) return {};
  return ElementPass(generators, elements, hostMemoryLimit(memoryLimit)).run(needs);
}

Fraction meanLength(const std::vector<std::pair<std::uint64_t, Integer>>& histogram) {
  const Moments moments = momentsOf(histogram);
  return reduced(moments.sum, moments.number);
}

Fraction lengthVariance(const std::vector<std::pair<std::uint64_t, Integer>>& histogram) {
  const Moments moments = momentsOf(histogram);
  return reduced(moments.squares * moments.number - moments.sum * moments.sum,
                 moments.number * moments.number);
}

std::vector<std::uint64_t> lengthModes(const std::vector<std::pair<std::uint64_t, Integer>>& histogram) {
  Integer most = 0;
  for (const auto& [length, number] : histogram) most = std::max(most, number);
  std::vector<std::uint64_t> modes;
  for (const auto& [length, number] : histogram)
    if (number == most) modes.push_back(length);
  return modes;
}

}  // namespace slicepool::invariants
