// Sampled rows to where rows go: memory, .npy, .csv or standard output. Called by
// runtime/factorizations/front_access.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::factorizations {

struct SampleSpec {
  std::uint64_t rows = 0;
  OutputSpec output;
  int threads = 1;
  std::size_t memoryLimit = 0;  ///< bytes of host memory for rows and index together
};

struct SampledRows {
  RowMatrix rows;                 ///< without an output path
  std::uint64_t outputBytes = 0;  ///< of the file
  bool complete = false;          ///< false: `goOn` said no; files are not there then
};

/// Throws LimitError, before anything is drawn, when memory or disk is short for the rows.
void requireSpace(const RankIndex& index, const SampleSpec& spec);

/// Draws spec.rows rows. `goOn(rows so far)` is asked between blocks. Throws what files throw.
[[nodiscard]] SampledRows sampleRows(const RankIndex& index, RankSampler& sampler, const SampleSpec& spec,
                                     const std::function<bool(std::uint64_t)>& goOn);

}  // namespace slicepool::factorizations
