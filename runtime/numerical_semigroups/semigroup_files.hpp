// Files of numerical semigroups: rows of generators or of gaps, and the picture of the tree. Called by
// enumeration.cpp, request_check.cpp and by the merge of a plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/numerical_semigroups/enumeration.hpp"
#include "slicepool/numerical_semigroups/gap_set.hpp"

namespace slicepool::numerical_semigroups {

enum class SemigroupFormat : std::uint8_t { none, npy, text, svg };

/// Largest genus of a picture: 204 semigroups in its last column.
inline constexpr int kMaximumPicture = 10;

/// By the suffix of the path, "-" is text; none for an empty path. Throws ConfigError for field
/// "output.path".
[[nodiscard]] SemigroupFormat semigroupFormat(const std::string& path);

/// What rows have in common.
struct RowShape {
  RowKind kind = RowKind::generators;
  int generators = 0;  ///< columns of generators in .npy: no semigroup has more
  int gapBytes = 0;    ///< columns of gaps in .npy
};
/// The same for every part of a search.
[[nodiscard]] RowShape rowShapeOf(const Request& request);

/// Of the set, as the search finds it.
[[nodiscard]] Fingerprint fingerprintOf(const std::vector<GapSet>& semigroups);

/// "3 5 7": the generators, or the gaps.
[[nodiscard]] std::string rowText(const GapSet& gaps, RowKind kind);

/// Writes one row for each. .npy: generators as uint16, the rest of a row is 0; gaps as uint8, where bit x %
/// 8 of column x / 8 says that x is a gap. Returns the bytes of the file. Throws LimitError when the disk is
/// full.
std::uint64_t writeSemigroups(const std::vector<GapSet>& semigroups, const RowShape& shape,
                              const std::string& path);

/// The rows of a .npy file of gaps that writeSemigroups() wrote. Throws Error, as a text that follows the
/// name of the file, for another one.
[[nodiscard]] std::vector<GapSet> readGaps(const std::string& path, const RowShape& shape);

/// The tree of `semigroups`, which are all of at most some genus, sorted: a column for each genus.
[[nodiscard]] std::string treePicture(const std::vector<GapSet>& semigroups);

}  // namespace slicepool::numerical_semigroups
