// The decimal digits of the formats that slicepool reads, whatever the locale is.
#pragma once

namespace slicepool {

[[nodiscard]] constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace slicepool
