// See part.hpp.
#include "runtime/cluster/part.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "runtime/io/durable_file.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/io/file_hash.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/sealed_json.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cluster {
namespace {

constexpr const char* kPartFormat = "slicepool-part";
constexpr std::uint64_t kPartVersion = 1;
constexpr std::size_t kNamedProblems = 20;

OutputFile outputFromJson(const Json& json) {
  StrictObject object(json, "outputs");
  OutputFile output;
  output.name = fileName(object.text("name"), "name of an output");
  output.bytes = object.count("bytes");
  output.hash = object.hash("xxh3");
  object.done();
  return output;
}

Part partFromJson(const Json& json) {
  StrictObject object(json);
  object.requireFormat(kPartFormat, kPartVersion);
  Part part;
  part.plan = object.hash("plan");
  part.program = object.text("program");
  part.shards = object.count("shards", 1, kMaximumShards);
  part.shard = object.count("shard", 0, part.shards - 1);
  const Json& outputs = object.member("outputs");
  if (!outputs.is_array()) throw Error("outputs is not a list");
  for (const auto& output : outputs) part.outputs.push_back(outputFromJson(output));
  part.record = object.member("record");
  if (!part.record.is_object()) throw Error("record is not an object");
  object.done();
  return part;
}

/// What the plan says of the shard, and the record of its run does not.
std::string contradictionOf(const PlannedShard& planned, const Part& part) {
  const Json& record = part.record;
  if (!record.contains("status") || record["status"] != "done") return "its run did not end";
  if (!planned.count.empty()) {
    const std::string count = record.contains("count") ? decimalText(record["count"]) : "none";
    if (count != planned.count)
      return fmt::format("its count is {}, and the plan says {}", count, planned.count);
  }
  bool same = part.outputs.size() == planned.outputs.size();
  for (std::size_t i = 0; same && i < part.outputs.size(); ++i)
    same = part.outputs[i].name == planned.outputs[i];
  return same ? "" : "its outputs are not those of the plan";
}

class Gathering {
 public:
  explicit Gathering(const Plan& plan) : plan_(plan) {}

  /// `expected`: the shard whose record this is by its name.
  void read(const std::string& path, std::optional<std::uint64_t> expected) {
    FoundPart found;
    found.path = path;
    try {
      found.part = readPart(path);
    } catch (const Error& error) {
      problem(path + ": damaged: " + error.what());
      if (expected) named_[*expected] = path;
      return;
    }
    const Part& part = found.part;
    if (const std::string why = foreignReason(plan_, part); !why.empty()) {
      problem(path + ": foreign: " + why);
      if (expected) named_[*expected] = path;
      return;
    }
    if (const auto [entry, isNew] = named_.try_emplace(part.shard, path); !isNew) {
      problem(fmt::format("{}: shard {} a second time, after {}", path, part.shard, entry->second));
      return;
    }
    if (const std::string wrong = contradictionOf(plan_.shards[part.shard], part); !wrong.empty())
      problem(path + ": damaged: " + wrong);
    for (const auto& output : part.outputs) {
      const std::string wrong = problemOfOutput(folderOf(path), output);
      if (!wrong.empty()) problem(wrong);
    }
    parts_.emplace(part.shard, std::move(found));
  }

  [[nodiscard]] std::vector<FoundPart> finish() {
    std::vector<std::uint64_t> missing;
    for (std::uint64_t shard = 0; shard < plan_.shards.size(); ++shard)
      if (named_.count(shard) == 0) missing.push_back(shard);
    if (!missing.empty())
      problem(fmt::format("missing: shards {} of {}", numberList(missing), plan_.shards.size()));
    if (count_ != 0) {
      if (count_ > kNamedProblems) text_ += fmt::format("; and {} more", count_ - kNamedProblems);
      throw ConfigError("merge", text_,
                        "every shard of the plan once, as slicepool run wrote it (where one is damaged: "
                        "remove its record, and run the shard "
                        "again)");
    }
    std::vector<FoundPart> all;
    for (auto& [shard, found] : parts_) all.push_back(std::move(found));
    return all;
  }

 private:
  void problem(const std::string& sentence) {
    if (++count_ <= kNamedProblems) text_ += (count_ == 1 ? "" : "; ") + sentence;
  }

