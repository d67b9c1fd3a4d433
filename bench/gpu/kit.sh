#!/usr/bin/env bash
# Packs the headers, libraries and CMake files of the Debian packages that slicepool is built with into one archive, for a GPU
# machine that has a compiler, CMake, ninja and CUDA, and no packages: 28 MB with fplll, and a build takes as long as its cores need.
#
#   bench/gpu/kit.sh KIT.tgz          here
#   tar xzf KIT.tgz -C / && ldconfig  there, as root
#   cmake --preset release -B build/gpu -DSLICEPOOL_CUDA=ON -DSLICEPOOL_BUILD_TESTS=ON && ..
#
# The other machine must have the same or a newer C library.
set -euo pipefail

if [[ $# -ne 1 ]]; then
  echo "usage: $0 KIT.tgz" >&2
  exit 2
fi
# kPackages and kTestPackages of ./bootstrap, and the libraries that these packages need.
eval "$(sed -nE '/^readonly k(Test|Optional)?Packages=/,/\)( *#.*)?$/p' "$(dirname "${BASH_SOURCE[0]}")/../../bootstrap")"
# librariesOf PACKAGE..: what they depend on, but for the C and C++ libraries, which the other machine has.
librariesOf() {
  dpkg-query -W -f='${Depends}\n' "$@" | tr ',' '\n' | sed -E 's/^ *([^ :(|]+).*/\1/' |
    grep -E '^lib' | grep -vE '^lib(c6|gcc|stdc\+\+)' | sort -u
}
packages=("${kPackages[@]}" "${kTestPackages[@]/python3/}")
# fplll, where it is here: with its strategies, which its libraries look for in /usr/share.
for package in "${kOptionalPackages[@]}"; do
  if dpkg-query -W "$package" >/dev/null 2>&1; then packages+=("$package"); fi
done
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | grep .)
for _ in 1 2; do
  mapfile -t packages < <({ printf '%s\n' "${packages[@]}"; librariesOf "${packages[@]}"; } | sort -u)
done
for package in "${packages[@]}"; do
  dpkg -L "$package"
done | grep -vE '/share/(doc|man|lintian)' | sort -u |
  while read -r file; do if [[ -L $file || -f $file ]]; then echo "$file"; fi; done |
  tar czf "$1" --absolute-names --transform 's,^/,,' -T -
ls -l "$1"
