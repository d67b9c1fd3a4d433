// Generators of a transformation semigroup: from a named family, a file or a list. Called by the front
// (request_check, enumeration) and by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "slicepool/semigroup/enumeration.hpp"

namespace slicepool::semigroup {

/// Image lists of equal length n; all images are below n.
struct Generators {
  std::uint32_t points = 0;  ///< n
  std::vector<Transformation> images;
};

/// The families of docs/semigroup.md: bihecke:r, renner:r, full:n, symmetric:n, order-preserving:n,
/// catalan:n. Throws ConfigError for field "named", LimitError when they take more than `memoryLimit` bytes.
[[nodiscard]] Generators namedGenerators(const std::string& name,
                                         std::size_t memoryLimit = std::numeric_limits<std::size_t>::max());

/// Throws ConfigError for field "named" unless it is one of these. Makes nothing.
void requireFamily(const std::string& name);

/// Text: the number of generators, n, then n images for each generator, separated by white space; "#" starts
/// a comment. `source` names it in errors: ConfigError with the line.
[[nodiscard]] Generators parseGenerators(const std::string& text, const std::string& source);
/// The same from a file; a file whose text starts with "[" or "{" is JSON: a list of image lists, or an
/// object with "generators".
[[nodiscard]] Generators readGenerators(const std::string& path);

/// Throws ConfigError for `field` unless there are 1 .. kMaximumGenerators lists of one length >= 1 with
/// images below it.
[[nodiscard]] Generators checkedGenerators(std::vector<Transformation> images, const std::string& field);

}  // namespace slicepool::semigroup
