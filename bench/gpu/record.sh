#!/usr/bin/env bash
# Everything that a change to kernels/ has to pass on a GPU machine, and the figures that are recorded: GPU tests,
# compute-sanitizer, micro-benchmarks, rows against the memory limits, Table 1 of Barron 2024b, sweeps. Runs in a
# bundle (bench/gpu/bundle.sh) with configs/ beside it.
#
#   bench/gpu/record.sh BUNDLE_FOLDER OUTPUT_FOLDER [quick]
#
# `quick` leaves out the sweeps and the table, and takes small instances for the rows. Ends with status 1 when a test
# or a sanitizer failed or rows were wrong.
set -uo pipefail

if [[ $# -lt 2 ]]; then
  echo "usage: $0 BUNDLE_FOLDER OUTPUT_FOLDER [quick]" >&2
  exit 2
fi
bundle=$(cd "$1" && pwd)
mkdir -p "$2"
output=$(cd "$2" && pwd)
quick=${3:-}
status=0
export SLICEPOOL_REQUIRE_GPU=1 SLICEPOOL_SOURCE_DIR="$bundle"

"$bundle/slicepool" info --json >"$output/machine.json"

echo "== GPU tests"
"$bundle/slicepool_gpu_tests" >"$output/gpu-tests.txt" 2>&1 || status=1
tail -n 3 "$output/gpu-tests.txt"
SLICEPOOL_COMMAND="$bundle/slicepool" python3 "$bundle/tests/cli/serve.py" gpu >"$output/serve.txt" 2>&1 || status=1
tail -n 1 "$output/serve.txt"

echo "== compute-sanitizer"
"$(dirname "${BASH_SOURCE[0]}")/sanitizers.sh" "$bundle" "$output" memcheck racecheck initcheck synccheck || status=1

echo "== micro-benchmarks"
"$bundle/slicepool_micro_benchmarks" --benchmark_repetitions=5 --benchmark_report_aggregates_only=true \
  --benchmark_out="$output/micro.json" --benchmark_out_format=json 2>/dev/null | grep -E '_median|Benchmark'

echo "== rows against the memory limits"
rows=("$bundle/slicepool_bench_rows" --json "$output/rows.json")
[[ $quick == quick ]] && rows+=(--quick)
"${rows[@]}" >"$output/rows.txt" 2>&1 || status=1
sed -n '/^Geometric means/,$p' "$output/rows.txt"

echo "== tree searches"
"$(dirname "${BASH_SOURCE[0]}")/tree_searches.sh" "$bundle" "$output/tree-searches.txt" $quick >/dev/null 2>&1 || status=1
tail -n 1 "$output/tree-searches.txt"

if [[ $quick != quick ]]; then
  echo "== Table 1 of Barron 2024b, from command to result"
  "$bundle/slicepool_bench_rows" --table "$bundle/configs/factorizations-dynamic-table-1.json" --json "$output/second-table.json" \
    >"$output/second-table.txt" 2>&1 || status=1
  tail -n 3 "$output/second-table.txt"

  for name in cpu-gpu-hybrid dynamic-table-1 streams-table-1 thread-scaling block-size-and-budget; do
    echo "== sweep $name"
    "$bundle/slicepool" sweep "$bundle/configs/factorizations-$name.json" --output "$output/$name" >"$output/$name.txt" 2>&1 || status=1
    grep -v 'slicepool: info:' "$output/$name.txt"
  done
fi
exit "$status"
