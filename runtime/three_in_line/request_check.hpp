// What a request must satisfy before anything is built, what names it in a checkpoint, and the names of
// groups and algorithms. Called by enumeration.cpp, shard_record.cpp and runtime/app/config.
#pragma once

#include <string>
#include <vector>

#include "slicepool/three_in_line/enumeration.hpp"

namespace slicepool::three_in_line {

/// Version of the rules that decide which boards are visited (docs/three-in-line.md): another one means
/// other nodes and another frontier, so that its shards and checkpoints do not go with these.
inline constexpr int kSearchRules = 1;

inline constexpr std::uint32_t kMaximumShards = 1U << 20;
/// The frontier is cut into this many boards for each shard, so that shards are about equally long.
inline constexpr std::size_t kBoardsPerShard = 64;

/// Throws ConfigError naming field, value and what is accepted. What configurations, command lines and calls
/// in C++ have in common is checked here and nowhere else.
void checkRequest(const Request& request, const EngineOptions& options);

/// The part of it that a problem without a request needs, too: a size that exists, and solutions of it that
/// may have the symmetry.
void checkSize(int size, Group group);

/// Everything that determines what is found and the shape of the slices; modes, threads and budgets are not
/// part of it, so that a run may be continued on other devices.
[[nodiscard]] std::string canonicalText(const Request& request);

/// True when the solutions themselves are wanted, not only their number.
[[nodiscard]] bool collects(const Request& request);

/// "none", "c2", "c4", "diagonal", ..
[[nodiscard]] std::string groupName(Group group);
/// Throws ConfigError for field "symmetry".
[[nodiscard]] Group parseGroup(const std::string& text);
/// For captions: "with quarter turns"; empty for none.
[[nodiscard]] std::string groupDescription(Group group);

/// "auto", "table", "posts".
[[nodiscard]] std::string algorithmName(Algorithm algorithm);
/// Throws ConfigError for field "algorithm".
[[nodiscard]] Algorithm parseAlgorithm(const std::string& text);

/// The record of a shard for which no path was given: three-in-line-15-shard-7-of-64.json.
[[nodiscard]] std::string defaultRecordPath(const Request& request);

}  // namespace slicepool::three_in_line
