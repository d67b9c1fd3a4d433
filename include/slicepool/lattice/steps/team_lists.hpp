// The open nodes ("entries") of a team of warps, and where they lie in memory. Which of them are worked on
// next is team_plan.hpp, the search over them team_search.hpp.
//
// An entry at depth q is a path of q accepted choices, x_{d-1} .. x_{d-q}, the centre and the squared norm
// that follow from it, and the next choice at level d-1-q. It lies at one place as long as it lives, whatever
// its depth: a child takes the place of its parent, unless the parent has siblings left. A list for each
// depth says which places have its entries, and a stack has the places that are free.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slicepool/core/platform.hpp"
#include "slicepool/lattice/steps/search.hpp"
#include "slicepool/lattice/steps/warp_lists.hpp"

namespace slicepool::lattice {

/// Entries of one depth for one warp: those from number `first` on in the order of its list.
struct TeamTask {
  int depth = 0;
  int first = 0;
  int count = 0;  ///< 0: nothing to do
};

/// The lists of one team. All but `paths` and `scratch` is shared memory on a device.
template <class LayoutType>
struct TeamLists {
  using Layout = LayoutType;
  using Place = std::uint16_t;
  /// Entries that the list of a depth has room for.
  static constexpr int kOfDepth = 128;
  static constexpr int kMostWarps = 24;
  /// Words that the warps of a team share.
  enum Word : int {
    kTaken,      ///< slices that became entries
    kKeptAt,     ///< where the entries of a team go when they become slices
    kRestAt,     ///< slices at the end of the buffer before those of the entries that it gives up
    kRest,       ///< entries that it gives up: any team may take them in the next launch
    kMore,       ///< slices of the launch are left
    kStop,       ///< others say that it is time to stop
    kRefused,    ///< a vector was refused
    kAllocated,  ///< places from the stack of free ones, by the number of the round modulo four
    kReleased = kAllocated + 4,  ///< places that became free, likewise
    kAction = kReleased + 4,     ///< of the round, by the warp that plans it
    kNumber,                     ///< that belongs to it
    kFree,                       ///< places at its start
    kTotal,                      ///< entries
    kTasks,                      ///< of the warps
    kWords = kTasks + kMostWarps
  };

  int warps = 4;      ///< of the team
  int places = 1024;  ///< entries that there is room for
  int dimension = 0;
  Layout layout{};
  std::byte* memory = nullptr;  ///< memoryBytes(), 16-byte aligned: paths, and a number a level for each warp

  double* norms = nullptr;
  double* centres = nullptr;
  double* radius = nullptr;  ///< the squared radius
  Choice* choices = nullptr;
  std::uint32_t* counts = nullptr;  ///< entries of each depth, by the parity of the round
  std::uint32_t* nodes = nullptr;   ///< accepted nodes of each depth
  std::uint32_t* words = nullptr;
  Place* lists = nullptr;  ///< kOfDepth for each depth
  Place* free = nullptr;   ///< the stack of free places, the lowest number on top at first

  /// For paths whose first `narrow` coefficients fit the narrow packing.
  SLICEPOOL_INLINE void shape(int d, int narrow) {
    dimension = d;
    layout.narrow = narrow;
  }
  /// FourWords of a path.
  [[nodiscard]] SLICEPOOL_INLINE int foursOfPath() const { return layout.foursOf(dimension - 1); }
  /// Of `memory`.
  [[nodiscard]] SLICEPOOL_HD std::size_t memoryBytes() const {
    return static_cast<std::size_t>(places) * static_cast<std::size_t>(foursOfPath()) * sizeof(FourWords) +
           static_cast<std::size_t>(warps * dimension) * sizeof(double);
  }
  /// Of what lies in shared memory, without places.
  [[nodiscard]] SLICEPOOL_HD static std::size_t fixedBytes(int dimension) {
    const std::size_t bytes = sizeof(double) +
                              (3 * static_cast<std::size_t>(dimension) + kWords) * sizeof(std::uint32_t) +
                              static_cast<std::size_t>(dimension) * kOfDepth * sizeof(Place);
    return (bytes + 7) / 8 * 8;
  }
  /// Of one place.
  static constexpr std::size_t kPlaceBytes = 2 * sizeof(double) + sizeof(Choice) + sizeof(Place);
  [[nodiscard]] SLICEPOOL_HD std::size_t sharedBytes() const {
    return fixedBytes(dimension) + (static_cast<std::size_t>(places) * kPlaceBytes + 7) / 8 * 8;
  }
  SLICEPOOL_INLINE void place(std::byte* shared) {
    norms = reinterpret_cast<double*>(shared);
    centres = norms + places;
    radius = centres + places;
    choices = reinterpret_cast<Choice*>(radius + 1);
    counts = reinterpret_cast<std::uint32_t*>(choices + places);
    nodes = counts + 2 * dimension;
    words = nodes + dimension;
    free = reinterpret_cast<Place*>(words + kWords);
    lists = free + places;
  }

  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t* countsOf(std::uint32_t round) const {
    return counts + static_cast<int>(round & 1U) * dimension;
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t& allocated(std::uint32_t round) const {
    return words[kAllocated + static_cast<int>(round & 3U)];
  }
  [[nodiscard]] SLICEPOOL_INLINE std::uint32_t& released(std::uint32_t round) const {
    return words[kReleased + static_cast<int>(round & 3U)];
  }
  SLICEPOOL_INLINE void setTask(int warp, const TeamTask& task) const {
    words[kTasks + warp] = static_cast<std::uint32_t>(task.depth << 16 | task.first << 8 | task.count);
  }
  [[nodiscard]] SLICEPOOL_INLINE TeamTask task(int warp) const {
    const auto word = static_cast<int>(words[kTasks + warp]);
    return {word >> 16, word >> 8 & 0xff, word & 0xff};
  }
  [[nodiscard]] SLICEPOOL_INLINE Place* list(int depth) const { return lists + depth * kOfDepth; }
  [[nodiscard]] SLICEPOOL_INLINE FourWords* path(int at) const {
    return reinterpret_cast<FourWords*>(memory) + static_cast<std::ptrdiff_t>(at) * foursOfPath();
  }
  /// Room for one number a level, of one warp.
  [[nodiscard]] SLICEPOOL_INLINE double* scratch(int warp) const {
    return reinterpret_cast<double*>(reinterpret_cast<FourWords*>(memory) +
                                     static_cast<std::ptrdiff_t>(places) * foursOfPath()) +
           static_cast<std::ptrdiff_t>(warp) * dimension;
  }
  /// Coefficient `at` (0: x_{d-1}) of the path at a place.
  [[nodiscard]] SLICEPOOL_INLINE int coefficient(int where, int at) const {
    return layout.coefficient(reinterpret_cast<const std::uint32_t*>(path(where)), at);
  }
};

}  // namespace slicepool::lattice
