// The lines that `slicepool serve` reads. Called by serve_inbox.cpp; docs/serve.md is for those who write
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/app/config/json.hpp"

namespace slicepool::cli {

/// Raised when a client of the last version could not talk to a server of the next one.
inline constexpr int kServeProtocol = 1;

/// What follows the line of a reply.
enum class ServeReply : std::uint8_t {
  json,     ///< the record, as --json has it, without machine and build
  answers,  ///< of the record only what was found
  rows      ///< the rows of results
};

struct ServeLine {
  std::optional<std::uint64_t> cancel;  ///< the request to cancel; then nothing else is there
  std::uint64_t id = 0;
  config::Json run;
  ServeReply reply = ServeReply::json;
};

/// The id of a line, if it has one that can be read: errors go to the client that asked.
[[nodiscard]] std::optional<std::uint64_t> idOfLine(const config::Json& line);
/// Throws ConfigError that names the member.
[[nodiscard]] ServeLine parseServeLine(config::Json line);

}  // namespace slicepool::cli
