// What a run found, said once: each answer is a member of the record, a line of the readable report, or both.
// Made by the runs of the fronts, read by runtime/app/report/record.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/app/config/json.hpp"
#include "slicepool/core/fingerprint.hpp"

namespace slicepool::config {

/// Name and text of a line; a line that goes on has no name.
using Lines = std::vector<std::pair<std::string, std::string>>;

class Answers {
 public:
  /// A member of the record and a line of the report.
  void add(std::string member, Json value, std::string name, std::string text) {
    record(std::move(member), std::move(value));
    line(std::move(name), std::move(text));
  }
  /// Only a member of the record.
  void record(std::string member, Json value) { members_.emplace_back(std::move(member), std::move(value)); }
  /// Only a line of the report.
  void line(std::string name, std::string text) { lines_.emplace_back(std::move(name), std::move(text)); }

  // Answers that several workloads have.

  void addFingerprint(const Fingerprint& fingerprint);
  /// What was asked, and whether it holds.
  void addHolds(const std::string& question, bool holds);
  /// Nothing for an empty path.
  void addOutput(const std::string& path, std::uint64_t bytes);
  /// Of a run that is a shard: which one, and its `parts`, which are what the search was cut into.
  void addShard(std::uint64_t shard, std::uint64_t shards, const std::string& parts, std::uint64_t count);
  /// Lines for the first `most` of `count` rows, and one that says how many there are: "points".
  void showRows(const std::string& name, const std::string& rows, std::size_t count,
                const std::function<std::string(std::size_t)>& text, std::size_t most = 8);

  /// Sets every member, in the order in which they were added.
  void addTo(Json& record) const& {
    for (const auto& [member, value] : members_) record[member] = value;
  }
  /// Without a copy of what may be a list of millions.
  void addTo(Json& record) && {
    for (auto& [member, value] : members_) record[member] = std::move(value);
  }
  [[nodiscard]] const Lines& lines() const { return lines_; }

 private:
  std::vector<std::pair<std::string, Json>> members_;
  Lines lines_;
};

/// "rows.npy (1280 bytes)"
[[nodiscard]] std::string outputText(const std::string& path, std::uint64_t bytes);

}  // namespace slicepool::config
