// `slicepool verify`: reads the shards of an output and compares them, row by row, with their manifest.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/config/json.hpp"
#include "runtime/factorizations/manifest_check.hpp"

namespace slicepool::cli {
namespace {

using config::Json;

void printCheck(const std::string& path, const factorizations::ManifestCheck& check, bool json) {
  const auto& manifest = check.manifest;
  if (json) {
    const Json record = {{"manifest", path},
                         {"complete", manifest.complete},
                         {"rows", config::exactNumber(manifest.rows)},
                         {"shards", manifest.shards.size()},
                         {"bytes", config::exactNumber(check.bytes)},
                         {"problems", check.problems},
                         {"notes", check.notes}};
    writeOut(record.dump() + "\n");
    return;
  }
  for (const auto& problem : check.problems) spdlog::error("{}: {}", path, problem);
  for (const auto& note : check.notes) spdlog::warn("{}: {}", path, note);
  if (check.problems.empty()) {
    writeOut(fmt::format("{}: {} shards, {} rows, {} bytes, all as they were written\n", path,
                         manifest.shards.size(), manifest.rows, check.bytes));
  }
}

Action addVerifyCommand(CLI::App& app) {
  struct State {
    std::string path;
    bool json = false;
  };
  auto state = std::make_shared<State>();
  app.add_option("MANIFEST", state->path, "NAME.manifest.json of an output with --shard-rows")
      ->type_name("FILE")
      ->required();
  app.add_flag("--json", state->json, "print exactly one JSON object instead of a sentence");
  app.footer(
      "Compares size, hash, header and every row: it must be a factorization, and after the one before it.\n"
      "Exit code 1 when a shard is missing, damaged or not what the manifest says, or the output is "
      "unfinished;\n"
      "each problem is named. Exit code 2 when the manifest itself was changed or is none.\n"
      "Example:\n  slicepool verify rows.manifest.json");
  return [state] {
    const auto check = factorizations::verifyManifest(state->path);
    printCheck(state->path, check, state->json);
    return static_cast<int>(check.problems.empty() ? kDone : kFailed);
  };
}

}  // namespace
}  // namespace slicepool::cli

namespace slicepool::factorizations {

cli::Subcommand frontCommand() {
  return {"verify", "Compares the shards of an output with the hashes in its manifest.",
          cli::addVerifyCommand};
}

}  // namespace slicepool::factorizations
