// See answers.hpp.
#include "runtime/app/config/answers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/fingerprint_text.hpp"

namespace slicepool::config {

void Answers::addFingerprint(const Fingerprint& fingerprint) {
  const std::string text = fingerprintText(fingerprint);
  add("fingerprint", text, "fingerprint", text);
}

void Answers::addHolds(const std::string& question, bool holds) {
  add("predicate_holds", holds, question, holds ? "true" : "false");
}

void Answers::addOutput(const std::string& path, std::uint64_t bytes) {
  if (path.empty()) return;
  add("output", {{"path", path}, {"bytes", bytes}}, "output", outputText(path, bytes));
}

void Answers::addShard(std::uint64_t shard, std::uint64_t shards, const std::string& parts,
                       std::uint64_t count) {
  if (shards <= 1) return;
  record("shards", shards);
  add("shard", shard, "shard", fmt::format("{} of {}, {} {} of the frontier", shard, shards, count, parts));
  record(parts, exactNumber(count));
}

void Answers::showRows(const std::string& name, const std::string& rows, std::size_t count,
                       const std::function<std::string(std::size_t)>& text, std::size_t most) {
  for (std::size_t i = 0; i < std::min(count, most); ++i) line(i == 0 ? name : "", text(i));
  if (count > most) line("", fmt::format(".. ({} {})", count, rows));
}

std::string outputText(const std::string& path, std::uint64_t bytes) {
  return fmt::format("{} ({} bytes)", path == "-" ? "standard output" : path, bytes);
}

}  // namespace slicepool::config
