#!/usr/bin/env bash
# The proof of one registration: tests/package/dropped_in has a workload, n queens, in rooms of the same names as the
# repository's, and no other file names it. The command that is built with that folder (SLICEPOOL_DROPPED_IN) has to know
# it everywhere. Run by CTest, which also sets SLICEPOOL_SOURCE_DIR.
set -euo pipefail

command="$SLICEPOOL_DROPPED_IN"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

# expect WHAT TEXT COMMAND...: the output of the command, standard error included, has the text.
expect() {
  local what="$1" text="$2" got
  shift 2
  got="$("$@" 2>&1)" || true
  if ! grep -qF -e "$text" <<<"$got"; then
    printf 'FAILED: %s: no "%s" in\n%s\n' "$what" "$text" "$got"
    failures=$((failures + 1))
  fi
}
# code WHAT CODE COMMAND...: the exit code.
code() {
  local what="$1" wanted="$2" got=0
  shift 2
  "$@" >log 2>&1 || got=$?
  if [ "$got" -ne "$wanted" ]; then
    echo "FAILED: $what: exit code $got, not $wanted"
    cat log
    failures=$((failures + 1))
  fi
}

if grep -rl queens "$SLICEPOOL_SOURCE_DIR"/{runtime,include,kernels,cpu_workers,cmake,configs,CMakeLists.txt}; then
  echo "FAILED: the files above name the workload"
  failures=$((failures + 1))
fi

expect "the list of commands" "All ways to place n queens" "$command" --help
expect "help of an option" "--size N" "$command" queens --help
expect "an example" "slicepool queens -n 8" "$command" queens --help
expect "info" "workload   queens: n queens on an n x n board" "$command" info
expect "bash completion" "queens)" "$command" completion bash
expect "zsh completion" "--size[side of the board]" "$command" completion zsh
expect "fish completion" "__fish_seen_subcommand_from queens" "$command" completion fish
expect "the man page" "slicepool queens" "$command" man
expect "the schema" '"run_queens"' "$command" schema
expect "the table of the docs" '| `size` | `-n`, `--size N` | side of the board | an integer from 1 to 20 | axis |' \
  "$command" schema --table queens

for mode in cpu emulated auto; do expect "8 queens, $mode" "92" "$command" queens -n 8 --mode "$mode" --progress none; done
expect "a record" '"workload":"queens","status":"done"' "$command" queens -n 9 --json
expect "its count" '"count":352' "$command" queens -n 9 --json
expect "a board that is too large" 'size: got 21; accepted: an integer from 1 to 20' "$command" queens -n 21
code "bad input" 2 "$command" queens -n 21
expect "a misspelt option" "nearest: --size" "$command" queens --sise 4

echo '{"workload": "queens", "size": 10}' >run.json
expect "a configuration" "724" "$command" run run.json
expect "a plan, which its front has no rule for" "its registration has no rule for shards" \
  "$command" plan run.json --shards 2 --output plan.json
echo '{"workload": "queens", "siez": 10}' >wrong.json
expect "a misspelt key" 'nearest known key "size"' "$command" run wrong.json

cat >sweep.json <<'SWEEP'
{"workload": "queens", "parameters": {"size": [8, 9]}, "engine": {"mode": ["cpu", "emulated"]}}
SWEEP
code "a sweep" 0 "$command" sweep sweep.json --output results
expect "labels of its points" "n=9" "$command" sweep sweep.json --list
expect "counts that agree" "other runs" "$command" sweep sweep.json --output results
[ -s results/report.html ] || { echo "FAILED: the sweep left no report"; failures=$((failures + 1)); }

code "a stop with a checkpoint" 5 "$command" queens -n 12 --mode cpu --step-limit 20000 --checkpoint queens.ckpt
expect "a resume" "14200" "$command" queens -n 12 --mode cpu --checkpoint queens.ckpt --resume auto
[ ! -e queens.ckpt ] || { echo "FAILED: the checkpoint is still there"; failures=$((failures + 1)); }
code "a checkpoint to be of another size" 5 "$command" queens -n 12 --mode cpu --step-limit 20000 --checkpoint other.ckpt
code "a checkpoint of another problem" 2 "$command" queens -n 11 --mode cpu --resume other.ckpt

if [ "$failures" -ne 0 ]; then
  echo "$failures failures"
  exit 1
fi
echo "a dropped-in workload has everything that the built-in ones have"
