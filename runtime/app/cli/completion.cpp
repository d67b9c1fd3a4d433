// `slicepool completion` and `slicepool man`: shell completion and a man page from CLI11's option tree.
#include <algorithm>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/config/schema.hpp"
#include "runtime/app/config/suggest.hpp"
#include "runtime/app/config/workloads.hpp"
#include "slicepool/build_info.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

/// One option as completion and the man page see it.
struct OptionView {
  std::string name;  ///< "--mode", or "CONFIG" for a positional
  std::string type;  ///< "cpu|gpu", "FILE", "N"; empty for a flag
  std::string help;
  std::string group;
  bool positional = false;

  [[nodiscard]] bool takesValue() const { return !type.empty(); }
  [[nodiscard]] bool isFile() const { return type == "FILE" || type == "DIR"; }
  std::vector<std::string> keys;   ///< of KEY=VALUE
  std::vector<std::string> words;  ///< that a value can be; empty: those of `type`

  /// The words a value can be; a form such as first:K is completed up to its colon.
  [[nodiscard]] std::vector<std::string> choices() const {
    if (!words.empty()) return words;
    std::vector<std::string> listed;
    if (type.find('|') == std::string::npos) return listed;
    std::size_t begin = 0;
    while (begin <= type.size()) {
      const std::size_t end = std::min(type.find('|', begin), type.size());
      const std::string word = type.substr(begin, end - begin);
      const std::size_t colon = word.find(':');
      listed.push_back(colon == std::string::npos ? word : word.substr(0, colon + 1));
      begin = end + 1;
    }
    return listed;
  }
};

using config::Json;

void addKeys(const Json& node, const std::string& prefix, std::vector<std::string>& keys) {
  constexpr std::ptrdiff_t kMaximumDots = 2;
  if (std::count(prefix.begin(), prefix.end(), '.') > kMaximumDots || !node.contains("properties")) return;
  for (const auto& property : node["properties"].items()) {
    const std::string name = prefix + property.key();
    const Json* below = &property.value();
    if (below->contains("$ref")) {
      const std::string reference = (*below)["$ref"].get<std::string>().substr(1);
      below = &config::schemaDocument().at(Json::json_pointer(reference));
    }
    if (below->contains("properties"))
      addKeys(*below, name + ".", keys);
    else if (property.key().front() != '$' && std::find(keys.begin(), keys.end(), name) == keys.end())
      keys.push_back(name);
  }
}

/// Members that --set of `run` and `sweep` can name, of all workloads.
std::vector<std::string> settableKeys(const std::string& command) {
  std::vector<std::string> keys;
  const std::string prefix = command + "_";
  for (const auto& workload : config::workloadNames())
    addKeys(config::schemaDocument().at("definitions").at(prefix + workload), "", keys);
  return keys;
}

/// The parameters behind the options of a command.
std::vector<config::Parameter> parametersOf(const CLI::App& app) {
  for (const auto& front : config::workloads())
    if (config::commandName(front) == app.get_name()) return optionsOf(front);
  return app.get_name() == "run" ? optionsOfAll(config::workloads()) : std::vector<config::Parameter>{};
}

