// Conditions on a numerical semigroup in words, such as "2*e - t >= 5 and wilf < 0". Called by
// request_check.cpp, by enumeration.cpp and by tests.
#pragma once

#include <string>

#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

/// Linear conditions on the statistics, by the names of statistic_names.hpp, joined by "and" and "or". An
/// empty text is no condition. Throws ConfigError for `field`: a text that is none, more than
/// kMaximumConditions, coefficients so large that a sum may not fit 64 bits.
[[nodiscard]] Conditions parseConditions(const std::string& text, const std::string& field);

}  // namespace slicepool::numerical_semigroups
