// See fingerprint_text.hpp.
#include "runtime/core/fingerprint_text.hpp"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kWordDigits = 16;

std::optional<std::uint64_t> wordFromHex(const std::string& digits) {
  std::uint64_t word = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), word, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return word;
}

}  // namespace

std::string fingerprintText(const Fingerprint& fingerprint) {
  return fmt::format("{:016x}{:016x}", fingerprint.sum, fingerprint.exclusiveOr);
}

Fingerprint fingerprintFromText(const std::string& text) {
  if (text.size() == 2 * kWordDigits) {
    const auto sum = wordFromHex(text.substr(0, kWordDigits));
    const auto exclusiveOr = wordFromHex(text.substr(kWordDigits));
    if (sum && exclusiveOr) return {*sum, *exclusiveOr};
  }
  throw Error("not a fingerprint: " + text);
}

}  // namespace slicepool
