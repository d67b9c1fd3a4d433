// See command_main.hpp: parses the command line, executes one subcommand, turns errors into one line on
// standard error and an exit code.
#include "runtime/app/cli/command_main.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <functional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/failure.hpp"
#include "runtime/app/cli/process_clock.hpp"
#include "runtime/app/cli/run_document.hpp"
#include "runtime/app/cli/signals.hpp"
#include "runtime/app/cli/terminal.hpp"
#include "runtime/app/config/suggest.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/build_info.hpp"
#ifdef SLICEPOOL_HAVE_CUDA
#include "kernels/core/registration.hpp"
#endif

namespace slicepool::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 2 bad input, 3 no usable device for the mode asked, 4 limit or space refused,\n"
    "5 stopped with a checkpoint (a sweep: stopped, can be continued), 6 no shard is left for --shard any, 1 "
    "anything else.\n"
    "Progress and logs go to standard error.";

struct Command {
  CLI::App* app = nullptr;
  Action action;
  bool stops = false;  ///< it runs something that a signal stops in an orderly way
};

/// A static library drops registrars that nothing refers to, so kernels are registered by name.
void registerDevices() {
#ifdef SLICEPOOL_HAVE_CUDA
  registerCudaKernels();
#endif
}

/// `named`: the first word of the command line. A command that it names is the only one that gets options:
/// those of all take milliseconds of every start.
std::vector<Command> addCommands(CLI::App& root, const std::string& named) {
  using Build = std::function<Action(CLI::App&)>;
  std::vector<Command> commands;
  std::vector<Build> builds;
  const auto add = [&](const std::string& name, const std::string& description, Build build) {
    commands.push_back({root.add_subcommand(name, description), {}, false});
    builds.push_back(std::move(build));
  };
  const auto addStopped = [&](const std::string& name, const std::string& description, Build build) {
    add(name, description, std::move(build));
    commands.back().stops = true;
  };
  for (const auto& front : config::workloads()) {
    addStopped(
        config::commandName(front), front.title,
        [&front](CLI::App& app) { return addWorkloadCommand(app, front); });
  }
  addStopped("run", "Any workload from a JSON configuration, or a shard of a plan.", addRunCommand);
  addStopped("sweep", "Runs a table of configurations, compares modes and writes a report page.",
             addSweepCommand);
  addStopped("serve", "Answers runs that another program asks for, one line each, in one process.",
             addServeCommand);
  add("plan", "Cuts a search into shards that separate processes run.", addPlanCommand);
  add("status", "How far the shards of a plan are.", addStatusCommand);
  add("merge", "Adds up the shards of a plan, or the records of the shards of a search.", addMergeCommand);
  addStopped("recount", "Computes random finished shards of a plan again, and compares.", addRecountCommand);
  add("slurm", "Prints the batch script that runs a plan as a Slurm job array.", addSlurmCommand);
  for (const auto& command : foundCommands()) add(command.name, command.title, command.add);
  add("info", "Version, CPU, GPUs and build options.", addInfoCommand);
  add(
      "completion", "Shell completion for bash, zsh or fish.",
      [&root](CLI::App& app) { return addCompletionCommand(app, root); });
  add("man", "The man page, as roff.", [&root](CLI::App& app) { return addManCommand(app, root); });
  add("schema", "The JSON Schema of configurations, or a table of its keys.", addSchemaCommand);
  commands.back().app->group("");  // hidden: it is for the project's own files
  const auto isNamed = [&](const Command& command) { return command.app->get_name() == named; };
  // These two describe the others.
  const bool all =
      named == "completion" || named == "man" || std::none_of(commands.begin(), commands.end(), isNamed);
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (all || isNamed(commands[i])) commands[i].action = builds[i](*commands[i].app);
  return commands;
}

std::string firstExamples() {
  std::string text;
  for (const auto& front : config::workloads())
    if (!front.firstExample.empty())
      text += "  slicepool " + config::commandName(front) + " " + front.firstExample + "\n";
  return text;
}

/// The subcommand whose name is on the command line, for suggestions.
const CLI::App& chosenApp(const CLI::App& root) {
  const auto chosen = root.get_subcommands();
  return chosen.empty() ? root : *chosen.front();
}

