// The options of the command that correspond to members of a JSON configuration, from tables of parameters.
// Called by the commands of this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "runtime/app/config/front.hpp"

namespace slicepool::cli {

/// What the user gave for the options of one subcommand. Must outlive the parse.
class OptionValues {
 public:
  /// One option for each parameter that has a flag.
  void add(CLI::App& app, const std::vector<config::Parameter>& parameters);
  /// Writes every option that was given into the configuration.
  void apply(config::Json& document) const;

 private:
  struct Entry {
    config::Parameter parameter;
    std::string text;
    bool flag = false;
    CLI::Option* option = nullptr;
  };
  std::vector<std::unique_ptr<Entry>> entries_;
};

/// --set KEY=VALUE, which may be repeated.
void addAssignments(CLI::App& app, std::vector<std::string>& assignments, const std::string& help);

/// The options of a workload's command, in the order of --help.
[[nodiscard]] std::vector<config::Parameter> optionsOf(const config::Front& front);
/// Those of `slicepool run`: what all workloads share, and members of "output" of any.
[[nodiscard]] std::vector<config::Parameter> optionsOfAll(const std::vector<config::Front>& fronts);
/// The words that completion offers for the option --`name` of `parameters`; empty: those of its type.
[[nodiscard]] std::vector<std::string> completionOf(const std::vector<config::Parameter>& parameters,
                                                    const std::string& name);

/// "123" -> 123, "-5" -> -5; anything else stays a string, for the configuration to refuse by name.
[[nodiscard]] config::Json integerValue(const std::string& text);
/// "1.5" -> 1.5, exact as it is written; anything else (nan) stays a string.
[[nodiscard]] config::Json numberValue(const std::string& text);
/// "13,37,38" -> [13, 37, 38]; an empty text is an empty list.
[[nodiscard]] config::Json integerList(const std::string& text);
/// "a,b" -> ["a", "b"], "a" -> "a".
[[nodiscard]] config::Json oneOrList(const std::string& text, bool integers);

}  // namespace slicepool::cli