  const Plan& plan_;
  std::map<std::uint64_t, std::string> named_;  ///< shards of which something is there
  std::map<std::uint64_t, FoundPart> parts_;
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace

OutputFile describeOutput(const std::string& path) {
  try {
    const RegularFile file(path);
    return {std::filesystem::path(path).filename().string(), file.bytes(), hashOfFile(file)};
  } catch (const Error& error) {
    throw Error(path + " " + error.what());
  }
}

std::string problemOfOutput(const std::string& folder, const OutputFile& output) {
  const std::string path = (std::filesystem::path(folder) / output.name).string();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return path + ": missing";
  try {
    const RegularFile file(path);
    if (file.bytes() != output.bytes)
      return fmt::format("{}: damaged: {} bytes, and its record says {}", path, file.bytes(), output.bytes);
    if (hashOfFile(file) != output.hash) return path + ": damaged: its hash is not that of its record";
  } catch (const Error& wrong) {
    return path + ": damaged: " + wrong.what();
  }
  return {};
}

void writePart(const std::string& path, const Part& part) {
  Json outputs = Json::array();
  for (const auto& output : part.outputs)
    outputs.push_back({{"name", output.name}, {"bytes", exactNumber(output.bytes)}, {"xxh3", output.hash}});
  const Json json = {{"format", kPartFormat},         {"version", kPartVersion}, {"plan", part.plan},
                     {"program", part.program},       {"shard", part.shard},     {"shards", part.shards},
                     {"outputs", std::move(outputs)}, {"record", part.record}};
  replaceFileOrThrow("record of the shard", path, sealJson(json.dump(1)));
}

double secondsInAll(const Json& record) {
  const bool resumed = record.contains("resumed") && record["resumed"].is_object();
  const Json seconds =
      resumed ? record["resumed"].value("seconds_in_all", Json{}) : record.value("seconds", Json{});
  return seconds.is_number() ? seconds.get<double>() : 0;
}

Part readPart(const std::string& path) {
  const std::string text = readRegularFile(path);
  if (!isSealed(text))
    throw Error("it does not end with the hash of its content (changed, cut off, or none)");
  try {
    return partFromJson(keptNumbersAsStrings(openSealed(text)));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

std::string foreignReason(const Plan& plan, const Part& part) {
  if (part.plan != plan.hash) return "it is of another plan, whose hash is " + part.plan;
  if (part.program != plan.program)
    return fmt::format("slicepool {} ran it, and the plan is of {}", part.program, plan.program);
  if (part.shards != plan.shards.size())
    return fmt::format("it is of {} shards, and the plan has {}", part.shards, plan.shards.size());
  return {};
}

std::optional<Part> endedPart(const Plan& plan, const PlanFiles& files, std::uint64_t shard) {
  const std::filesystem::path path = files.ended(shard);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  try {
    Part part = readPart(path.string());
    const PlannedShard& planned = plan.shards.at(shard);
    const auto isThere = [&](const std::string& name) {
      return std::filesystem::exists(path.parent_path() / name, error);
    };
    const bool whole = foreignReason(plan, part).empty() && part.shard == shard &&
                       std::all_of(planned.outputs.begin(), planned.outputs.end(), isThere);
    if (whole) return part;
  } catch (const Error&) {
    // The shard is run again, which replaces the file.
  }
  return std::nullopt;
}

void placeEndedPart(const PlanFiles& files, std::uint64_t shard) {
  const std::string path = files.record(shard);
  if (::rename(files.ended(shard).c_str(), path.c_str()) != 0)
    throwFileError("record of the shard " + path, errno);
  if (const int code = syncFolderOf(path); code != 0) throwFileError("record of the shard " + path, code);
}

std::vector<std::string> FoundPart::outputPaths() const {
  std::vector<std::string> paths;
  for (const auto& output : part.outputs)
    paths.push_back((std::filesystem::path(path).parent_path() / output.name).string());
  return paths;
}

std::vector<FoundPart> gatherParts(const Plan& plan, const PlanFiles& files,
                                   const std::vector<std::string>& paths) {
  Gathering gathering(plan);
  for (const auto& path : paths) gathering.read(path, std::nullopt);
  if (paths.empty()) {
    for (std::uint64_t shard = 0; shard < plan.shards.size(); ++shard) {
      std::error_code error;
      if (std::filesystem::exists(files.record(shard), error)) gathering.read(files.record(shard), shard);
    }
  }
  return gathering.finish();
}

}  // namespace slicepool::cluster
