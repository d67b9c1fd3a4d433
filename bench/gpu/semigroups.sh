#!/usr/bin/env bash
# Figures of transformation semigroups on a GPU machine: by CPU workers, by the GPU and by both. Runs in a bundle
# (bench/gpu/bundle.sh).
#
#   bench/gpu/semigroups.sh BUNDLE_FOLDER OUTPUT_FILE [quick]
#
# A line a run: monoid, mode, elements, rules, idempotents, restarts, seconds of the exploration (median of three; without
# making the generators), of the whole process, memory of host and device. `quick` leaves out renner:10, which takes the
# host some 10 s to write down. Ends with status 1 when runs of one monoid differ in what they find.
set -uo pipefail

if [[ $# -lt 2 ]]; then
  echo "usage: $0 BUNDLE_FOLDER OUTPUT_FILE [quick]" >&2
  exit 2
fi
bundle=$(cd "$1" && pwd)
output=$2
quick=${3:-}
runs=$(mktemp)

# measure REPETITIONS MONOID MODE ARGUMENT...: appends one JSON line a run.
measure() {
  local repetitions=$1 monoid=$2 mode=$3
  shift 3
  for ((i = 0; i < repetitions; ++i)); do
    "$bundle/slicepool" semigroup --named "$monoid" --mode "${mode%%-*}" "$@" --json 2>/dev/null </dev/null |
      sed "s/^{/{\"monoid\":\"$monoid\",\"asked\":\"$mode\",/" >>"$runs"
  done
}

for monoid in bihecke:5 bihecke:6 renner:6 renner:7 renner:8 full:7 full:8 symmetric:10 order-preserving:10 catalan:12; do
  for mode in gpu hybrid; do measure 3 $monoid $mode --idempotents; done
  for threads in 1 2 16; do measure 3 $monoid cpu-$threads --threads $threads --idempotents; done
done
for mode in gpu hybrid; do
  measure 3 renner:9 $mode --idempotents
  measure 3 full:9 $mode --idempotents
done
[[ $quick == quick ]] || measure 1 renner:10 gpu --idempotents --memory-limit 100G
measure 1 bihecke:6 gpu-froidure-pin --idempotents --algorithm froidure-pin
for mode in cpu gpu hybrid; do
  measure 1 bihecke:5 $mode-words --algorithm words
  measure 1 renner:6 $mode-words --algorithm words
done

python3 - "$runs" "$output" <<'PY'
import json
import statistics
import subprocess
import sys

groups = {}
machine = None
for line in open(sys.argv[1]):
    run = json.loads(line)
    machine = run["machine"]
    groups.setdefault((run["monoid"], run["asked"]), []).append(run)

differ = False
with open(sys.argv[2], "w") as out:
    gpus = ", ".join(g["name"] if isinstance(g, dict) else str(g) for g in machine["gpus"])
    print(f"# {machine['cpu']}, {machine['cores']} cores; {gpus}", file=out)
    print("# seconds: exploration, median; phases of the last run in milliseconds", file=out)
    heads = ("monoid", "mode", "elements", "rules", "idempotents", "restarts", "seconds", "process", "host GB",
             "device GB")
    print("%-20s %-18s %11s %9s %11s %8s %9s %8s %8s %9s" % heads, file=out)
    truth = {}
    for (monoid, asked), found in groups.items():
        last = found[-1]
        answers = (last["size"], last["rules"])
        if truth.setdefault(monoid, answers) != answers:
            differ = True
        seconds = statistics.median(r["seconds"] for r in found)
        wall = statistics.median(r["wall_seconds"] for r in found)
        print("%-20s %-18s %11d %9d %11s %8d %9.4f %8.3f %8.2f %9.2f" %
              (monoid, asked, last["size"], last["rules"], last.get("idempotents", "-"), last["restarts"], seconds,
               wall, last["peak_bytes"] / 1e9, last["memory"]["peak_device_bytes"] / 1e9), file=out)
        phases = " ".join(f"{name.replace(' ', '-')}={1e3 * value:.1f}" for name, value in last["phase_seconds"].items())
        print(f"    {phases}", file=out)
sys.exit(1 if differ else 0)
PY
status=$?
cat "$output"
rm -f "$runs"
exit $status
