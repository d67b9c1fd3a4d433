#!/bin/bash
# The contract of a workload: a whole one compiles, and each broken clause is named by its sentence.
# Needs SLICEPOOL_CXX and SLICEPOOL_SOURCE_DIR.
set -u

source="$SLICEPOOL_SOURCE_DIR/tests/package/workload_contract.cpp"
compile() { "$SLICEPOOL_CXX" -std=c++20 -fsyntax-only -I "$SLICEPOOL_SOURCE_DIR/include" "$@" "$source" 2>&1; }

failed=0
if ! said="$(compile -DWHOLE)"; then
  printf 'FAILED: a whole workload does not compile:\n%s\n' "$said"
  failed=1
fi

expect() {  # clause, sentence
  local said
  if said="$(compile "-DBROKEN_$1")"; then
    printf 'FAILED: %s broken, and it compiles\n' "$1"
    failed=1
  elif ! grep -qF "$2" <<<"$said"; then
    printf 'FAILED: %s broken, and the message is not "%s" but:\n%s\n' "$1" "$2" "$said"
    failed=1
  elif [ "$(grep -c 'static assertion failed\|static_assert failed\|static assertion' <<<"$said")" -ne 1 ]; then
    printf 'FAILED: %s broken, and more than one clause is named:\n%s\n' "$1" "$said"
    failed=1
  fi
}

expect TYPES "a workload W needs types W::View and W::Slice"
expect VIEW "W::View is passed to kernels by value: it must be trivially copyable"
expect SLICE "W::Slice lives in a lock-free pool and on devices: it must be trivially copyable"
expect SINK "a sink S needs a trivially copyable S::View"
expect ADVANCE "W needs: template <class Emit> static Turn advance(const View&, Slice&, Budget&, Emit&)"
expect SPLIT "W needs: static bool split(const View&, Slice& kept, Slice& given)"
expect SIZE "W::size must be: static double size(const View&, const Slice&)"
expect RANKS "W::ranks must be: static RankRange ranks(const View&, const Slice&)"
expect CUTS "W needs both or neither: static std::uint64_t cut(const View&, const Slice&"
expect USED_BYTES "W needs both or neither: static std::size_t usedBytes(const Slice&)"
expect PACKING "W needs all or none: static void pack(const View&, const Slice&, ByteWriter&)"
expect LAUNCH_BOUNDS "W needs both or neither, and positive: kDeviceThreads, kDeviceBlocks"
exit "$failed"
