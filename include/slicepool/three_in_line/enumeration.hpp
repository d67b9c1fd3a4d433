// The library's front door to no-three-in-line: a request, and an enumeration object that runs it on CPU, GPU
// or both. The command line and the sweeps are thin users of this header.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/three_in_line/types.hpp"

namespace slicepool::three_in_line {

struct Request {
  int size = 0;  ///< n, 1 .. kMaximumSize
  /// Only solutions that have at least these symmetries.
  Group group = Group::none;
  Algorithm algorithm = Algorithm::automatic;
  /// Stop when this many solutions are known; which ones may differ from run to run. 0: all.
  std::uint64_t first = 0;
  /// Keep the solutions in the outcome and in the record. They are kept for an output and with `first`
  /// anyway.
  bool solutions = false;
  /// Solutions as .rle, .txt, .json or .svg, by the suffix; "-" is pictures on standard output; empty: none.
  std::string outputPath;
  /// The search is cut into this many parts, of which `shard` (from 0) is run; 1: the whole search.
  std::uint32_t shards = 1;
  std::uint32_t shard = 0;
  /// File for what was found, which `slicepool merge` adds up; empty: none.
  std::string recordPath;
};

/// Numbers of solutions by SymmetryClass.
using ClassCounts = std::array<std::uint64_t, kSymmetryClasses>;

/// What a search found, added up over its visited boards.
struct Findings {
  std::uint64_t count = 0;  ///< up to symmetry
  std::uint64_t total = 0;  ///< in all orientations
  std::uint64_t nodes = 0;  ///< boards visited
  ClassCounts classes{};
  Fingerprint fingerprint;  ///< of the set of solutions
  friend bool operator==(const Findings&, const Findings&) = default;
};

struct Outcome {
  Findings findings;                     ///< of an unfinished run: so far
  std::vector<Configuration> solutions;  ///< sorted by their points, where they were kept
  std::uint64_t boards = 0;              ///< roots of the shard
  std::string outputPath;
  std::uint64_t outputBytes = 0;
  std::string recordPath;
  std::string checkpointPath;  ///< what an unfinished run can be resumed from; empty: nothing
  RunReport run;
};

/// One enumeration. Construction validates the request (ConfigError), asks for the devices that the mode
/// needs (DeviceError) and makes the tables; run() executes, once. What is found, the number of visited
/// boards and the bytes of all outputs are the same in every mode (except with `first`, which takes what
/// comes first). Solutions are checked independently of the search before they are written.
///
///     slicepool::three_in_line::Request request;
///     request.size = 8;
///     slicepool::three_in_line::Enumeration enumeration(request, {.mode = slicepool::Mode::cpu});
///     enumeration.run();
///     enumeration.outcome().findings.total;   // 380
class Enumeration : public RunHandle {
 public:
  Enumeration(Request request, EngineOptions options);
  /// After run(). Moves the solutions out.
  [[nodiscard]] Outcome outcome();

 private:
  class Impl;
};

}  // namespace slicepool::three_in_line
