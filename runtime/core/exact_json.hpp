// Numbers in all JSON files and records: exact for every reader, also for those that take each
// number for a double. Called by records, manifests, configurations and reports of every workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace slicepool {

/// A count as JSON: a number up to 2^53, a decimal string above.
[[nodiscard]] nlohmann::ordered_json exactNumber(std::uint64_t value);
/// The same for a decimal of any length.
[[nodiscard]] nlohmann::ordered_json exactNumber(const std::string& decimal);

/// The 64-bit integer that a JSON integer or a string of decimal digits is; nothing for all else (signs,
/// fractions, blanks, overflow).
[[nodiscard]] std::optional<std::uint64_t> exactUnsigned(const nlohmann::ordered_json& value);
/// The same for files that slicepool wrote. Throws Error ("not a count: ..").
[[nodiscard]] std::uint64_t countFromJson(const nlohmann::ordered_json& value);

}  // namespace slicepool
