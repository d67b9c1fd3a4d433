// Steps of algorithm `words`: products computed from their words, as published (Vanzo 2018, High performances
// combinatorics using GPUs, Algorithms 3, 5 and 7). Phases over the candidates of a batch; rounds are made by
// words_explorer.cpp.
//
// Two differences from the publication: the polynomial hash is mixed before its low bits are used, and equal
// products of a batch are found among those with equal hashes, which the host has sorted to stand together.
#pragma once

#include <cstdint>

#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/platform.hpp"
#include "slicepool/core/turn.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

enum class WordPhase : std::uint32_t { compose, hash, eliminate };

/// The odd number at which the polynomial of a transformation is evaluated.
inline constexpr std::uint64_t kHornerBase = 0x9e3779b97f4a7c15ULL;

/// The image of one coefficient under a word: the outer loop of algorithm 3 is over coefficients.
SLICEPOOL_INLINE Image imageUnder(const Image* generators, std::uint32_t points, const Letter* word,
                                  std::uint32_t length, Image coefficient) {
  for (std::uint32_t j = 0; j < length; ++j)
    coefficient = generators[static_cast<std::uint64_t>(word[j]) * points + coefficient];
  return coefficient;
}

struct WordProducts {
  struct View {
    const Image* generators;       ///< [generator][point]
    const Letter* words;           ///< [element of the stage][letter]
    Image* products;               ///< [candidate of the batch][point]
    std::uint64_t* hashes;         ///< [candidate of the batch]
    const std::uint32_t* order;    ///< candidates of the batch by (hash, number)
    std::uint32_t* equalTo;        ///< [candidate of the batch]: the first that is equal, often itself
    std::uint64_t firstCandidate;  ///< of the batch, counted in the stage: element * generators + generator
    std::uint64_t hashMask;
    std::uint32_t points;
    std::uint32_t generatorCount;
    std::uint32_t length;  ///< letters of the words of the stage
    std::uint32_t count;   ///< candidates in the batch
  };
  using Slice = semigroup::Slice;

  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View& view, Slice& slice, Budget& budget, Emit&) {
    for (; slice.begin < slice.end; ++slice.begin) {
      if (budget.left == 0) return Turn::budgetSpent;
      --budget.left;
      const auto index = static_cast<std::uint32_t>(slice.begin);
      switch (static_cast<WordPhase>(slice.phase)) {
        case WordPhase::compose: compose(view, index); break;
        case WordPhase::hash: hash(view, index); break;
        case WordPhase::eliminate: eliminate(view, index); break;
      }
    }
    return Turn::exhausted;
  }

  SLICEPOOL_HD static bool split(const View&, Slice& kept, Slice& given) { return halve(kept, given); }
  SLICEPOOL_HD static double size(const View&, const Slice& slice) {
    return static_cast<double>(slice.end - slice.begin);
  }

  // The phases, one candidate or one position of `order` at a time.

  SLICEPOOL_INLINE static Image* productOf(const View& view, std::uint32_t candidate) {
    return view.products + static_cast<std::uint64_t>(candidate) * view.points;
  }

  SLICEPOOL_HD static void compose(const View& view, std::uint32_t candidate) {
    for (Image i = 0; i < view.points; ++i) composePoint(view, candidate, i);
  }
  SLICEPOOL_HD static void composePoint(const View& view, std::uint32_t candidate, Image i) {
    const std::uint64_t number = view.firstCandidate + candidate;
    const Letter* word = view.words + number / view.generatorCount * view.length;
    const Letter letter = static_cast<Letter>(number % view.generatorCount);
    const Image image = imageUnder(view.generators, view.points, word, view.length, i);
    productOf(view, candidate)[i] = imageUnder(view.generators, view.points, &letter, 1, image);
  }

  /// Horner's rule, then a mix: low bits of a polynomial depend on low bits of its coefficients alone.
  SLICEPOOL_HD static void hash(const View& view, std::uint32_t candidate) {
    const Image* product = productOf(view, candidate);
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < view.points; ++i) value = value * kHornerBase + product[i] + 1;
    view.hashes[candidate] = mix64(value) & view.hashMask;
  }

  SLICEPOOL_HD static void eliminate(const View& view, std::uint32_t position) {
    const std::uint32_t candidate = view.order[position];
    std::uint32_t first = position;
    while (first > 0 && view.hashes[view.order[first - 1]] == view.hashes[candidate]) --first;
    std::uint32_t equal = candidate;
    for (; first < position && equal == candidate; ++first)
      if (same(view, view.order[first], candidate)) equal = view.order[first];
    view.equalTo[candidate] = equal;
  }

 private:
  SLICEPOOL_HD static bool same(const View& view, std::uint32_t candidate, std::uint32_t other) {
    const Image* product = productOf(view, candidate);
    const Image* otherProduct = productOf(view, other);
    for (std::uint32_t i = 0; i < view.points; ++i)
      if (product[i] != otherProduct[i]) return false;
    return true;
  }
};

}  // namespace slicepool::semigroup
