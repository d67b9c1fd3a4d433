#!/usr/bin/env bash
# Figures of the tree searches on a GPU machine: no-three-in-line and lattice enumeration by CPU workers, by the GPU and by
# both. Runs in a bundle (bench/gpu/bundle.sh).
#
#   bench/gpu/tree_searches.sh BUNDLE_FOLDER OUTPUT_FILE [quick]
#
# A line a run: problem, mode, workers, results, nodes, seconds of the enumeration (median of three), nodes a second.
# `quick` leaves out what takes more than some seconds; SLICEPOOL_FIGURES=lattice or three_in_line, the other search. Ends with status 1 when runs of one problem differ in results or
# nodes.
set -uo pipefail

if [[ $# -lt 2 ]]; then
  echo "usage: $0 BUNDLE_FOLDER OUTPUT_FILE [quick]" >&2
  exit 2
fi
bundle=$(cd "$1" && pwd)
output=$2
quick=${3:-}
only=${SLICEPOOL_FIGURES:-}
runs=$(mktemp)

# measure REPETITIONS PROBLEM MODE ARGUMENT...: appends one JSON line a run.
measure() {
  local repetitions=$1 problem=$2 mode=$3
  shift 3
  for ((i = 0; i < repetitions; ++i)); do
    "$bundle/slicepool" "$@" --mode "${mode%%-*}" --json 2>/dev/null </dev/null |
      sed "s/^{/{\"problem\":\"$problem\",\"asked\":\"$mode\",/" >>"$runs"
  done
}

threeInLine() {
  for n in 12 13 14 15; do
    for mode in gpu hybrid; do measure 3 "three in line, n = $n" $mode three-in-line -n $n; done
  done
  measure 3 "three in line, n = 12" cpu-1 three-in-line -n 12 --threads 1
  for n in 12 13 14; do measure 3 "three in line, n = $n" cpu three-in-line -n $n; done
  if [[ $quick != quick ]]; then
    measure 1 "three in line, n = 15" cpu three-in-line -n 15
    for mode in gpu hybrid; do measure 1 "three in line, n = 16" $mode three-in-line -n 16; done
  fi
}

lattice() {  # REPETITIONS MODE INSTANCE ARGUMENT...
  local repetitions=$1 mode=$2 instance=$3
  shift 3
  local radius basis pruning=()
  read -r basis radius < <(python3 - "$bundle/tests/data/lattices" "$instance" <<'TEXT'
import json, sys
folder, name = sys.argv[1:]
for instance in json.load(open(folder + "/expected.json"))["instances"]:
    if instance["id"] == name:
        print(instance["basis"], instance["squared_radius"])
        if "pruning" in instance:
            open("/tmp/" + name + ".pruning", "w").write("\n".join(map(str, instance["pruning"])) + "\n")
TEXT
)
  [[ -f /tmp/$instance.pruning ]] && pruning=(--pruning "/tmp/$instance.pruning")
  measure "$repetitions" "lattice $instance" "$mode" lattice --basis "$bundle/tests/data/lattices/$basis" \
    --squared-radius "$radius" --fixed-radius --solutions 0 "${pruning[@]}" "$@"
}

lattices() {
  for instance in leech48 k45 f48 gm50 k50 p60; do
    for mode in gpu hybrid cpu; do lattice 3 $mode $instance; done
  done
  lattice 3 cpu-1 k50 --threads 1
  lattice 1 cpu-1 p60 --threads 1
  for instance in k50 k55 p60; do lattice 3 gpu-compacted $instance --algorithm compacted; done
  for instance in k55 k60; do
    for mode in gpu hybrid; do lattice 3 $mode $instance; done
  done
  lattice 1 cpu k55
  [[ $quick != quick ]] && lattice 1 cpu k60
}

[[ $only == lattice ]] || threeInLine
[[ $only == three_in_line ]] || lattices

python3 - "$runs" <<'TEXT' | tee "$output"
import collections, json, statistics, sys
runs = collections.OrderedDict()
for line in open(sys.argv[1]):
    run = json.loads(line)
    runs.setdefault((run["problem"], run["asked"]), []).append(run)
found = {}
wrong = 0
print(f'{"problem":26} {"mode":7} {"workers":>7} {"results":>9} {"nodes":>12} {"seconds":>9} {"spread":>17} {"nodes/s":>10}')
for (problem, mode), same in runs.items():
    seconds = [run["seconds"] for run in same]
    what = {(run.get("count", run.get("solutions_found", run.get("fingerprint"))), run["nodes"], run["fingerprint"])
            for run in same}
    wrong += len(what | found.setdefault(problem, what)) != 1
    results, nodes, _ = next(iter(what))
    middle = statistics.median(seconds)
    print(f'{problem:26} {mode:7} {len(same[0]["workers"]):7} {results:>9} {nodes:12} {middle:9.4f} '
          f'{min(seconds):8.4f}..{max(seconds):.4f} {nodes / middle:10.3g}')
print("all runs of a problem agree" if wrong == 0 else f"{wrong} DIFFER")
sys.exit(wrong != 0)
TEXT
