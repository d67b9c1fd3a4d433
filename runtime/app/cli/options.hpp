// The options of the command that correspond to members of a JSON configuration: one table, from which CLI11
// options, help, completion and the man page follow. Called by the commands of this folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "runtime/app/config/json.hpp"

namespace slicepool::cli {

enum class OptionKind : std::uint8_t { text, integer, number, integerList, setTrue, setFalse };

struct OptionSpec {
  const char* flag;  ///< "--threads", or "-n,--size"
  const char* path;  ///< member of the configuration: "engine.threads"
  OptionKind kind;
  const char* type;  ///< shown in help; alternatives separated by | are completed
  const char* help;
  const char* group;
};

[[nodiscard]] const std::vector<OptionSpec>& factorizationsOptions();
[[nodiscard]] const std::vector<OptionSpec>& threeInLineOptions();
[[nodiscard]] const std::vector<OptionSpec>& latticeOptions();
[[nodiscard]] const std::vector<OptionSpec>& semigroupOptions();
/// Mode, threads, budgets, pool, device, emulator, memory.
[[nodiscard]] const std::vector<OptionSpec>& engineOptions();
/// Rows to files: path and how they are written.
[[nodiscard]] const std::vector<OptionSpec>& rowOutputOptions();

constexpr const char* kSavesWork = "save unfinished work there, regularly and when stopped";
constexpr const char* kSavesStreams =
    "save unfinished work there, regularly and when stopped (default with a streamed output: "
    "OUTPUT.checkpoint)";
enum class Tracing : std::uint8_t { offered, none };
/// Checkpoint, resume, time limit and, where a run has workers to show, trace.
[[nodiscard]] std::vector<OptionSpec> runOptions(const char* checkpointHelp,
                                                 Tracing tracing = Tracing::offered);

/// What the user gave for the options of one subcommand. Must outlive the parse.
class OptionValues {
 public:
  void add(CLI::App& app, const std::vector<OptionSpec>& specs);
  /// Writes every option that was given into the configuration.
  void apply(config::Json& document) const;

 private:
  struct Entry {
    OptionSpec spec{};
    std::string text;
    bool flag = false;
    CLI::Option* option = nullptr;
  };
  std::vector<std::unique_ptr<Entry>> entries_;
};

/// "123" -> 123, "-5" -> -5; anything else stays a string, for the configuration to refuse by name.
[[nodiscard]] config::Json integerValue(const std::string& text);
/// "1.5" -> 1.5, exact as it is written; anything else (nan) stays a string.
[[nodiscard]] config::Json numberValue(const std::string& text);
/// "13,37,38" -> [13, 37, 38]; an empty text is an empty list.
[[nodiscard]] config::Json integerList(const std::string& text);
/// "a,b" -> ["a", "b"], "a" -> "a".
[[nodiscard]] config::Json oneOrList(const std::string& text, bool integers);

}  // namespace slicepool::cli
