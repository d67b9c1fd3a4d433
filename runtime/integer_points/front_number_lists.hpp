// Lists of integers and matrices as configurations and options have them: JSON, or texts such as "1,2;3,-4".
// Called by front_request.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/app/config/json.hpp"

namespace slicepool::config {

/// An integer of 64 bits with a sign. Throws ConfigError for `field`.
[[nodiscard]] std::int64_t requireSigned(const Json& value, const std::string& field);
/// "1,-2,3", [1, -2, 3] or 1. Throws ConfigError for `field`.
[[nodiscard]] std::vector<std::int64_t> integersOf(const Json& value, const std::string& field);
/// The same where an entry may be "none" or null.
[[nodiscard]] std::vector<std::optional<std::int64_t>> boundsOf(const Json& value, const std::string& field);
/// "1,2;3,-4", [[1, 2], [3, -4]]. Throws ConfigError for `field`.
[[nodiscard]] std::vector<std::vector<std::int64_t>> vectorsOf(const Json& value, const std::string& field);

}  // namespace slicepool::config
