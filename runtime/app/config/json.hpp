// Reading JSON configurations strictly: positions in syntax errors, no duplicate keys, exact integers.
// Called by the command, by sweeps and by every workload's parameter parser.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "runtime/io/exact_json.hpp"

namespace slicepool::config {

/// Keys keep the order of the file, so that axes of a sweep and records read as they were written.
using Json = nlohmann::ordered_json;

using slicepool::exactNumber;  // a count as JSON: runtime/io/exact_json.hpp

/// Parses `text`. Throws ConfigError with field `sourceName` and line and column for a syntax error or a
/// duplicate key.
[[nodiscard]] Json parseJson(const std::string& text, const std::string& sourceName);
/// Reads and parses a file of at most 64 MiB. Throws ConfigError when it cannot be read.
[[nodiscard]] Json readJsonFile(const std::string& path);

/// A value as it appears in an error message: compact JSON of about 60 characters; of a longer one the first
/// and last characters and the length. NaN and infinities by name.
[[nodiscard]] std::string describeValue(const Json& value);

/// "/engine/threads" -> "engine.threads", "/generators/2" -> "generators[2]", "" -> "configuration".
[[nodiscard]] std::string fieldName(const std::string& pointer);

/// Of integers in configurations that have no smaller one.
inline constexpr std::uint64_t kMaximumInteger = (std::uint64_t{1} << 63) - 1;

/// An integer, as a JSON integer or as a string of decimal digits, in [low, high].
/// Throws ConfigError naming `field` for anything that is not an exact integer in that range.
[[nodiscard]] std::uint64_t requireUnsigned(const Json& value, const std::string& field, std::uint64_t low,
                                            std::uint64_t high);
/// A finite number in [low, high]; a decimal string is taken too.
[[nodiscard]] double requireNumber(const Json& value, const std::string& field, double low, double high);
[[nodiscard]] bool requireBoolean(const Json& value, const std::string& field);
[[nodiscard]] std::string requireString(const Json& value, const std::string& field,
                                        const std::string& accepted);
/// Bytes: an integer, or digits with an optional fraction and a unit B, K, KB, KiB, M, .., T (KB = 1000, K =
/// KiB = 1024).
[[nodiscard]] std::size_t requireSize(const Json& value, const std::string& field);

/// Canonical text of a document: keys sorted, no white space. Equal documents have equal texts.
[[nodiscard]] std::string canonicalText(const Json& document);
/// 16 hexadecimal digits of XXH3 over the canonical text.
[[nodiscard]] std::string documentHash(const Json& document);

}  // namespace slicepool::config
