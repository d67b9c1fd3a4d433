// What a value of a configuration may be, as a piece of JSON Schema. Parameters (parameter.hpp) are made of
// these; the descriptions are what error messages quote as accepted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/app/config/json.hpp"

namespace slicepool::config::domain {

/// One of these words; described as "a, b or c" unless something else is said.
[[nodiscard]] Json words(const std::vector<std::string>& accepted, const std::string& description = {});
[[nodiscard]] Json trueOrFalse(const std::string& description = "true or false");
/// A text that is not empty.
[[nodiscard]] Json text(const std::string& description);
/// A text that matches `pattern` (pattern.hpp).
[[nodiscard]] Json textLike(const std::string& description, const std::string& pattern);
/// A JSON integer of at least `low`, and of at most `high`.
[[nodiscard]] Json integer(const std::string& description, std::int64_t low);
[[nodiscard]] Json integer(const std::string& description, std::int64_t low, std::int64_t high);
/// The same, or its decimal digits in a string: for numbers that a JSON reader may round.
[[nodiscard]] Json digits(const std::string& description, std::int64_t low);
[[nodiscard]] Json digits(const std::string& description, std::int64_t low, std::int64_t high);
/// A number of at least `low`.
[[nodiscard]] Json number(const std::string& description, double low);
/// A number above `bound`.
[[nodiscard]] Json numberAbove(const std::string& description, double bound);
/// Bytes: a number, or a text such as 4GiB.
[[nodiscard]] Json size();
[[nodiscard]] Json fileName();
[[nodiscard]] Json list(const std::string& description, Json items);
/// Of `fewest` to `most` items.
[[nodiscard]] Json list(const std::string& description, Json items, std::size_t fewest, std::size_t most);
/// Whatever one of `alternatives` takes.
[[nodiscard]] Json oneOf(const std::string& description, std::vector<Json> alternatives);

/// "a, b or c"
[[nodiscard]] std::string alternativesText(const std::vector<std::string>& words);

}  // namespace slicepool::config::domain
