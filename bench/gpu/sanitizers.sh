#!/usr/bin/env bash
# compute-sanitizer over the test suite gpu-small, in parts that run at once: racecheck of the whole takes minutes instead of most
# of an hour. Parts that fail keep their output.
#
#   bench/gpu/sanitizers.sh BUNDLE_FOLDER OUTPUT_FOLDER [TOOL ..]     default: memcheck racecheck
#
# PART=N: cases of a part (default 4). SECONDS_EACH=N: a part is cut off afterwards (default 400). Ends with 1 when a part failed.
set -uo pipefail

if [[ $# -lt 2 ]]; then
  echo "usage: $0 BUNDLE_FOLDER OUTPUT_FOLDER [TOOL ..]" >&2
  exit 2
fi
bundle=$(cd "$1" && pwd)
mkdir -p "$2"
output=$(cd "$2" && pwd)
shift 2
tools=("$@")
[[ ${#tools[@]} -ne 0 ]] || tools=(memcheck racecheck)
part=${PART:-4}
export SLICEPOOL_REQUIRE_GPU=1 SLICEPOOL_SOURCE_DIR="${SLICEPOOL_SOURCE_DIR:-$bundle}"
cases=$("$bundle/slicepool_gpu_tests" --test-suite=gpu-small --count | grep -oE '[0-9]+$' | tail -n 1)
gpus=$(nvidia-smi -L | wc -l)
status=0
for tool in "${tools[@]}"; do
  folder=$(mktemp -d)
  number=0
  for ((first = 1; first <= cases; first += part)); do
    name=$(printf '%s/%03d' "$folder" "$first")
    # Refused CUDA calls are part of the tests, so that they are not reported as errors.
    (CUDA_VISIBLE_DEVICES=$((number % gpus)) timeout "${SECONDS_EACH:-400}" \
       compute-sanitizer --report-api-errors no --error-exitcode 9 --tool "$tool" \
       "$bundle/slicepool_gpu_tests" --test-suite=gpu-small --first="$first" --last=$((first + part - 1)) >"$name.txt" 2>&1 ||
       mv "$name.txt" "$name.failed") &
    number=$((number + 1))
  done
  wait
  {
    echo "# $tool of gpu-small, $cases cases in $number parts at once"
    for file in "$folder"/*; do
      if [[ $file == *.failed ]]; then
        tail -n 60 "$file"
      else
        grep -hE 'SUMMARY|assertions:' "$file"
      fi
    done
  } >"$output/sanitizer-$tool.txt"
  failed=$(find "$folder" -name '*.failed' | wc -l)
  echo "$tool: $number parts, $failed failed"
  [[ $failed -eq 0 ]] || status=1
  rm -rf "$folder"
done
exit $status
