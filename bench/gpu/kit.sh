#!/usr/bin/env bash
# Packs the headers, libraries and CMake files of the Debian packages that slicepool is built with into one archive, for a GPU
# machine that has a compiler, CMake, ninja and CUDA, and no packages: 16 MB, and a build takes as long as its cores need.
#
#   bench/gpu/kit.sh KIT.tgz          here
#   tar xzf KIT.tgz -C / && ldconfig  there, as root
#   cmake --preset release -B build/gpu -DSLICEPOOL_CUDA=ON -DSLICEPOOL_BUILD_TESTS=ON -DSLICEPOOL_FPLLL=OFF && ..
#
# The other machine must have the same or a newer C library.
set -euo pipefail

if [[ $# -ne 1 ]]; then
  echo "usage: $0 KIT.tgz" >&2
  exit 2
fi
packages=(libtbb-dev libtbb12 libtbbmalloc2 libtbbbind-2-5 nlohmann-json3-dev libcli11-dev libfmt-dev libfmt9 libspdlog-dev
          libspdlog1.10 libxxhash-dev libxxhash0 libzstd-dev libzstd1 doctest-dev libjs-chart.js)
mapfile -t boost < <(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' 'libboost*-dev' 2>/dev/null |
                     sed -nE 's/^ii +(libboost[0-9.]*-dev)$/\1/p')
for package in "${packages[@]}" "${boost[@]}"; do
  dpkg -L "$package" 2>/dev/null || echo "$0: $package is not installed" >&2
done | grep -vE '/share/(doc|man|lintian)' | sort -u |
  while read -r file; do if [[ -L $file || -f $file ]]; then echo "$file"; fi; done |
  tar czf "$1" --absolute-names --transform 's,^/,,' -T -
ls -l "$1"
