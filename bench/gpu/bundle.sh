#!/usr/bin/env bash
# Packs built programs with the shared libraries they need into one folder that runs on another machine with the
# same or a newer C library (for a GPU machine without this project's packages).
#
#   bench/gpu/bundle.sh BUILD_FOLDER TARGET_FOLDER
#
# Needs patchelf. The programs find their libraries through an $ORIGIN run path. The plain recursion is compiled for
# SLICEPOOL_PEER_ARCHITECTURE (bench/peers/CMakeLists.txt), which the other machine must have too.
set -euo pipefail

if [[ $# -ne 2 ]]; then
  echo "usage: $0 BUILD_FOLDER TARGET_FOLDER" >&2
  exit 2
fi
build=$1
target=$2
mkdir -p "$target/lib"

programs=()
for name in slicepool runtime/app/cli/slicepool bin/slicepool tests/slicepool_gpu_tests bench/slicepool_micro_benchmarks \
            bench/rows/slicepool_bench_rows bench/peers/slicepool_peer_plain_recursion bench/fplll/slicepool_bench_fplll; do
  [[ -x $build/$name ]] && programs+=("$build/$name")
done
[[ ${#programs[@]} -gt 0 ]] || { echo "no built programs in $build" >&2; exit 1; }

# copyLibraries PROGRAM: the C library and the driver belong to the machine; everything else travels.
copyLibraries() {
  ldd "$1" | awk '$3 ~ /^\// {print $3}' | grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*|libcuda)\.so' |
    while read -r library; do cp -Lu "$library" "$target/lib/"; done
}

for program in "${programs[@]}"; do
  cp "$program" "$target/"
  strip "$target/$(basename "$program")"
  patchelf --set-rpath '$ORIGIN/lib' "$target/$(basename "$program")"
  copyLibraries "$program"
done
# What --cluster mpi opens, found through SLICEPOOL_MPI_MODULE. mpirun has to get there by itself (bench/gpu/ranks.py).
module=$build/lib/slicepool/libslicepool_mpi.so
if [[ -e $module ]]; then
  cp "$module" "$target/lib/"
  copyLibraries "$module"
fi
# Pruning and preprocessing of fplll's BKZ, found through SLICEPOOL_FPLLL_STRATEGIES (bench/gpu/svp.py sets it).
strategies=$(find /usr/share/libfplll* /usr/share/fplll* /usr/local/share/fplll* -name default.json 2>/dev/null | head -n 1 || true)
if [[ -n $strategies ]]; then
  mkdir -p "$target/share/fplll" && cp -L "$strategies" "$target/share/fplll/"
fi
# What GPU tests read, found through SLICEPOOL_SOURCE_DIR=TARGET_FOLDER.
mkdir -p "$target/tests/cli" && cp -r "$(dirname "$0")/../../tests/data" "$target/tests/"
cp "$(dirname "$0")/../../tests/cli/serve.py" "$target/tests/cli/"
for library in "$target"/lib/*; do patchelf --set-rpath '$ORIGIN' "$library"; done
du -sh "$target"
