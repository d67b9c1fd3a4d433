// A log of digests: what each shard of a search has found, without its files. A sealed JSON file that is
// enough to compute any of them again, on another machine. Written by `slicepool merge --digests`, read by
// `slicepool recount`. docs/file-formats.md describes it.
#pragma once

#include <string>
#include <vector>

#include "runtime/app/report/shard_results.hpp"
#include "runtime/cluster/plan.hpp"

namespace slicepool::report {

struct DigestLog {
  cluster::Plan plan;
  std::vector<ShardResults> shards;  ///< as many as the plan has
};

/// Whether a file says at its start that it is a log, of any version. False for what cannot be read.
[[nodiscard]] bool looksLikeDigestLog(const std::string& path);

/// Replaces the file as a whole. Throws LimitError when the disk is full, Error otherwise.
void writeDigestLog(const std::string& path, const DigestLog& log);
/// Throws ConfigError with the path as field when it is no log of this version, or was changed after it was
/// written.
[[nodiscard]] DigestLog readDigestLog(const std::string& path);

}  // namespace slicepool::report
