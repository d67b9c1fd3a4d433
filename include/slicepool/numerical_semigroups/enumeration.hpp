// The library's front door to the tree of numerical semigroups: a request, and an enumeration object that
// runs it on CPU, GPU or both. The command line and the sweeps are thin users of this header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/numerical_semigroups/gap_set.hpp"
#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

enum class SinkKind : std::uint8_t {
  count,  ///< by genus and statistics
  list,   ///< the semigroups, sorted (comesBefore)
  first,  ///< some of them; which ones may differ from run to run
  any,    ///< whether one satisfies a condition
  all     ///< whether all satisfy a condition
};

/// What a row of an output is.
enum class RowKind : std::uint8_t { generators, gaps };

struct Request {
  int genus = 0;  ///< all semigroups of at most so many gaps, 1 .. kMaximumGenus; 0 with `frobenius`
  /// What they are counted by. Multiplicity and second element are the fastest: they need no visit of the
  /// last levels.
  Statistic by = Statistic::multiplicity;
  int multiplicity = 0;  ///< only those with this smallest positive element, 2 .. bound + 1; 0: all
  std::optional<Statistic> also = {};  ///< counted by both, in two-way tables
  /// Instead of a genus: all with a Frobenius number from 1 to this, at most kMaximumGenus.
  int frobenius = 0;
  /// Only those that satisfy this: linear conditions such as "2*e - t >= 5 and wilf < 0" on g, m, u, e, t, F,
  /// d, children, wilf and eliahou, joined by "and" and "or"; empty: all.
  std::string where = {};
  SinkKind sink = SinkKind::count;
  std::uint64_t firstCount = 0;  ///< for `first`
  std::string condition = {};    ///< for `any` and `all`, as `where`
  /// Only those whose genus, or Frobenius number, is the bound itself.
  bool exactly = false;
  /// Does not visit the children of a semigroup with m / 3 generators or more below its Frobenius number:
  /// none of its descendants in the tree has a negative Wilf number (Eliahou 2020; Delgado 2019).
  bool trim = false;
  bool fingerprint = false;  ///< of the set of semigroups; for `count`. A list has it always.
  /// Of a list, or of the first: .npy, .txt, or .svg (the tree to genus kMaximumPicture); "-" is text on
  /// standard output; empty: they stay in the outcome.
  std::string outputPath = {};
  RowKind rows = RowKind::generators;
  /// The search is cut into this many parts, of which `shard` (from 0) is run; 1: the whole search.
  std::uint32_t shards = 1;
  std::uint32_t shard = 0;
};

/// A two-way table: [v][w], of value v of the first and w of the second statistic.
using TwoWayTable = std::vector<std::vector<std::uint64_t>>;

/// Numbers of semigroups; of an unfinished run: of those found so far.
struct Findings {
  std::vector<std::uint64_t> byGenus;      ///< genus + 1 numbers, that of genus 0 first
  std::vector<std::uint64_t> byFrobenius;  ///< instead, of a bound of Frobenius numbers; those of 0 are none
  /// triangle[b][v]: of genus (or Frobenius number) b and value v of the statistic; the last entry of a row
  /// is not zero. All nonnegative integers, of genus 0, have the Frobenius number -1, which has no entry.
  std::vector<std::vector<std::uint64_t>> triangle;
  std::vector<TwoWayTable> tables;  ///< instead, with two statistics: of genus (or Frobenius number) b
  friend bool operator==(const Findings&, const Findings&) = default;

  [[nodiscard]] const std::vector<std::uint64_t>& counts() const {
    return byGenus.empty() ? byFrobenius : byGenus;
  }
};

struct Outcome {
  Findings findings;
  std::vector<GapSet> semigroups;  ///< of a list; of `first`; of `any` and `all` the one that decided, if any
  std::optional<bool> holds;       ///< any, all
  std::optional<Fingerprint> fingerprint;
  std::uint64_t slices = 0;  ///< that a shard starts from
  std::string outputPath;
  std::uint64_t outputBytes = 0;
  std::string checkpointPath;  ///< what an unfinished run can be resumed from; empty: nothing
  RunReport run;
};

/// One enumeration. Construction validates the request (ConfigError), asks for the devices that the mode
/// needs (DeviceError); run() executes, once. Numbers, lists and steps are the same in every mode.
///
///     slicepool::numerical_semigroups::Request request;
///     request.genus = 30;
///     slicepool::numerical_semigroups::Enumeration enumeration(request, {.mode = slicepool::Mode::cpu});
///     enumeration.run();
///     enumeration.outcome().findings.byGenus.back();   // 5646773
class Enumeration : public RunHandle {
 public:
  Enumeration(const Request& request, EngineOptions options);
  /// After run(). Moves the findings out.
  [[nodiscard]] Outcome outcome();

 private:
  class Impl;
};

}  // namespace slicepool::numerical_semigroups
