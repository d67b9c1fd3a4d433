// One visit of the no-three-in-line search on a CPU with 256-bit vectors: sizes 9 to 16, a row in a lane of
// 16 bits. The same closure and the same branch as the plain step (include/slicepool/three_in_line), so the
// same nodes.
//
// Called by cpu_workers/three_in_line/search_turn.hpp.
#pragma once

#include <cstdint>

#include "slicepool/three_in_line/steps/branch.hpp"
#include "slicepool/three_in_line/steps/search.hpp"

namespace slicepool {

/// What is the same for all visits of one run.
struct ThreeInLineContext {
  three_in_line::Geometry geometry;
  const std::uint32_t* lines = nullptr;  ///< 64-byte aligned; entries of eight words
  std::uint32_t cells = 0;               ///< entries of one cell
  int words = 0;                         ///< of a board in a slice, 5 to 8
  int maximumPoints = 0;                 ///< room in the list of points
  unsigned rivals = 0;                   ///< images to compare with
  // The first four rows of boards as one number, the first row highest:
  std::uint64_t compared[8] = {};  ///< of each image: cells that exist and do not stay in place
  std::uint64_t exchanged = 0;     ///< Geometry::exchanged and fixed of the four rows
  std::uint64_t fixed = 0;
  std::uint64_t fixedRows = 0;  ///< rows that the exchange of rows leaves in place
  // By lane, of rows and of columns: scores that the distance from the centre adds, and places (branch.hpp).
  alignas(32) std::uint16_t rowDistance[16] = {};
  alignas(32) std::uint16_t columnDistance[16] = {};
  alignas(32) std::uint32_t wordMask[8] = {};   ///< all ones for the words of a board
  alignas(32) std::uint32_t absent[8] = {};     ///< cells that do not exist
  alignas(32) std::uint32_t rowsExist[8] = {};  ///< all ones in the lanes of rows that do
};

[[nodiscard]] ThreeInLineContext threeInLineContext(const three_in_line::SearchView& view, int words);

/// A child to visit, and where to put it.
struct ThreeInLineVisit {
  const std::uint32_t* on = nullptr;  ///< the parent, closed
  const std::uint32_t* off = nullptr;
  int cell = 0;  ///< decided in the child
  bool isOn = false;
  std::uint8_t* points = nullptr;  ///< the first `count` are the parent's; more are written
  int count = 0;
  // Written when the child stays open (they may be the parent's) ..
  std::uint32_t* openOn = nullptr;
  std::uint32_t* openOff = nullptr;
  three_in_line::Branch* branch = nullptr;
  // .. and when it is complete.
  alignas(32) std::uint32_t complete[8] = {};
};

using VisitBoard = three_in_line::Visit (*)(const ThreeInLineContext& context, ThreeInLineVisit& visit);

/// The best that this CPU executes, null if there is none; SLICEPOOL_SIMD=avx512|avx2|portable in the
/// environment asks for another (a wrong or unavailable name is ignored; `portable` is the plain step, null).
[[nodiscard]] VisitBoard threeInLineVisit();
/// By name, null when this build or this CPU has none.
[[nodiscard]] VisitBoard threeInLineVisitNamed(const char* name);

}  // namespace slicepool
