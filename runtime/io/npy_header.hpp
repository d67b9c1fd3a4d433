// The header of NumPy's .npy files. Used by the outputs of the workloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace slicepool {

/// The header of an array of shape (rows, columns) in C order whose elements are of NumPy's `type` ("<i4").
/// Its length is a multiple of 64, so that the data that follows is aligned, and at least `minimumBytes`: a
/// file whose number of rows is known last keeps room for it (NumPy format specification, version 1.0).
[[nodiscard]] std::string npyHeader(std::string_view type, std::uint64_t rows, std::uint64_t columns,
                                    std::size_t minimumBytes = 0);

class RegularFile;

/// What such a file begins with.
struct NpyHead {
  std::string text;        ///< preamble and header: all before the data
  std::uint64_t rows = 0;  ///< the first number of the shape
};

/// Throws Error, as a text that follows the name of the file, when it does not begin so.
[[nodiscard]] NpyHead readNpyHead(const RegularFile& file);

}  // namespace slicepool
