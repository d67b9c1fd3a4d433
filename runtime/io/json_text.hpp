// The reader of all JSON that people and other programs write: strict, with exact numbers and bounded depth,
// and with messages that say where and what was expected. Called by configurations, sweeps, files of
// generators and records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace slicepool {

/// Lists and objects inside each other; code that walks a document may recurse.
constexpr std::size_t kMaximumJsonDepth = 64;

/// What becomes of a number with a fraction or an exponent.
enum class Fractions : std::uint8_t {
  exact,   ///< as numberFromLiteral() keeps it: for what people write
  nearest  ///< the nearest double, if it is finite: for records, whose doubles have more than one decimal
};

/// Parses `text`. Integers beyond 64 bits are kept as numberFromLiteral() keeps them. Throws ConfigError with
/// field `sourceName` for a syntax error (line, column, what was expected), a duplicate key, text that is not
/// UTF-8 and a depth above kMaximumJsonDepth. Linear in the size of the text; recursion-free.
[[nodiscard]] nlohmann::ordered_json parseJsonText(const std::string& text, const std::string& sourceName,
                                                   Fractions fractions = Fractions::exact);

}  // namespace slicepool
