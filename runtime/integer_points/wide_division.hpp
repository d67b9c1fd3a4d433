// Division of wide integers with the rounding that bounds need. Used by the sources of this folder.
#pragma once

namespace slicepool::integer_points {

/// The largest integer of at most value / divisor; divisor > 0.
inline __int128 floorOf(__int128 value, __int128 divisor) {
  const __int128 quotient = value / divisor;
  return quotient * divisor > value ? quotient - 1 : quotient;
}

/// The smallest integer of at least value / divisor; divisor > 0.
inline __int128 ceilingOf(__int128 value, __int128 divisor) { return -floorOf(-value, divisor); }

}  // namespace slicepool::integer_points
