// Values that invariants have in common: fractions, factorizations as vectors, values with a witness.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

namespace slicepool::invariants {

using Integer = boost::multiprecision::cpp_int;

/// In lowest terms, the denominator positive.
struct Fraction {
  Integer numerator = 0;
  Integer denominator = 1;
  friend bool operator==(const Fraction&, const Fraction&) = default;
};

/// One coordinate for each generator.
using Factorization = std::vector<std::uint64_t>;

/// Two factorizations of one element.
struct Relation {
  Factorization left;
  Factorization right;
  friend bool operator==(const Relation&, const Relation&) = default;
};

}  // namespace slicepool::invariants
