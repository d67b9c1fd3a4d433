// See pruning.hpp.
#include "runtime/lattice/pruning.hpp"

#include <charconv>

#include <fmt/format.h>

#include "runtime/io/shown.hpp"
#include "runtime/io/text_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr std::string_view kPruner = "fplll:";

bool separates(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == '[' || c == ']';
}

/// Throws for the coefficient `value`, which stands at `place` as `text`, after `before`.
void checkCoefficient(const std::string& place, const std::string& text, double value, double before) {
  if (!(value > 0 && value <= 1)) throw ConfigError(place, text, "a number above 0, at most 1");
  if (value > before) {
    throw ConfigError(place, fmt::format("{} after {}", text, before),
                      "coefficients of which none is larger than the one before");
  }
}

void checkNumber(const std::string& field, std::size_t count, int dimension) {
  if (count == static_cast<std::size_t>(dimension)) return;
  throw ConfigError(field, fmt::format("{} coefficients", count),
                    fmt::format("{}, as many as the basis has rows", dimension));
}

}  // namespace

std::optional<double> prunerProbability(const std::string& text) {
  if (!text.starts_with(kPruner)) return std::nullopt;
  const char* begin = text.data() + kPruner.size();
  const char* end = text.data() + text.size();
  double probability = 0;
  const auto [stop, error] = std::from_chars(begin, end, probability);
  if (error != std::errc{} || stop != end || !(probability > 0 && probability < 1)) {
    throw ConfigError(
        "pruning", inQuotes(text),
        "fplll:P with a success probability P between 0 and 1, both excluded; or the name of a file");
  }
  return probability;
}

std::vector<double> parsePruning(std::string_view text, int dimension, const std::string& name) {
  std::vector<double> coefficients;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (separates(text[at])) {
      if (text[at] == '\n') ++line;
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !separates(text[end])) ++end;
    const std::string word(text.substr(at, end - at));
    const std::string place = fmt::format("{}: line {}", name, line);
    double value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || stop != word.data() + word.size())
      throw ConfigError(place, inQuotes(word), "a number above 0, at most 1");
    checkCoefficient(place, word, value, coefficients.empty() ? 1.0 : coefficients.back());
    coefficients.push_back(value);
    at = end;
  }
  checkNumber(name, coefficients.size(), dimension);
  return coefficients;
}

std::vector<double> readPruning(const std::string& path, int dimension) {
  constexpr std::uint64_t kMaximumBytes = std::uint64_t{1} << 20;
  return parsePruning(
      readTextFile(path, "pruning", "a file that can be read, of at most 1 MiB", kMaximumBytes), dimension,
      path);
}

void checkPruning(const std::vector<double>& pruning, int dimension) {
  checkNumber("pruning", pruning.size(), dimension);
  checkCoefficients(pruning);
}

void checkCoefficients(const std::vector<double>& pruning) {
  double before = 1;
  for (std::size_t k = 0; k < pruning.size(); ++k) {
    checkCoefficient(fmt::format("pruning[{}]", k), fmt::format("{}", pruning[k]), pruning[k], before);
    before = pruning[k];
  }
}

}  // namespace slicepool::lattice
