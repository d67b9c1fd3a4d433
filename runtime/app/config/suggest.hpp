// The nearest known word to a misspelt one. Called wherever an unknown key, option or name is refused.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slicepool::config {

/// Levenshtein distance with transpositions of neighbours counted once. O(|a| |b|).
[[nodiscard]] std::size_t editDistance(const std::string& a, const std::string& b);
/// The candidate with the smallest distance, the first of equals; empty without candidates.
[[nodiscard]] std::string nearestWord(const std::string& word, const std::vector<std::string>& candidates);
/// Words joined by ", ".
[[nodiscard]] std::string joinWords(const std::vector<std::string>& words);

}  // namespace slicepool::config
