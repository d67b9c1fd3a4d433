// See slurm_script.hpp.
#include "runtime/cluster/slurm_script.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace slicepool::cluster {
namespace {

/// For sh and bash: in single quotes unless every character is harmless.
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
  line(fmt::format("--signal=B:USR1@{}", request.signalSeconds));
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
    constexpr std::size_t kMaximumDigits = 6;
    const bool fits = !digits.empty() && digits.size() <= kMaximumDigits &&
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
  // A line for sh, which may not be bash, and then a word of this script.
  const std::string merge = quoted(quoted(request.program) + " merge " + quoted(request.planPath));
  const auto folder = std::filesystem::path(request.planPath).parent_path();
  return fmt::format(R"SCRIPT(#!/bin/bash
{0}
# bash THIS_FILE submits the array, and the merge that waits for all of its tasks.
# sbatch THIS_FILE submits the array alone. Both from the folder in which the plan was made.

program={1}
plan={2}
shards={10}
at_once={11}   # tasks of all arrays; 0: no bound

# A task has the argument `task`, or runs from the copy of this file that Slurm makes and names slurm_script.
# Variables of Slurm do not tell: a shell in a task of another array has them as well.
if [ "${{1:-}}" != task ] && [ "${{0##*/}}" != slurm_script ]; then
  # Indices of an array are below MaxArraySize, often 1001. More shards make several arrays: the task 3 of the one
  # that begins with shard 1001 has shard 1004, and the log {3}-1001+3.log.
  most=$(scontrol show config 2>/dev/null | sed -n 's/^MaxArraySize *= *//p')
  most=${{most:-1001}}
  if [ "$most" -ge "$shards" ]; then
    arrays=$(sbatch --parsable "$0" task) || exit
    arrays=${{arrays%%;*}}
  else
    each=$((at_once * most / shards))
    bound=
    if [ "$at_once" -gt 0 ]; then bound=%$((each > 0 ? each : 1)); fi
    arrays=
    for ((first = 0; first < shards; first += most)); do
      last=$((shards - first < most ? shards - first - 1 : most - 1))
      log={3}-$first+%a.log
      if [ "$first" -eq 0 ]; then log={3}-%a.log; fi
      array=$(sbatch --parsable --array="0-$last$bound" --output="$log" "$0" task "$first") || {{
        echo "the shards from $first on are not submitted; submitted: ${{arrays:-none}}. Cancel these, or wait for them" >&2
        exit 1
      }}
      arrays=${{arrays:+$arrays:}}${{array%%;*}}
    done
  fi
  merge=$(sbatch --parsable --dependency="afterok:$arrays" --kill-on-invalid-dep=yes --job-name={3}-merge \
    --time={4}{5} --nodes=1 --ntasks=1 --open-mode=append --output={3}-merge.log \
    --wrap {6}) || {{
    echo "array $arrays is submitted, its merge is not: when the array has ended, run slicepool merge" >&2
    exit 1
  }}
  echo "array $arrays, merge ${{merge%%;*}}"
  exit
fi

# Slurm sends SIGUSR1 to this shell {7} s before the time limit. The shard then saves its checkpoint, ends with
# exit code 5 and is requeued, if it has saved anything since it began. So is one that ends at a limit of the plan.
# SIGTERM (scancel, a node that is taken away) stops the shard and requeues nothing.
signals=0   # that were caught
requeue=   # no: SIGTERM came
run=
told=
tell() {{   # once: a second SIGTERM would end the run at once
  if [ -n "$run" ] && [ -z "$told" ]; then told=1; kill -TERM "$run" 2>/dev/null; fi
}}
trap 'signals=$((signals + 1)); tell' USR1
trap 'signals=$((signals + 1)); requeue=no; tell' TERM

task=${{SLURM_ARRAY_TASK_ID:?is not set: this is no task of an array}}
shard=$((${{2:-0}} + task))   # the first of its array, and the place in it
checkpoint={8}-$shard.checkpoint
saved() {{ stat -c '%y %i' "$checkpoint" 2>/dev/null; }}   # another text after each save
before=$(saved)
"$program" run "$plan" --shard "$shard"{9} --progress plain &
run=$!
if [ "$signals" -ne 0 ]; then tell; fi   # a signal came before $run was known
while :; do
  seen=$signals
  wait "$run"
  code=$?
  if [ "$signals" -eq "$seen" ]; then break; fi   # else a signal has interrupted the wait
done
run=
if [ "$code" -eq 5 ] && [ "$requeue" != no ]; then   # also at a limit that the plan sets
  if [ "$(saved)" != "$before" ]; then
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$task" && sleep 60   # Slurm ends this script meanwhile
  else
    echo "shard $shard is not requeued: it saved nothing in this task, and needs a longer --time" >&2
  fi
fi
exit "$code"
)SCRIPT",
                     directives(request), quoted(request.program), quoted(request.planPath), request.stem,
                     request.time, site, merge, request.signalSeconds,
                     quoted((folder / request.stem).string()), threads, request.shards, request.atOnce);
}

}  // namespace slicepool::cluster