std::vector<OptionView> viewsOf(const CLI::App& app) {
  const auto parameters = parametersOf(app);
  std::vector<OptionView> views;
  for (const CLI::Option* option : app.get_options()) {
    OptionView view;
    view.positional = option->get_lnames().empty() && option->get_snames().empty();
    view.name = view.positional                 ? option->get_name(true)
                : !option->get_lnames().empty() ? "--" + option->get_lnames().front()
                                                : "-" + option->get_snames().front();
    view.type = option->get_type_size() == 0 ? "" : option->get_type_name();
    view.help = option->get_description();
    view.group = option->get_group();
    view.words = completionOf(parameters, view.name);
    if (view.name == "--set") view.keys = settableKeys(app.get_name() == "plan" ? "run" : app.get_name());
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<const CLI::App*> commandsOf(const CLI::App& root) {
  return root.get_subcommands(
      [](const CLI::App* app) { return !app->get_name().empty() && !app->get_group().empty(); });
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string bashValueCases(const std::vector<OptionView>& options) {
  std::string text;
  for (const auto& option : options) {
    if (option.positional || !option.takesValue()) continue;
    const auto choices = option.choices();
    const std::string reply = !option.keys.empty()
                                  ? "compgen -S = -W \"" + joined(option.keys) + "\" -- \"$cur\""
                              : option.type == "DIR" ? "compgen -d -- \"$cur\""
                              : option.isFile()      ? "compgen -f -- \"$cur\""
                              : choices.empty()      ? ""
                                                     : "compgen -W \"" + joined(choices) + "\" -- \"$cur\"";
    text += fmt::format("        {}) {}{}return ;;\n", option.name,
                        reply.empty() ? "" : "COMPREPLY=( $(" + reply + ") ); ",
                        option.keys.empty() ? "" : "compopt -o nospace 2>/dev/null; ");
  }
  return text;
}

std::string bashCompletion(const CLI::App& root) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* command : commandsOf(root)) {
    names.push_back(command->get_name());
    std::vector<std::string> flags;
    bool files = false;
    std::string words;
    const auto options = viewsOf(*command);
    for (const auto& option : options) {
      if (option.positional) {
        files = files || option.isFile();
        words = joined(option.choices());
      } else {
        flags.push_back(option.name);
      }
    }
    cases += fmt::format("    {})\n      case \"$prev\" in\n{}      esac\n", command->get_name(),
                         bashValueCases(options));
    // What the command needs comes first, options when a dash asks for them.
    const std::string flagsReply = "COMPREPLY=( $(compgen -W \"" + joined(flags) + "\" -- \"$cur\") )";
    const std::string reply = files           ? "COMPREPLY=( $(compgen -f -- \"$cur\") )"
                              : words.empty() ? flagsReply
                                              : "COMPREPLY=( $(compgen -W \"" + words + "\" -- \"$cur\") )";
    cases += fmt::format("      case \"$cur\" in -*) {} ;; *) {} ;; esac ;;\n", flagsReply, reply);
  }
  return fmt::format(
      "# bash completion of slicepool; load with: source <(slicepool completion bash)\n"
      "_slicepool() {{\n"
      "  local cur=\"${{COMP_WORDS[COMP_CWORD]}}\" prev=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=( $(compgen -W \"{} --help --version\" -- \"$cur\") )\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "complete -F _slicepool slicepool\n",
      joined(names), cases);
}

std::string zshQuoted(std::string text) {
  for (const std::string special : {"'", "[", "]", ":"})
    for (std::size_t at = text.find(special); at != std::string::npos; at = text.find(special, at + 4))
      text.replace(at, 1, special == "'" ? "'\\''" : "\\" + special);
  return text;
}

std::string zshAction(const OptionView& option) {
  const auto choices = option.choices();
  if (option.type == "DIR") return "_files -/";
  if (!option.keys.empty()) return "(" + joined(option.keys) + ")";
  return option.isFile() ? "_files" : choices.empty() ? " " : "(" + zshQuoted(joined(choices)) + ")";
}

std::string zshCompletion(const CLI::App& root) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : commandsOf(root)) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), zshQuoted(command->get_description()));
    cases += fmt::format("    {})\n      _arguments \\\n", command->get_name());
    for (const auto& option : viewsOf(*command)) {
      if (option.positional) {
        cases += fmt::format("        ':{}:{}' \\\n", option.name, zshAction(option));
      } else if (option.takesValue()) {
        cases += fmt::format("        '{}[{}]:{}:{}' \\\n", option.name, zshQuoted(option.help), "value",
                             zshAction(option));
      } else {
        cases += fmt::format("        '{}[{}]' \\\n", option.name, zshQuoted(option.help));
      }
    }
    cases += "        && return\n      ;;\n";
  }
  return "#compdef slicepool\n# zsh completion of slicepool; put this into a directory of $fpath as "
         "_slicepool\n"
         "_slicepool() {\n  local -a commands\n  commands=(\n" +
         commands +
         "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n" +
         cases + "  esac\n}\n_slicepool \"$@\"\n";
}

