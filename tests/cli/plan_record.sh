#!/usr/bin/env bash
# bench/gpu/plan_record.sh with a small search on the lane emulator: a plan whose first sitting is killed in the middle of a shard, and
# whose second one, a call of its own, goes on and finds what is known. Run by CTest with SLICEPOOL_COMMAND and SLICEPOOL_SOURCE_DIR.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
record=("$SLICEPOOL_SOURCE_DIR/bench/gpu/plan_record.sh" "$(dirname "$SLICEPOOL_COMMAND")" "$folder/record.txt" 6)
export MODE=emulated N=11

fail() {
  printf 'FAILED: %s\n' "$*"
  cat "$folder"/*.txt "$folder"/record.txt.work/*.txt 2>/dev/null || true
  exit 1
}

SITTING=first "${record[@]}" || fail "the first sitting"
[[ ! -e $folder/record.txt ]] || fail "a record after the first sitting"
[[ -n $(cat "$folder/record.txt.work/killed") ]] || fail "no shard had a checkpoint"
"${record[@]}" || fail "the second sitting"
for line in 'then SIGKILL; checkpoints of shards' 'went on           shard [0-9]* after [1-9]' 'as is known: count 158, boards 823319'; do
  grep -q "$line" "$folder/record.txt" || fail "the record does not say: $line"
done
