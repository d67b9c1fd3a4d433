// See instances.hpp.
#include "bench/support/instances.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "runtime/core/memory.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::bench {
namespace {

constexpr std::array<std::uint64_t, 9> kGenerators = {13, 37, 38, 40, 41, 42, 43, 44, 45};
constexpr std::uint64_t kMaximumElement = 10'000'000;  // the plain recursion's range, with a generator of 45
constexpr const char* kAccepted =
    "D:N,D:N,.. with dimensions D from 2 to 9 and elements N from 0 to 10000000, such as 9:1500,3:500000";

std::optional<std::uint64_t> wholeNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Instance instanceOf(std::uint64_t dimension, std::uint64_t element) {
  if (dimension < 2 || dimension > kGenerators.size() || element > kMaximumElement)
    throw ConfigError("--instances", fmt::format("{}:{}", dimension, element), kAccepted);
  return {{kGenerators.begin(), kGenerators.begin() + static_cast<std::ptrdiff_t>(dimension)}, element};
}

std::vector<Instance> publishedInstances() {
  return parseInstances("9:1500,8:2000,8:3000,6:5000,5:10000,4:45000,3:500000");
}

std::vector<Instance> quickInstances() { return parseInstances("9:900,6:2000,3:60000"); }

std::vector<Instance> parseInstances(const std::string& text) {
  std::vector<Instance> instances;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t colon = item.find(':');
    const auto dimension = wholeNumber(item.substr(0, colon));
    const auto element = colon == std::string_view::npos ? std::nullopt : wholeNumber(item.substr(colon + 1));
    if (!dimension || !element) throw ConfigError("--instances", "\"" + std::string(item) + "\"", kAccepted);
    instances.push_back(instanceOf(*dimension, *element));
    if (comma == std::string_view::npos) return instances;
    rest.remove_prefix(comma + 1);
  }
}

std::string labelOf(const Instance& instance) {
  return fmt::format("d = {}, n = {}", instance.generators.size(), instance.element);
}

std::uint64_t countByRecurrence(const Instance& instance) {
  std::vector<std::uint64_t> ways(static_cast<std::size_t>(instance.element) + 1);
  ways[0] = 1;
  for (const std::uint64_t g : instance.generators) {
    for (std::size_t m = g; m < ways.size(); ++m) {
      if (!__builtin_add_overflow(ways[m], ways[m - g], &ways[m])) continue;
      throw LimitError(labelOf(instance) + ": more factorizations than 64 bits count");
    }
  }
  return ways.back();
}

void requireMemory(const Instance& instance, std::uint64_t rows, std::uint64_t rowBytes) {
  const std::uint64_t available = availableMemoryBytes();
  if (rows <= available / rowBytes) return;
  throw LimitError(
      fmt::format("{}: {} rows need {} bytes each in the memory that is written; {} bytes are free",
                  labelOf(instance), rows, rowBytes, available));
}

}  // namespace slicepool::bench
