// Values of users in messages: one line, short, and no byte that a terminal or a C string acts on.
// Called wherever a message quotes what it was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slicepool {

/// `text` with control characters as \xNN. A longer one than `longest` bytes keeps its first and last
/// characters and says how long it is: "9999...99 (30000 characters)".
[[nodiscard]] std::string shown(std::string_view text, std::size_t longest = 60);
/// The same in double quotes.
[[nodiscard]] std::string inQuotes(std::string_view text, std::size_t longest = 60);

/// The first ten numbers, and how many others there are: "5", "5, 7", "5, 7, .. and 12 others".
[[nodiscard]] std::string numberList(const std::vector<std::uint64_t>& numbers);

}  // namespace slicepool
