// What every run of a shard of a plan must find, and how two of them differ. Called by `slicepool recount`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/app/config/shard_rule.hpp"

namespace slicepool::report {

struct ShardResults {
  config::Json found = config::Json::object();               ///< the members ShardRule::results of its record
  std::vector<std::pair<std::string, std::string>> outputs;  ///< names and digests
};

/// `paths`: of the outputs. Reads each once. An output that is none has a digest that says so, which is that
/// of no other file.
[[nodiscard]] ShardResults resultsOf(const config::ShardRule& rule, const config::Json& record,
                                     const std::vector<std::string>& paths);

struct Difference {
  std::string what;  ///< a member of the record, or the name of an output
  config::Json expected;
  config::Json found;  ///< null: it is not there
};

[[nodiscard]] std::vector<Difference> differencesOf(const ShardResults& expected, const ShardResults& found);

}  // namespace slicepool::report
