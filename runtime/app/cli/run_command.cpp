// `slicepool run`: a file, and flags over it -> one JSON configuration -> a run.
#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/cli/run_document.hpp"
#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/sweep_config.hpp"
#include "runtime/app/config/workloads.hpp"
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
  state->values.add(app, optionsOfAll(config::workloads()));
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

}  // namespace slicepool::cli
