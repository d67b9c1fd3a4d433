#!/usr/bin/env bash
# Three in line as a plan, in two sittings: the first one is killed (SIGKILL) in the middle of shards, the second one goes on from
# their checkpoints. Then the parts are merged, and count and boards compared with what is known. Runs in a bundle
# (bench/gpu/bundle.sh), or beside any built slicepool.
#
#   bench/gpu/plan_record.sh BUNDLE_FOLDER OUTPUT_FILE [SHARDS]
#
# SHARDS (default 64) are taken by one process for each GPU, which sees no other one. OUTPUT_FILE becomes the record, a text;
# the plan and its parts stay in OUTPUT_FILE.work. A second call goes on where the first one ended, also in the second sitting.
# n = 17 takes one H200 some 460 s in all. Environment:
#
#   N=17             11 to 17: those whose number of boards is known
#   MODE=gpu         cpu: one process with all cores (from n = 13 on; smaller ones end before they can be killed). emulated: one
#                    process whose launches sleep, to try this script with n = 11 anywhere
#   SITTING=both     first: ends after the kill, for machines whose commands have a time limit; then the same command again
#
# Exit code 1: something is not as it must be. The record says what.
set -euo pipefail

if [[ $# -lt 2 || $# -gt 3 ]]; then
  sed -n 's/^# \{0,1\}//; 2,/^Exit/p' "$0" >&2
  exit 2
fi
program=$(cd "$1" && pwd)/slicepool
shards=${3:-64}
n=${N:-17}
mode=${MODE:-gpu}
sitting=${SITTING:-both}
case "$n" in   # count up to symmetry (OEIS A000769), boards that the search visits
  11) known="158 823319" ;;
  12) known="566 6256183" ;;
  13) known="499 52762525" ;;
  16) known="5900 35343315061" ;;
  17) known="7094 353052919125" ;;
  *) echo "N=$n: 11, 12, 13, 16 or 17" >&2; exit 2 ;;
esac
case "$sitting" in both | first) ;; *) echo "SITTING=$sitting: both or first" >&2; exit 2 ;; esac
workers=1
options=(--mode "$mode" --progress none)
case "$mode" in
  gpu)
    workers=$(nvidia-smi -L | wc -l)
    options+=(--checkpoint-interval 1)
    ;;
  cpu) options+=(--checkpoint-interval 0.1) ;;
  emulated)
    options+=(--threads 1 --emulated-alone --emulated-lanes 64 --gpu-budget 20 --emulated-slowdown 4 --checkpoint-interval 0.02)
    ;;
  *) echo "MODE=$mode: gpu, cpu or emulated" >&2; exit 2 ;;
esac

output=$(realpath -m "$2")
work=$output.work
log=$work/notes.txt   # what becomes the record
mkdir -p "$work"
cd "$work"

say() { printf '%s\n' "$*" | tee -a "$log"; }
# wrong WHAT: the record is written all the same.
wrong() {
  say "WRONG: $*"
  cp "$log" "$output"
  exit 1
}
doneShards() { find . -maxdepth 1 -name 'plan-*.record.json' | wc -l; }
checkpoints() { find . -maxdepth 1 -name 'plan-*.checkpoint' -printf '%f\n' | sed 's/^plan-\([0-9]*\)\..*/\1/' | sort -n | paste -sd' '; }
# value KEY FILE: of a number or text in a JSON record, its first.
value() { { grep -o "\"$1\": *\"\{0,1\}[^,\"}]*" "$2" || true; } | sed -n '1s/.*[ :"]//p'; }
# seconds SINCE: from a time in seconds since the epoch.
seconds() { awk -v begin="$1" -v end="$(date +%s.%N)" 'BEGIN { printf "%.1f s\n", end - begin }'; }

pids=()
startWorkers() {
  local worker
  pids=()
  for ((worker = 0; worker < workers; ++worker)); do
    if [[ $mode == gpu ]]; then
      CUDA_VISIBLE_DEVICES=$worker "$program" run plan.json --shard all "${options[@]}" >"worker-$worker.txt" 2>&1 &
    else
      "$program" run plan.json --shard all "${options[@]}" >"worker-$worker.txt" 2>&1 &
    fi
    pids+=($!)
  done
}
anyRuns() { kill -0 "${pids[@]}" 2>/dev/null; }   # fails only when all of them have ended
killWorkers() {
  kill -9 "${pids[@]}" 2>/dev/null || true
  wait "${pids[@]}" 2>/dev/null || true
}
trap '[[ ${#pids[@]} -eq 0 ]] || killWorkers' EXIT

if [[ ! -e plan.json ]]; then
  printf '{"workload": "three_in_line", "size": %s}\n' "$n" >search.json
  "$program" plan search.json --shards "$shards" --output plan.json >plan.txt
  : >"$log"
  say "three in line n = $n as a plan, $(date -u +%Y-%m-%d), $("$program" --version)"
  if [[ $mode == gpu ]]; then say "$(nvidia-smi -L | sed 's/ (UUID.*//' | paste -sd';')"; fi
  say "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores; mode $mode, $workers process(es)"
  say "$(sed -n 's/^shards *//p' plan.txt)"
fi

if [[ ! -e killed ]]; then
  begin=$(date +%s.%N)
  startWorkers
  # In the middle: half of the shards are done, and one that runs has a checkpoint.
  while :; do
    if [[ $(doneShards) -ge $((shards / 2)) && -n $(checkpoints) ]]; then
      killWorkers
      [[ -n $(checkpoints) ]] && break
      startWorkers   # the shard had ended just then
    fi
    anyRuns || wrong "the first sitting ended by itself: $(tail -n 1 worker-*.txt | paste -sd' ')"
    sleep 0.01
  done
  pids=()
  say "first sitting     $(doneShards) shards done in $(seconds "$begin"), then SIGKILL; checkpoints of shards $(checkpoints)"
  checkpoints >killed
fi
if [[ $sitting == first ]]; then
  echo "SITTING=first: the same command without it goes on"
  trap - EXIT
  exit 0
fi

begin=$(date +%s.%N)
before=$(doneShards)
startWorkers
for pid in "${pids[@]}"; do
  code=0
  wait "$pid" || code=$?
  # 6: another process has the last one.
  [[ $code -eq 0 || $code -eq 6 ]] || wrong "a process ended with exit code $code: $(cat worker-*.txt | tail -n 3)"
done
pids=()
say "second sitting    $(($(doneShards) - before)) shards done in $(seconds "$begin")"
resumed=
for shard in $(cat killed); do
  steps=$(value steps_before "plan-$shard.record.json")
  [[ -n $steps && $steps != 0 ]] || wrong "shard $shard did not go on from its checkpoint"
  resumed+="${resumed:+, }$shard after $steps boards"
done
say "went on           shard $resumed"

"$program" merge plan.json >merge.txt 2>&1 || wrong "$(cat merge.txt)"
found="$(value count plan.record.json) $(value nodes plan.record.json)"
say "count             ${found% *}"
say "boards            ${found#* }"
say "fingerprint       $(value fingerprint plan.record.json)"
say "enumeration       $(value seconds plan.record.json) s, all shards together"
[[ $found == "$known" ]] || wrong "count and boards: $known is known"
say "as is known: count ${known% *}, boards ${known#* }"
cp "$log" "$output"