std::string fishQuoted(std::string text) {
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 2))
    text.replace(at, 1, "\\'");
  return "'" + text + "'";
}

std::string fishCompletion(const CLI::App& root) {
  std::string text =
      "# fish completion of slicepool; save as ~/.config/fish/completions/slicepool.fish\n"
      "complete -c slicepool -f\n";
  for (const CLI::App* command : commandsOf(root)) {
    text += fmt::format("complete -c slicepool -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                        fishQuoted(command->get_description()));
    const std::string condition =
        fmt::format("complete -c slicepool -n '__fish_seen_subcommand_from {}'", command->get_name());
    for (const auto& option : viewsOf(*command)) {
      const std::string choices = joined(option.keys.empty() ? option.choices() : option.keys);
      if (option.positional) {
        text += condition + (option.isFile() ? " -F\n" : " -a " + fishQuoted(choices) + "\n");
        continue;
      }
      text += fmt::format("{} -l {} -d {}{}{}\n", condition,
                          option.name.substr(option.name.find_first_not_of('-')), fishQuoted(option.help),
                          option.takesValue() ? (option.isFile() ? " -r -F" : " -x") : "",
                          choices.empty() ? "" : " -a " + fishQuoted(choices));
    }
  }
  return text;
}

// --- man page --------------------------------------------------------------------------------------------

std::string roff(const std::string& text) {
  std::string out;
  bool lineStart = true;
  for (const char c : text) {
    if (lineStart && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    lineStart = c == '\n';
  }
  return out;
}

std::string manOptions(const CLI::App& app) {
  std::string text;
  for (const auto& option : viewsOf(app)) {
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(option.name),
                        option.takesValue() && !option.positional ? " \\fI" + roff(option.type) + "\\fR" : "",
                        roff(option.help));
  }
  return text;
}

std::string manPage(const CLI::App& root) {
  std::string text =
      fmt::format(".TH SLICEPOOL 1 \"\" \"slicepool {}\" \"User Commands\"\n", build::kVersion);
  text += ".SH NAME\nslicepool \\- exhaustive enumeration on CPU and GPU\n";
  text += ".SH SYNOPSIS\n";
  for (const CLI::App* command : commandsOf(root)) {
    std::string positionals;
    for (const auto& option : viewsOf(*command))
      positionals += option.positional ? "\\fI" + roff(option.name) + "\\fR " : "";
    text += fmt::format(".B slicepool {}\n{}[\\fIOPTIONS\\fR]\n.br\n", command->get_name(), positionals);
  }
  text += ".SH DESCRIPTION\n" + roff(root.get_description()) + "\n";
  for (const CLI::App* command : commandsOf(root)) {
    text += fmt::format(".SH SLICEPOOL {}\n{}\n", CLI::detail::to_lower(command->get_name()),
                        roff(command->get_description()));
    text += manOptions(*command);
    if (!command->get_footer().empty()) text += ".PP\n.nf\n" + roff(command->get_footer()) + "\n.fi\n";
  }
  text += ".SH GENERAL\n.nf\n" + roff(root.get_footer()) + "\n.fi\n";
  return text;
}

}  // namespace

Action addCompletionCommand(CLI::App& app, const CLI::App& root) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")->type_name("bash|zsh|fish")->required();
  app.footer("Example:\n  source <(slicepool completion bash)");
  return [shell, &root] {
    if (*shell == "bash")
      writeOut(bashCompletion(root));
    else if (*shell == "zsh")
      writeOut(zshCompletion(root));
    else if (*shell == "fish")
      writeOut(fishCompletion(root));
    else
      throw ConfigError("completion", "\"" + *shell + "\"", "bash, zsh or fish");
    return static_cast<int>(kDone);
  };
}

Action addManCommand(CLI::App& app, const CLI::App& root) {
  app.footer("Example:\n  slicepool man > slicepool.1 && man ./slicepool.1");
  return [&root] {
    writeOut(manPage(root));
    return static_cast<int>(kDone);
  };
}

}  // namespace slicepool::cli
