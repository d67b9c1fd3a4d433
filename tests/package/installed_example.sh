#!/usr/bin/env bash
# Installs the built package into a temporary prefix, builds examples/nqueens against it through
# find_package(slicepool) and compares its counts with the known ones (OEIS A000170). Run by CTest with
# SLICEPOOL_BUILD_DIR, SLICEPOOL_SOURCE_DIR, SLICEPOOL_CXX and, in a build with CUDA, CUDACXX set.
set -euo pipefail

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
known=(1 1 0 0 2 10 4 40 92 352 724 2680 14200 73712 365596)   # n = 0..14

cmake --install "$SLICEPOOL_BUILD_DIR" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
# The package must stand on its own: nothing in it may point back to the source or build tree.
if grep -rlF -e "$SLICEPOOL_BUILD_DIR" -e "$SLICEPOOL_SOURCE_DIR" "$work/prefix/lib"*/cmake "$work/prefix/include"; then
  echo "FAILED: the files above name the build or source tree"
  exit 1
fi
cp -r "$SLICEPOOL_SOURCE_DIR/examples/nqueens" "$work/example"
cmake -S "$work/example" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER="$SLICEPOOL_CXX" >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }

failures=0
# check MODE N: 0 when the count is right, 3 when there is no such device.
check() {
  local mode="$1" n="$2" status=0 got
  got="$("$work/build/nqueens" "$n" "$mode" 2>"$work/log")" || status=$?
  [ "$status" -eq 3 ] && return 3
  if [ "$status" -ne 0 ] || [ "$got" != "${known[$n]}" ]; then
    echo "FAILED: $n queens, mode $mode: got '$got' (exit $status), known ${known[$n]}"
    cat "$work/log"
    failures=$((failures + 1))
  fi
}

for mode in cpu emulated; do
  for n in $(seq 1 14); do check "$mode" "$n"; done
done
for mode in gpu hybrid; do
  status=0
  check "$mode" 4 || status=$?
  if [ "$status" -eq 3 ]; then
    [ "${SLICEPOOL_REQUIRE_GPU:-0}" != 1 ] || { cat "$work/log"; failures=$((failures + 1)); }
    echo "mode $mode not checked: $(cat "$work/log")"
    continue
  fi
  for n in $(seq 1 14); do check "$mode" "$n"; done
done
[ "$("$work/build/nqueens" 0 cpu 2>/dev/null; echo $?)" = 2 ] || { echo "FAILED: 0 queens must be refused"; failures=$((failures + 1)); }
echo "$failures failures"
[ "$failures" -eq 0 ]
