// What the commands about lattices share: a basis as a parameter, and vectors in records and reports. Called
// by the fronts of lattice, svp and reduce.
#pragma once

#include <string>

#include "runtime/app/config/front.hpp"
#include "slicepool/lattice/types.hpp"

namespace slicepool::config {

/// --basis; `required` is left to the front.
[[nodiscard]] Parameter basisParameter(int maximumRows = lattice::kMaximumDimension);

/// --gram, in place of --basis.
[[nodiscard]] Parameter gramParameter();

/// The label of a matrix in a sweep: the name of its file; a matrix that is written out would be most of a
/// page.
[[nodiscard]] std::string matrixLabel(const Json& value);

/// A member that is a matrix or vector itself, which begins with [, goes to `text`, the name of a file to
/// `path`.
void setMatrix(const Json& document, const char* member, std::string& text, std::string& path);

/// The elements between the brackets of "[1 -2 3]", exact.
[[nodiscard]] Json elementsOf(const std::string& text);

/// The first elements of "[1 -2 3]", as many as fit into a line.
[[nodiscard]] std::string shortenedVector(const std::string& text);

}  // namespace slicepool::config
