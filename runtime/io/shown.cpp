// See shown.hpp.
#include "runtime/io/shown.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slicepool {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result;
}

bool insideCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// What a long text is shortened to; `quote` stands around the two ends.
std::string ends(std::string_view text, std::size_t longest, const char* quote) {
  if (text.size() <= longest) return quote + escaped(text) + quote;
  const std::size_t tail = longest / 5;
  std::size_t first = longest - tail;
  std::size_t last = text.size() - tail;
  while (first > 0 && insideCharacter(text[first])) --first;  // UTF-8 is not cut inside a character
  while (last < text.size() && insideCharacter(text[last])) ++last;
  return fmt::format("{0}{1}...{2}{0} ({3} characters)", quote, escaped(text.substr(0, first)),
                     escaped(text.substr(last)), text.size());
}

}  // namespace

std::string shown(std::string_view text, std::size_t longest) { return ends(text, longest, ""); }
std::string inQuotes(std::string_view text, std::size_t longest) { return ends(text, longest, "\""); }

std::string numberList(const std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t kNamed = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return numbers.size() <= kNamed ? text
                                  : text + " and " + std::to_string(numbers.size() - kNamed) + " others";
}

}  // namespace slicepool
