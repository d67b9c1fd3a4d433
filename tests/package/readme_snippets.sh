#!/usr/bin/env bash
# Compiles every C++ snippet of README.md as it stands there: its includes, then the rest as the body of a function.
# Run by CTest with SLICEPOOL_SOURCE_DIR and SLICEPOOL_CXX set.
set -euo pipefail

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
awk -v folder="$work" '
  /^```cpp$/ { ++count; open = 1; body = ""; includes = ""; next }
  /^```$/ && open {
    open = 0
    file = folder "/snippet" count ".cpp"
    printf "%s\nvoid snippet() {\n%s}\n", includes, body > file
    close(file)
    next
  }
  open && /^#include/ { includes = includes $0 "\n"; next }
  open { body = body $0 "\n" }' "$SLICEPOOL_SOURCE_DIR/README.md"

passed=0
failed=0
for snippet in "$work"/snippet*.cpp; do
  [ -e "$snippet" ] || { echo "FAILED: README.md has no C++ snippet"; exit 1; }
  # Values that a snippet shows are not used.
  if "$SLICEPOOL_CXX" -std=c++20 -fsyntax-only -Wall -Werror -Wno-unused-value -Wno-unused-result -Wno-unused-variable \
       -I"$SLICEPOOL_SOURCE_DIR/include" "$snippet"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED:"
    cat "$snippet"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
