#!/usr/bin/env bash
# Figures of the tree of numerical semigroups on a GPU machine: counts, histograms and conditions, by the GPU, by CPU
# workers and by both. Runs in a bundle (bench/gpu/bundle.sh), before and after a change.
#
#   bench/gpu/numerical_semigroups.sh BUNDLE_FOLDER OUTPUT_FILE [quick]
#
# A line a run: arguments, mode, seconds of the search (all of three runs), semigroups of the bound a second (median),
# visited semigroups, and a checksum of what was found. `quick` leaves out genus 50 and CPU workers beyond genus 40. Ends
# with status 1 when runs of one search differ in what they find.
set -uo pipefail

if [[ $# -lt 2 ]]; then
  echo "usage: $0 BUNDLE_FOLDER OUTPUT_FILE [quick]" >&2
  exit 2
fi
bundle=$(cd "$1" && pwd)
output=$2
quick=${3:-}
runs=$(mktemp)

# measure REPETITIONS MODE ARGUMENT...: appends one JSON line a run.
measure() {
  local repetitions=$1 mode=$2
  shift 2
  for ((i = 0; i < repetitions; ++i)); do
    "$bundle/slicepool" numerical-semigroups "$@" --mode "$mode" --json 2>/dev/null </dev/null |
      ARGUMENTS="$*" MODE=$mode python3 -c 'import json, os, sys
for line in sys.stdin:
    print(json.dumps({"arguments": os.environ["ARGUMENTS"], "asked": os.environ["MODE"], **json.loads(line)}))' >>"$runs"
  done
}

searches() {  # of one genus, in one mode
  local genus=$1 mode=$2
  measure 3 "$mode" -g "$genus"
  measure 3 "$mode" -g "$genus" --by second
  measure 3 "$mode" -g "$genus" --by embedding-dimension
  measure 3 "$mode" -g "$genus" --by type
  measure 3 "$mode" -g "$genus" --by depth
  measure 3 "$mode" -g "$genus" --by embedding-dimension,type
  measure 3 "$mode" -g "$genus" --where "wilf < 0"
  measure 3 "$mode" -g "$genus" --where "eliahou < 0" --sink list
  measure 3 "$mode" -g "$genus" --sink "all:wilf >= 0"
  measure 3 "$mode" -g "$genus" --trim --where "eliahou < 0"
}

for mode in gpu hybrid cpu; do searches 40 $mode; done
measure 3 gpu --frobenius 60 --by genus
measure 3 gpu -g 26 --where "t <= 5" --sink list
for mode in gpu hybrid; do searches 46 $mode; done
if [[ $quick != quick ]]; then
  for mode in gpu hybrid; do
    measure 3 $mode -g 50
    measure 3 $mode -g 50 --by type
    measure 3 $mode -g 50 --where "wilf < 0"
  done
  measure 1 cpu -g 44
  measure 1 cpu -g 44 --by type
fi

python3 - "$runs" "$output" <<'PY'
import collections
import hashlib
import json
import statistics
import sys

found = collections.defaultdict(set)
groups = collections.defaultdict(list)
for line in open(sys.argv[1]):
    run = json.loads(line)
    groups[run["arguments"], run["asked"]].append(run)
    answer = {name: run.get(name) for name in ("count", "counts", "histogram", "listed", "fingerprint", "predicate_holds")}
    found[run["arguments"]].add(hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()[:12])
with open(sys.argv[2], "w") as out:
    for (arguments, mode), runs in groups.items():
        seconds = [run["seconds"] for run in runs]
        count = runs[0].get("count") or 0
        rate = count / statistics.median(seconds)
        print(f"{arguments} | {mode} | {' '.join(f'{s:.4f}' for s in seconds)} | {rate:.3g} | {runs[0].get('steps')} | "
              f"{'/'.join(sorted(found[arguments]))}", file=out)
different = [arguments for arguments, answers in found.items() if len(answers) != 1]
if different:
    print("runs differ in what they find:", *different, sep="\n  ", file=sys.stderr)
    sys.exit(1)
PY
