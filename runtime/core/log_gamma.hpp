// log |Gamma(x)| for several threads: std::lgamma writes the sign to a global variable of the C library,
// which is a data race. Used by volumes of balls and estimates.
#pragma once

#include <math.h>  // lgamma_r is POSIX, not in <cmath>

namespace slicepool {

inline double logGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace slicepool
