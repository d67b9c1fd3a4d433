// Between ranks as arbitrary-precision integers and as arrays of 64-bit limbs, least significant first.
// Called by rank_index.cpp and rank_selection.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::factorizations {

/// 64-bit limbs that hold 0 .. value; at least 1.
inline unsigned limbsFor(const Rank& value) {
  return value.is_zero() ? 1 : static_cast<unsigned>(boost::multiprecision::msb(value) / 64 + 1);
}

/// `limbs` limbs of value, which must fit them.
inline std::vector<std::uint64_t> toLimbs(const Rank& value, unsigned limbs) {
  std::vector<std::uint64_t> words;
  words.reserve(limbs);
  boost::multiprecision::export_bits(value, std::back_inserter(words), 64, false);
  words.resize(limbs);
  return words;
}

inline Rank fromLimbs(const std::uint64_t* words, unsigned limbs) {
  Rank value;
  boost::multiprecision::import_bits(value, words, words + limbs, 64, false);
  return value;
}

}  // namespace slicepool::factorizations
