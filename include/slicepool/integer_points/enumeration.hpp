// The library's front door to the integer points of a bounded system: a request, and an enumeration object
// that runs it on CPU, GPU or both. The command line and the sweeps are thin users of this header.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/integer_points/types.hpp"

namespace slicepool::integer_points {

enum class SinkKind : std::uint8_t {
  count,
  list,   ///< the points in lexicographic order
  first,  ///< some of them; which ones may differ from run to run
  sums,   ///< how many points have each coordinate sum
  any,    ///< whether one satisfies a condition
  all     ///< whether all satisfy a condition
};

enum class Algorithm : std::uint8_t {
  automatic,  ///< a count, or a list, takes the last columns from a table, where that pays
  walk        ///< lines are counted, or listed, one by one
};

struct Request {
  LinearSystem system;
  SinkKind sink = SinkKind::count;
  std::uint64_t firstCount = 0;  ///< for `first`
  std::string condition = {};    ///< for `any` and `all`, as LinearSystem::where
  bool fingerprint = false;      ///< of the set, for `count`; `list` and `sums` have it always
  Algorithm algorithm = Algorithm::automatic;
  /// Of `list` and `first`: .npy or .txt; "-" is text on standard output; empty: they stay in the outcome.
  std::string outputPath = {};
  /// The search is cut into this many parts, of which `shard` (from 0) is run; 1: the whole search.
  std::uint32_t shards = 1;
  std::uint32_t shard = 0;
};

/// How the search went about it.
struct SearchShape {
  std::vector<std::size_t> order;  ///< columns, from 0, in the order of levels
  std::size_t visited = 0;         ///< levels whose values are visited one by one
  std::uint64_t tableEntries = 0;  ///< of completions below them; 0: points on a line are counted at once
  bool byTable = false;            ///< the table has the count itself
};

struct Outcome {
  std::string count;         ///< decimal; of an unfinished run: of the points found so far
  std::string emptyBecause;  ///< why there can be no point, where it is clear without a search
  std::vector<Point>
      points;  ///< of a list without output; of `first`; of `any` and `all` the one that decided
  std::uint64_t listed = 0;                    ///< points of a list, or of `first`
  std::map<std::int64_t, std::uint64_t> sums;  ///< points with each coordinate sum
  std::optional<bool> holds;                   ///< any, all
  std::optional<Fingerprint> fingerprint;
  SearchShape shape;
  std::uint64_t slices = 0;  ///< that a shard starts from
  std::string outputPath;
  std::uint64_t outputBytes = 0;
  std::string checkpointPath;  ///< what an unfinished run can be resumed from; empty: nothing
  RunReport run;
};

/// One enumeration. Construction validates the request (ConfigError), asks for the devices that the mode
/// needs (DeviceError); run() executes, once. Counts, lists and steps are the same in every mode.
///
///     slicepool::integer_points::Request request;
///     request.system = {.matrix = {{1, 1, 1}}, .rightSide = {4}};
///     slicepool::integer_points::Enumeration enumeration(request, {.mode = slicepool::Mode::cpu});
///     enumeration.run();
///     enumeration.outcome().count;   // "15"
class Enumeration : public RunHandle {
 public:
  Enumeration(const Request& request, EngineOptions options);
  /// After run(). Moves the findings out.
  [[nodiscard]] Outcome outcome();

 private:
  class Impl;
};

}  // namespace slicepool::integer_points
