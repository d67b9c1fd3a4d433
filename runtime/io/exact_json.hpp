// Numbers in all JSON files and records: exact for every reader, also for those that take each
// number for a double. Called by records, manifests, configurations and reports of every workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace slicepool {

/// A count as JSON: a number up to 2^53, a decimal string above.
[[nodiscard]] nlohmann::ordered_json exactNumber(std::uint64_t value);
/// The same for a decimal of any length.
[[nodiscard]] nlohmann::ordered_json exactNumber(const std::string& decimal);

/// The 64-bit integer that a JSON integer or a string of decimal digits is; nothing for all else (signs,
/// fractions, blanks, overflow).
[[nodiscard]] std::optional<std::uint64_t> exactUnsigned(const nlohmann::ordered_json& value);

// Numbers as they were written. A literal that neither a 64-bit integer nor a double says exactly is kept as
// its text, so that no digit is lost on the way to the code that knows how wide the number may be.

/// Whether the whole text is a number by the grammar of JSON.
[[nodiscard]] bool isNumberLiteral(std::string_view text);
/// The value of a literal: a 64-bit integer; a double if its shortest decimal is the literal's value;
/// otherwise the literal itself, which isKeptNumber() tells from a string.
[[nodiscard]] nlohmann::ordered_json numberFromLiteral(std::string_view literal);
[[nodiscard]] bool isKeptNumber(const nlohmann::ordered_json& value);
/// The decimal of a number of any kind (a double's shortest one), or the text of a string.
[[nodiscard]] std::string decimalText(const nlohmann::ordered_json& value);
/// The document with every kept number as a decimal string: for what is written, compared or hashed.
[[nodiscard]] nlohmann::ordered_json keptNumbersAsStrings(const nlohmann::ordered_json& document);
/// The document with every number in the nearest one of 63 bits or a finite double, of the same sign and
/// kind: for checks of types and small ranges.
[[nodiscard]] nlohmann::ordered_json keptNumbersClamped(const nlohmann::ordered_json& document);

}  // namespace slicepool
