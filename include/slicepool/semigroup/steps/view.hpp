// What every slice of an exploration sees: the columns of the elements, the two Cayley graphs, the table, and
// the stage in work. Pointers into flat arrays and scalars. Used by expand.hpp, rows.hpp, check.hpp.
#pragma once

#include <cstdint>

#include "slicepool/semigroup/steps/table.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

template <class Keys>
struct View {
  Keys keys;
  Table table;
  std::uint32_t* right;         ///< [element][generator]: entries (types.hpp)
  std::uint32_t* left;          ///< [element][generator]: numbers of elements
  Element* parent;              ///< the word without its last letter
  Element* suffix;              ///< the word without its first letter
  Letter* first;                ///< first letter of the word
  Letter* last;                 ///< last letter of the word
  std::uint32_t* blockWinners;  ///< [block of the stage]: new elements, then the number of the first of them
  std::uint32_t generators;     ///< number of generators
  Element stageBegin;           ///< the stage in work: elements [stageBegin, stageEnd)
  Element stageEnd;
  const std::uint32_t* treeBits = nullptr;  ///< of the stage, while it is made again (replay.hpp)

  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t* rightRow(Element x) const {
    return right + static_cast<std::uint64_t>(x) * generators;
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t* leftRow(Element x) const {
    return left + static_cast<std::uint64_t>(x) * generators;
  }
  /// Asks for a row that may lie across two cache lines.
  SLICEPOOL_INLINE void prefetchRow(const std::uint32_t* row) const {
    prefetch(row);
    prefetch(row + generators - 1);
  }
};

}  // namespace slicepool::semigroup