std::vector<std::string> knownWords(const CLI::App& app, bool options) {
  std::vector<std::string> words;
  if (options) {
    for (const CLI::Option* option : app.get_options())
      for (const auto& name : option->get_lnames()) words.push_back("--" + name);
  } else {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      words.push_back(command->get_name());
  }
  return words;
}

std::string firstUnexpected(const CLI::App& root, int argc, char** argv) {
  const CLI::App& app = chosenApp(root);
  if (&app == &root && argc > 1) return argv[1];
  const auto extras = app.remaining(true);
  if (!extras.empty()) return extras.front();
  return argc > 1 ? argv[argc - 1] : "";
}

/// CLI11's errors in the one form that all errors of the command have.
int reportParseError(const CLI::App& root, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App& app = chosenApp(root);
  const bool noCommand = &app == &root;
  const bool wrongFirstWord = noCommand && argc > 1;  // CLI11 only misses a subcommand then
  if (wrongFirstWord || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string word = firstUnexpected(root, argc, argv);
    const bool isOption = word.starts_with('-');
    const auto known = knownWords(app, isOption);
    const std::string given = word.substr(0, word.find('='));
    std::string nearest = config::nearestWord(given, known);
    // A word that shares hardly a letter is no hint.
    if (config::editDistance(given, nearest) > 1 + given.size() / 4) nearest.clear();
    const std::string help = noCommand ? "slicepool --help" : "slicepool " + app.get_name() + " --help";
    spdlog::error("unknown {} {}; see {}{}",
                  isOption    ? "option"
                  : noCommand ? "command"
                              : "argument",
                  shown(word), help, nearest.empty() ? "" : " (nearest: " + nearest + ")");
  } else if (noCommand && argc < 2) {
    spdlog::error("command: got nothing; accepted: {}", config::joinWords(knownWords(root, false)));
  } else {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    const auto required = text.find(" is required");
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && required != std::string::npos) {
      spdlog::error("{}: got nothing; accepted: see slicepool{} --help", text.substr(0, required),
                    noCommand ? "" : " " + app.get_name());
      return kBadInput;
    }
    spdlog::error("command line: got {}; accepted: see slicepool{} --help", shown(text, 400),
                  noCommand ? "" : " " + app.get_name());
  }
  return kBadInput;
}

/// --help and --version.
int answer(const CLI::App& root, const CLI::Success& success) {
  std::ostringstream text;
  const int code = root.exit(success, text, text);
  try {
    writeOut(text.str());
  } catch (...) {
    return reportFailure(std::current_exception());
  }
  return code;
}

int execute(const std::vector<Command>& commands) {
  try {
    for (const auto& command : commands) {
      if (command.app->parsed()) {
        if (!command.stops) EarlySignals::release();
        return command.action();
      }
    }
    return kFailed;
  } catch (...) {
    return reportFailure(std::current_exception());
  }
}

/// The option that stands before an empty value ("--words="): CLI11 would take the next argument for it.
std::string emptyValue(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1)
      return std::string(word.substr(0, word.size() - 1));
  }
  return {};
}

}  // namespace

int commandMain(int argc, char** argv) {
  EarlySignals::catchThem();
  (void)processClock();
  // A limit on file sizes (ulimit -f) is an error of the write that meets it, as a full disk is.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  startLog();
  if (const std::string option = emptyValue(argc, argv); !option.empty()) {
    spdlog::error("{}: got an empty value; accepted: {}=VALUE, or {} VALUE", option, option, option);
    return kBadInput;
  }
  registerDevices();
  CLI::App root("Exhaustive enumeration with CPU threads and GPUs that share one pool of bounded slices.",
                "slicepool");
  root.set_version_flag("--version", std::string("slicepool ") + build::kVersion);
  root.require_subcommand(1);
  root.footer(kExitCodes);  // of commands without examples, too
  root.get_formatter()->column_width(34);
  const auto commands = addCommands(root, argc > 1 ? argv[1] : "");
  root.footer(std::string(kExitCodes) + "\n\nExamples:\n" + firstExamples() +
              "  slicepool sweep configs/quick-start.json --output results/quick-start\n"
              "  slicepool info");
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return answer(root, success);
  } catch (const CLI::ParseError& error) {
    return reportParseError(root, error, argc, argv);
  }
  return execute(commands);
}

}  // namespace slicepool::cli
