// Solutions as files: run-length-encoded pictures for Golly, readable pictures, JSON, and a sheet as SVG. The
// text of each is a function of the list alone, so that the bytes are the same in every mode. Called by
// enumeration.cpp and by merge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

enum class SolutionFormat : std::uint8_t { none, rle, text, json, svg };

/// By the suffix of the path: .rle, .txt, .json, .svg; text for "-" (standard output); none for an empty
/// path. Throws ConfigError for another suffix.
[[nodiscard]] SolutionFormat solutionFormat(const std::string& path);

struct SolutionList {
  int size = 0;
  std::vector<Configuration> solutions;  ///< one of each orbit, sorted (sortSolutions)
  /// What the list is, after "n = 8": empty for all solutions, else such as "closed under quarter turns".
  std::string scope;
};

/// "n = 8: 57 solutions up to symmetry, 380 in all".
[[nodiscard]] std::string captionOf(const SolutionList& list);

/// One pattern that Golly opens: the boards in a grid, row by row, with kRleGap empty cells between them.
[[nodiscard]] std::string rleText(const SolutionList& list);
inline constexpr int kRleGap = 4;
/// Boards side by side in rleText: the smallest number whose square is at least `boards`.
[[nodiscard]] int rleColumns(std::size_t boards);

/// A caption, then each solution as its number, class and orbit and n lines of "o" (point) and ".".
[[nodiscard]] std::string pictureText(const SolutionList& list);

/// {"n": N, "solutions": [[[x, y], ..], ..]}: points of a solution sorted by x, then y, from 0; solutions
/// sorted by their points. One solution a line.
[[nodiscard]] std::string jsonText(const SolutionList& list);

/// A sheet of boards, the most symmetric ones first, coloured by symmetry class, with mirror lines, a caption
/// and a legend. One page: at most kMaximumBoards boards, and a note that says so where there are more.
[[nodiscard]] std::string svgText(const SolutionList& list);
inline constexpr std::size_t kMaximumBoards = 600;

/// The text for the format, which is not `none`.
[[nodiscard]] std::string solutionText(const SolutionList& list, SolutionFormat format);

/// Writes the text in the format of `path`, as a whole or not at all; "-" is standard output. Returns its
/// bytes. Throws LimitError when the disk is full, Error otherwise.
std::uint64_t writeSolutions(const SolutionList& list, const std::string& path);

}  // namespace slicepool::three_in_line
