// Pruning coefficients of a request: from a file, or from fplll's pruner. Called by the front of the
// workload.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slicepool::lattice {

/// The probability of a text "fplll:P", P in (0, 1]; none where the text is the name of a file. Throws
/// ConfigError for field "pruning" when P is no such number.
[[nodiscard]] std::optional<double> prunerProbability(const std::string& text);

/// `dimension` numbers in (0, 1], the bound of level 0 (the whole vector) first, none larger than the one
/// before: at level k the projected squared norm is at most the k-th of them times the squared radius.
/// Separated by white space or commas; brackets around them are skipped. Throws ConfigError naming `name`,
/// line and value.
[[nodiscard]] std::vector<double> parsePruning(std::string_view text, int dimension, const std::string& name);

/// Reads a file. Throws ConfigError for field "pruning" when it cannot be read.
[[nodiscard]] std::vector<double> readPruning(const std::string& path, int dimension);

/// The same checks on numbers that are no text. Throws ConfigError for field "pruning".
void checkPruning(const std::vector<double>& pruning, int dimension);
/// Of these those that are not about their number, which a problem without a request needs, too.
void checkCoefficients(const std::vector<double>& pruning);

}  // namespace slicepool::lattice
