// See window_checkpoint.hpp.
#include "runtime/factorizations/window_checkpoint.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/core/checkpoint.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/sealed_json.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kWindowFormat = "slicepool-windows-2";
constexpr const char* kOldFormat = "slicepool-windows-1";

/// Files without a seal may be of the version that had none.
[[noreturn]] void refuseUnsealed(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("format") && json["format"] == kOldFormat) {
    throw Error(std::string("its format is ") + kOldFormat + ", which has no hashes; this version reads " +
                kWindowFormat);
  }
  throw Error("it does not end with the hash of its content (changed, cut off or damaged)");
}

WindowCheckpoint checkpointFromText(const std::string& text) {
  if (!isSealed(text)) refuseUnsealed(text);
  const Json json = openSealed(text);
  StrictObject object(json);
  if (const std::string format = object.text("format"); format != kWindowFormat)
    throw Error("its format is " + format + "; this version reads " + kWindowFormat);
  WindowCheckpoint checkpoint;
  checkpoint.identity = object.text("identity");
  checkpoint.nextRank = object.count("next_rank");
  checkpoint.outputBytes = object.count("output_bytes");
  if (object.has("output_xxh3")) checkpoint.outputHash = object.hash("output_xxh3");
  checkpoint.words = object.counts("words");
  checkpoint.steps = object.count("steps");
  checkpoint.shards = shardsFromJson(object.member("shards"));
  object.done();
  return checkpoint;
}

}  // namespace

void writeWindowCheckpoint(const std::string& path, const WindowCheckpoint& checkpoint) {
  Json json = {{"format", kWindowFormat},
               {"identity", checkpoint.identity},
               {"next_rank", checkpoint.nextRank},
               {"output_bytes", checkpoint.outputBytes}};
  if (!checkpoint.outputHash.empty()) json["output_xxh3"] = checkpoint.outputHash;
  json["words"] = checkpoint.words;
  json["steps"] = checkpoint.steps;
  json["shards"] = shardsToJson(checkpoint.shards);
  const std::string text = sealJson(json.dump(1));
  if (const int code = replaceFile(path, text); code != 0) throwUnwrittenCheckpoint(path, text.size(), code);
}

WindowCheckpoint readWindowCheckpoint(const std::string& path, const std::string& identity) {
  WindowCheckpoint checkpoint;
  try {
    checkpoint = checkpointFromText(readRegularFile(path));
  } catch (const std::exception& error) {
    throw CheckpointError("checkpoint " + path + ": " + error.what() + "; remove it to start anew");
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
