// The monoid of a shift register of `bits` bits: n = 2^bits points, generators i -> i/2 and i -> i/2 + n/2.
// Words of up to `bits` letters are different transformations, longer ones forget their beginning, so that
// everything about it is known: 2n - 1 elements, 2n rules (the words of bits + 1 letters), and idempotent are
// the n constants and the identity. Its points are as many as one likes, it has one source, and few base
// points do not separate it.
#pragma once

#include <cstdint>

#include "slicepool/semigroup/enumeration.hpp"

namespace slicepool::test {

inline semigroup::Request shiftRegister(unsigned bits) {
  const std::uint32_t points = 1U << bits;
  semigroup::Transformation low(points);
  semigroup::Transformation high(points);
  for (std::uint32_t i = 0; i < points; ++i) {
    low[i] = i / 2;
    high[i] = i / 2 + points / 2;
  }
  semigroup::Request request;
  request.generators = {low, high};
  return request;
}

}  // namespace slicepool::test
