// The rows of ranges of ranks that follow one another, as the output that one run over all of them writes,
// byte for byte. Called by front_shards.cpp for the shards of a plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::factorizations {

/// What a run over the ranks begin .. end-1 wrote: a file, or with OutputSpec::shardRows a manifest.
struct RowsPart {
  std::string path;
  Rank begin;
  Rank end;
};

struct JoinedRows {
  std::string path;          ///< of the manifest when the output is sharded
  std::uint64_t bytes = 0;   ///< of all files
  std::uint64_t shards = 0;  ///< 0: one file
};

/// Writes request.output from the parts, which are in order and without gaps. One file is copied together.
/// The files of a sharded output are renumbered: they get a second name (a hard link, or a copy where there
/// are none), and a manifest; every row of them is checked. Throws ConfigError with the path of a part that
/// is not what its ranks say, LimitError when the disk is full.
[[nodiscard]] JoinedRows joinRows(const Request& request, const std::vector<RowsPart>& parts);

}  // namespace slicepool::factorizations
