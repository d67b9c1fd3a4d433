// See window_checkpoint.hpp.
#include "runtime/factorizations/window_checkpoint.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/core/checkpoint.hpp"
#include "runtime/core/durable_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "slicepool-windows-1";

}  // namespace

void writeWindowCheckpoint(const std::string& path, const WindowCheckpoint& checkpoint) {
  Json json = {{"format", kFormat},
               {"identity", checkpoint.identity},
               {"next_rank", checkpoint.nextRank},
               {"output_bytes", checkpoint.outputBytes},
               {"words", checkpoint.words},
               {"steps", checkpoint.steps}};
  if (!checkpoint.shards.empty()) json["shards"] = shardsToJson(checkpoint.shards);
  const std::string text = json.dump(1) + "\n";
  if (const int code = replaceFile(path, text); code != 0) throwUnwrittenCheckpoint(path, text.size(), code);
}

WindowCheckpoint readWindowCheckpoint(const std::string& path, const std::string& identity) {
  std::ifstream file(path);
  if (!file) throw CheckpointError("checkpoint " + path + ": cannot be opened");
  WindowCheckpoint checkpoint;
  try {
    const auto json = Json::parse(file);
    if (json.at("format") != kFormat) throw CheckpointError("checkpoint " + path + ": unknown format");
    checkpoint.identity = json.at("identity");
    checkpoint.nextRank = json.at("next_rank");
    checkpoint.outputBytes = json.at("output_bytes");
    checkpoint.words = json.at("words").get<std::vector<std::uint64_t>>();
    checkpoint.steps = json.at("steps");
    if (json.contains("shards")) checkpoint.shards = shardsFromJson(json["shards"]);
  } catch (const CheckpointError&) {
    throw;
  } catch (const std::exception& error) {
    throw CheckpointError("checkpoint " + path + ": damaged: " + error.what());
  }
  if (checkpoint.identity != identity) {
    throw CheckpointError("checkpoint " + path + " belongs to another request: it has " +
                          checkpoint.identity + "; this request is " + identity);
  }
  return checkpoint;
}

bool isWindowCheckpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CheckpointError("checkpoint " + path + ": cannot be opened");
  return file.peek() == '{';
}

}  // namespace slicepool::factorizations
