// See serve_request.hpp.
#include "runtime/app/cli/serve_request.hpp"

#include <utility>
#include <vector>

#include "runtime/app/config/suggest.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using config::describeValue;
using config::Json;

constexpr std::uint64_t kMaximumId = std::uint64_t{1} << 53;  // exact for every reader of JSON

void refuseOthers(const Json& line, const std::vector<std::string>& known) {
  for (const auto& member : line.items()) {
    bool found = false;
    for (const auto& name : known) found = found || name == member.key();
    if (!found) {
      throw ConfigError(
          member.key(), "an unknown member",
          config::joinWords(known) + " (nearest: " + config::nearestWord(member.key(), known) + ")");
    }
  }
}

ServeReply replyOf(const Json& line) {
  static const std::vector<std::string> kNames = {"json", "answers", "rows"};
  if (!line.contains("reply")) return ServeReply::json;
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (line["reply"] == Json(kNames[i])) return static_cast<ServeReply>(i);
  throw ConfigError("reply", describeValue(line["reply"]), config::joinWords(kNames));
}

}  // namespace

std::optional<std::uint64_t> idOfLine(const Json& line) {
  if (!line.is_object() || !line.contains("id") || !line["id"].is_number_integer()) return std::nullopt;
  const auto id = exactUnsigned(line["id"]);
  return id && *id <= kMaximumId ? id : std::nullopt;
}

ServeLine parseServeLine(Json line) {
  if (!line.is_object()) throw ConfigError("line", describeValue(line), "a JSON object");
  ServeLine parsed;
  if (line.contains("cancel")) {
    refuseOthers(line, {"cancel"});
    parsed.cancel = idOfLine({{"id", line["cancel"]}});
    if (!parsed.cancel)
      throw ConfigError("cancel", describeValue(line["cancel"]), "the id of a request, from 0 to 2^53");
    return parsed;
  }
  const auto id = idOfLine(line);
  if (!id) {
    throw ConfigError("id", line.contains("id") ? describeValue(line["id"]) : "nothing",
                      "an integer from 0 to 2^53 for each request");
  }
  parsed.id = *id;
  refuseOthers(line, {"id", "run", "reply"});
  parsed.reply = replyOf(line);
  if (!line.contains("run") || !line["run"].is_object())
    throw ConfigError("run", line.contains("run") ? describeValue(line["run"]) : "nothing",
                      "a configuration, as slicepool run takes it");
  parsed.run = std::move(line["run"]);
  return parsed;
}

}  // namespace slicepool::cli
