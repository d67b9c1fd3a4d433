// Rows of an array from lines of points: a row is the one before plus a constant, word by word. Called by
// point_files.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/integer_points/point_files.hpp"

namespace slicepool::integer_points {

/// Points from number `skip` of a line on, and of the lines after it.
struct Piece {
  std::size_t line = 0;
  std::uint64_t skip = 0;
  std::uint64_t points = 0;
  std::uint64_t before = 0;  ///< points of all pieces before
};

/// All points in order, cut into pieces of about as many.
[[nodiscard]] std::vector<Piece> piecesOf(const Lines& lines);

/// The rows of a piece, one after another. `Number`: an unsigned integer that holds every value modulo its
/// range.
template <class Number>
void rowsOf(const Lines& lines, const Piece& piece, std::vector<std::byte>& rows);

extern template void rowsOf<std::uint8_t>(const Lines&, const Piece&, std::vector<std::byte>&);
extern template void rowsOf<std::uint16_t>(const Lines&, const Piece&, std::vector<std::byte>&);
extern template void rowsOf<std::uint32_t>(const Lines&, const Piece&, std::vector<std::byte>&);
extern template void rowsOf<std::uint64_t>(const Lines&, const Piece&, std::vector<std::byte>&);

}  // namespace slicepool::integer_points
