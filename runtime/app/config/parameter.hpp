// One member of a configuration, said once: its option and help, what it accepts, and what a sweep may do
// with it. The command's options, help, completion and man page, the JSON Schema and the tables of
// docs/file-formats.md are made from tables of these: those of the workloads' fronts
// (runtime/<workload>/front.cpp) and those at the end of this file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/app/config/domain.hpp"
#include "runtime/app/config/json.hpp"

namespace slicepool::config {

/// How the text of an option becomes JSON.
enum class Given : std::uint8_t { text, integer, number, integerList, setTrue, setFalse };

/// Where a sweep takes the parameter: nowhere, as a member of its rows, or as an axis as well.
enum class Sweep : std::uint8_t { no, rows, axis };

/// The most slices, or results, that a batch of the emulator holds.
constexpr std::int64_t kMaximumLanes = 1 << 24;

/// Groups of --help.
constexpr const char* kProblemGroup = "Problem";
constexpr const char* kWorkersGroup = "Workers";
constexpr const char* kTuningGroup = "Tuning";
constexpr const char* kFilesGroup = "Files and limits";

struct Parameter {
  std::string member;         ///< of a configuration: "element", "output.path", "engine.threads"
  std::string flag{};         ///< "--threads", or "-n,--size"; empty: only in files
  Given given = Given::text;  ///< the value of the flag
  std::string type{};         ///< of the value, as help shows it: "N", "FILE"; empty: the words of the domain
  std::string help{};
  std::string standard{};             ///< the default, in words; help ends with it
  std::string group = kProblemGroup;  ///< of --help
  Json domain{};                      ///< what is accepted: a piece of JSON Schema
  bool required = false;
  Sweep sweep = Sweep::no;
  Json axisDomain{};  ///< as an axis, where a list would be taken for one: what else is accepted
  std::vector<std::string> completion{};  ///< of the value; empty: the words that `type` lists
  /// The value in the label of a sweep's point; empty: NAME=VALUE.
  std::function<std::string(const Json&)> label{};
  bool recordedApart = false;  ///< records have it as a member of their own, not under "parameters"
  bool namesFile = false;      ///< a text is the name of a file that is read, where there is such a file
};

/// Help with the default at its end.
[[nodiscard]] std::string helpText(const Parameter& parameter);
/// `type`, or the words that the domain lists, joined by |; empty: a flag without a value.
[[nodiscard]] std::string typeText(const Parameter& parameter);
/// Whether its values are lists, so that only a list of lists is an axis.
[[nodiscard]] bool isListValued(const Parameter& parameter);

/// Mode, threads, budgets, pool, device, emulator, memory: members of "engine".
[[nodiscard]] const std::vector<Parameter>& engineParameters();
/// Checkpoint, resume, limits and trace.
[[nodiscard]] const std::vector<Parameter>& runParameters();

}  // namespace slicepool::config
