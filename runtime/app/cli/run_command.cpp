// `slicepool factorizations` and `slicepool run`: flags or a file -> one JSON configuration -> a run.
#include <cstdio>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/cli/run_document.hpp"
#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/sweep_config.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using config::Json;

/// Bad input that a file has brought.
class FileError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] int exitCode() const noexcept override { return kBadInput; }
};

}  // namespace

Action addFactorizationsCommand(CLI::App& app) {
  return addWorkloadCommand(
      app,
      {"factorizations",
       {factorizationsOptions(), engineOptions(), rowOutputOptions(), runOptions(kSavesStreams)},
       "Examples:\n"
       "  slicepool factorizations --generators 13,37,38,40 --element 20000\n"
       "  slicepool factorizations --generators 6,9,20 --element 120 --sink rows --output -\n"
       "  slicepool factorizations --generators 13,37,38,40 --element 5000 --sink lengths --json\n"
       "  slicepool factorizations --generators 6,9,20 --element 300 --sink \"any:a1 + a2 = 7\"\n"
       "  slicepool factorizations --generators 13,37,38,40 --element 20000 --rank-range 1000000:1000100\n"
       "      --sink rows --output -\n"
       "  slicepool factorizations --generators 13,37,38,40 --element 20000 --sample 10 --seed 7\n"
       "  slicepool factorizations --generators 6,9,20 --element 60 --rank-of 4,4,0\n"
       "  slicepool factorizations --generators 13,37,38,40,41,42,43,44 --element 3600 --algorithm "
       "candidate\n"
       "      --mode hybrid --checkpoint big.ckpt --time-limit 3600"});
}

Action addRunCommand(CLI::App& app) {
  struct State {
    OptionValues values;
    Display display;
    std::string path;
    std::vector<std::string> assignments;
  };
  auto state = std::make_shared<State>();
  app.add_option("CONFIG", state->path, "a run configuration; docs/file-formats.md describes it")
      ->type_name("FILE")
      ->required();
  app.add_option("--set", state->assignments, "overrides a member, such as engine.threads=4; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  state->values.add(app, engineOptions());
  state->values.add(app, rowOutputOptions());
  state->values.add(app, runOptions(kSavesStreams));
  addDisplay(app, state->display);
  app.footer(
      "Examples:\n"
      "  slicepool run request.json\n"
      "  slicepool run request.json --mode cpu --threads 4 --set element=30000 --json");
  return [state] {
    Json document = config::readJsonFile(state->path);
    if (config::looksLikeSweep(document)) {
      throw ConfigError(state->path, "a sweep",
                        "a run configuration; for a sweep use: slicepool sweep " + state->path);
    }
    for (const auto& assignment : state->assignments) {
      config::applyAssignment(document, assignment);
    }
    state->values.apply(document);
    try {
      return runDocument(document, state->display);
    } catch (const ConfigError& error) {
      throw FileError(state->path + ": " + error.what());
    }
  };
}

void writeOut(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw LimitError("standard output: could not be written; is the disk full?");
}

}  // namespace slicepool::cli
