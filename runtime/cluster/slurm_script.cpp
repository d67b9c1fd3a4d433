// See slurm_script.hpp.
#include "runtime/cluster/slurm_script.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace slicepool::cluster {
namespace {

/// For bash: in single quotes unless every character is harmless.
std::string quoted(const std::string& text) {
  const bool harmless = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=:,+@").find(c) != std::string_view::npos;
  });
  if (harmless) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string directives(const SlurmRequest& request) {
  std::string text;
  const auto line = [&](const std::string& option) { text += "#SBATCH " + option + "\n"; };
  const std::string most = request.atOnce == 0 ? "" : fmt::format("%{}", request.atOnce);
  line("--job-name=" + request.stem);
  line(fmt::format("--array=0-{}{}", request.shards - 1, most));
  line("--time=" + request.time);
  line("--nodes=1");
  line("--ntasks=1");
  if (request.cpus != 0) line(fmt::format("--cpus-per-task={}", request.cpus));
  if (request.gpus != 0) line(fmt::format("--gpus={}", request.gpus));
  if (!request.memory.empty()) line("--mem=" + request.memory);
  if (!request.partition.empty()) line("--partition=" + request.partition);
  if (!request.account.empty()) line("--account=" + request.account);
  line(fmt::format("--signal=B:TERM@{}", request.signalSeconds));
  line("--requeue");
  line("--open-mode=append");
  line("--output=" + request.stem + "-%a.log");
  return text;
}

}  // namespace

std::uint64_t slurmTime(const std::string& text) {
  const std::size_t dash = text.find('-');
  const std::string clock = dash == std::string::npos ? text : text.substr(dash + 1);
  std::vector<std::uint64_t> numbers;
  const auto add = [&](const std::string& digits) {
    constexpr std::size_t kMostDigits = 6;
    const bool fits = !digits.empty() && digits.size() <= kMostDigits &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
    if (fits) numbers.push_back(std::stoull(digits));
    return fits;
  };
  std::uint64_t days = 0;
  if (dash != std::string::npos) {
    if (!add(text.substr(0, dash))) return 0;
    days = numbers.front();
    numbers.clear();
  }
  for (std::size_t begin = 0;;) {
    const std::size_t colon = std::min(clock.find(':', begin), clock.size());
    if (!add(clock.substr(begin, colon - begin))) return 0;
    if (colon == clock.size()) break;
    begin = colon + 1;
  }
  constexpr std::uint64_t kMinute = 60;
  constexpr std::uint64_t kHour = 60 * kMinute;
  constexpr std::uint64_t kDay = 24 * kHour;
  if (numbers.size() > 3) return 0;
  // After days the first number is hours; without, one number is minutes and two are minutes and seconds.
  const std::array<std::uint64_t, 3> withDays = {kHour, kMinute, 1};
  const std::array<std::uint64_t, 3> without = {kMinute, 1, 0};
  const auto& units = dash != std::string::npos || numbers.size() == 3 ? withDays : without;
  std::uint64_t seconds = days * kDay;
  for (std::size_t i = 0; i < numbers.size(); ++i) seconds += numbers[i] * units.at(i);
  return seconds;
}

std::string slurmScript(const SlurmRequest& request) {
  const std::string threads = request.cpus == 0 ? "" : fmt::format(" --threads {}", request.cpus);
  const std::string site = (request.partition.empty() ? "" : " --partition=" + request.partition) +
                           (request.account.empty() ? "" : " --account=" + request.account);
  return fmt::format(R"SCRIPT(#!/bin/bash
{0}
# bash THIS_FILE submits the array, and the merge that waits for all of its tasks.
# sbatch THIS_FILE submits the array alone. Both from the folder in which the plan was made.

program={1}
plan={2}

if [ -z "${{SLURM_ARRAY_TASK_ID:-}}" ]; then
  array=$(sbatch --parsable "$0") || exit
  array=${{array%%;*}}
  merge=$(sbatch --parsable --dependency="afterok:$array" --job-name={3}-merge --time={4}{5} \
    --nodes=1 --ntasks=1 --open-mode=append --output={3}-merge.log \
    --wrap "$(printf '%q merge %q' "$program" "$plan")") || exit
  echo "array $array, merge ${{merge%%;*}}"
  exit
fi

# Slurm sends SIGTERM {6} s before the time limit, and when it takes the node away. The shard then saves its
# checkpoint and ends with exit code 5.
stopped=
trap 'stopped=1; kill -TERM "$run" 2>/dev/null' TERM
"$program" run "$plan" --shard "$SLURM_ARRAY_TASK_ID"{7} --progress plain &
run=$!
wait "$run"
code=$?
if [ -n "$stopped" ]; then   # the signal has interrupted the first wait
  wait "$run"
  code=$?
fi
if [ "$code" -eq 5 ]; then
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID" && sleep 60   # Slurm ends this script meanwhile
fi
exit "$code"
)SCRIPT",
                     directives(request), quoted(request.program), quoted(request.planPath), request.stem,
                     request.time, site, request.signalSeconds, threads);
}

}  // namespace slicepool::cluster
