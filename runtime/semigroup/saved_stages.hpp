// A checkpoint of an exploration: the base, then one record for each finished stage, which says of every
// product of an element of the stage and a generator whether it is a new element. That is one bit for each
// entry of the right graph; words, keys, both graphs and the table follow from it
// (slicepool/semigroup/steps/replay.hpp). Format: docs/file-formats.md. Read by the front, written by
// stage_saver.hpp, replayed by the explorers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/io/record_log.hpp"
#include "slicepool/semigroup/enumeration.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

/// Bit i of a stage: entry i of its rows in the right graph, counted from its first element, is a tree edge.
using TreeBits = std::vector<std::uint32_t>;

/// What a stage is saved with: the state of the exploration when it was saved.
struct StageMark {
  std::uint64_t number = 0;   ///< k of T_k
  std::uint64_t found = 0;    ///< |T_(k+1)|
  std::uint64_t checked = 0;  ///< elements whose certificate was checked
  double seconds = 0;         ///< of all runs so far
  std::uint64_t steps = 0;
};

class SavedStages {
 public:
  /// Reads and checks the whole file, and lets `log` append to it. Throws CheckpointError.
  SavedStages(RecordLog& log, const std::string& identity);

  std::vector<Image> base;            ///< empty without sources: keys are of all points
  std::uint32_t sources = 0;          ///< how many of the base points are sources
  std::uint32_t restarts = 0;         ///< times the base was grown
  std::vector<Element> stages{0, 1};  ///< as Graph::stages
  StageMark last;                     ///< of the last stage

  /// Stages whose rows of the right graph are known.
  [[nodiscard]] std::size_t finished() const { return stages.size() - 2; }
  /// Tree bits of stage k < finished() with so many generators. Throws CheckpointError.
  [[nodiscard]] TreeBits bits(std::size_t stage, std::uint32_t generators) const;

 private:
  RecordLogContent content_;
  std::string path_;
};

/// The log of a checkpoint of an exploration.
[[nodiscard]] RecordLog stageLog(const std::string& path);
/// Its header.
[[nodiscard]] std::string stageLogHeader(const std::string& identity, const std::vector<Image>& base,
                                         std::uint32_t sources, std::uint32_t restarts);
/// A record: the bits, compressed where this build can and that makes them smaller.
[[nodiscard]] std::vector<std::byte> stageRecord(const StageMark& mark, const TreeBits& bits);

}  // namespace slicepool::semigroup
