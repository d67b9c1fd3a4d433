// What a finished shard of a plan left: STEM-I.record.json, a sealed JSON file with the record of its run and
// the hashes of its outputs. Written by `slicepool run PLAN --shard I`, read by status and merge.
// docs/file-formats.md describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cluster/plan.hpp"

namespace slicepool::cluster {

/// A file that a shard wrote, in the folder of its record.
struct OutputFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string hash;  ///< XXH3 (64-bit): 16 hexadecimal digits
};

struct Part {
  std::string plan;     ///< hash of the plan
  std::string program;  ///< version of slicepool that ran it
  std::uint64_t shard = 0;
  std::uint64_t shards = 0;  ///< of the plan
  Json record;               ///< of the run, as --json prints it
  std::vector<OutputFile> outputs;
};

/// Seconds of the enumeration by the record of a run, those before it was resumed included.
[[nodiscard]] double secondsInAll(const Json& record);
/// Size and hash of the file at `path`. O(bytes). Throws Error with the path.
[[nodiscard]] OutputFile describeOutput(const std::string& path);
/// What is wrong with the file of that name in `folder`, as a sentence that begins with its path; empty:
/// nothing. O(bytes).
[[nodiscard]] std::string problemOfOutput(const std::string& folder, const OutputFile& output);

/// Replaces the file as a whole. Throws LimitError when the disk is full, Error otherwise.
void writePart(const std::string& path, const Part& part);
/// Throws Error, without the path, when it cannot be read, is no part of this version, or was changed after
/// it was written.
[[nodiscard]] Part readPart(const std::string& path);

/// Why the part does not belong to this plan; empty: it does. Outputs are not looked at.
[[nodiscard]] std::string foreignReason(const Plan& plan, const Part& part);

/// The part at PlanFiles::ended: its run is over, and only the description of its outputs is missing.
/// Nothing: there is none that can be used, since it is of another plan, or an output is not there.
[[nodiscard]] std::optional<Part> endedPart(const Plan& plan, const PlanFiles& files, std::uint64_t shard);
/// Moves it to PlanFiles::record, durably. Throws as writePart.
void placeEndedPart(const PlanFiles& files, std::uint64_t shard);

/// A part and where it was found.
struct FoundPart {
  Part part;
  std::string path;
  /// Paths of its outputs, in the order of the plan.
  [[nodiscard]] std::vector<std::string> outputPaths() const;
};

/// All parts of a plan, in the order of shards: those beside it, or, where `paths` are given, these. Reads
/// every output once. Throws ConfigError with field "merge" that names every part that is missing, there
/// twice, of another plan, damaged or without what the plan says of it.
[[nodiscard]] std::vector<FoundPart> gatherParts(const Plan& plan, const PlanFiles& files,
                                                 const std::vector<std::string>& paths);

}  // namespace slicepool::cluster
