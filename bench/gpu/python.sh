#!/usr/bin/env bash
# The tests of the Python package on a GPU machine that has no network: every test of tests/python must find a GPU there.
#
#   bench/gpu/python.sh fetch FOLDER [3.12]   here: what the other machine installs by pip, for its Python, 19 MB
#   bench/gpu/python.sh tree FOLDER BUILD     there: the package of a build tree, which is configured if it is none yet
#   bench/gpu/python.sh wheel FOLDER BUILD    there: the wheel with kernels; its size, an environment of its own, and the tests
#   .. ARGUMENTS                              more of these go to pytest: tests/python/test_device.py -k cupy
#
# The other machine needs what a build needs (bench/gpu/kit.sh) and the headers of its Python. CuPy, PyTorch and NumPy that it has
# are used; without CuPy and PyTorch the tests of device arrays are skipped, and the last lines say so.
# Variables: PYTHON (python3), SLICEPOOL_CUDA_ARCHITECTURES (90-real: what it compiles for), TARGETS (more of the tree's). To try the
# script itself on a machine without a GPU: SLICEPOOL_CUDA=OFF SLICEPOOL_REQUIRE_GPU=0.
set -euo pipefail

usage() {
  sed -n '4,7s/^#  //p' "$0" >&2
  exit 2
}
[[ $# -ge 2 ]] || usage
what=$1
wheels=$(realpath -m "$2")
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
python=${PYTHON:-python3}
architectures=${SLICEPOOL_CUDA_ARCHITECTURES:-90-real}
cuda=${SLICEPOOL_CUDA:-ON}

# environment FOLDER: one that sees the packages of the machine, and has what the tests need.
environment() {
  # Without ensurepip, as Debian's Python is: pip of the machine installs into it.
  [[ -x $1/bin/python ]] || "$python" -m venv --system-site-packages --without-pip "$1"
  "$python" -m pip --python "$1/bin/python" install -q --no-index --find-links "$wheels" "${@:2}"
}

# site FOLDER: what the tests need, beside the packages of the machine: its Python may be an environment itself, whose CuPy and PyTorch
# another environment would not see.
site() {
  local each wanted=()
  for each in "$wheels"/*.whl; do
    case $(basename "$each") in numpy-*) "$python" -c 'import numpy' 2>/dev/null && continue ;; esac
    wanted+=("$each")
  done
  "$python" -m pip install -q --no-index --no-deps --upgrade --target "$1" "${wanted[@]}"
}

check_headers() {
  "$python" -c 'import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
os.path.exists(header) or sys.exit(f"{header} is missing: the extension is built with the headers of Python (Debian: python3-dev)")'
}

# run_tests PYTHON VARIABLE..: all of tests/python unless pytest is told otherwise.
run_tests() {
  local in_use=$1
  shift
  env "$@" "$in_use" -c 'import slicepool as sp
gpus = sp.info()["machine"]["gpus"]
print(sp.__file__, sp.__version__, gpus or sp.info()["gpu_reason"])'
  env "$@" SLICEPOOL_REQUIRE_GPU="${SLICEPOOL_REQUIRE_GPU:-1}" SLICEPOOL_SOURCE_DIR="$source" PYTHONDONTWRITEBYTECODE=1 \
    "$in_use" -m pytest -q -rs -p no:cacheprovider --durations=10 "${selected[@]}"
}

case $what in
  fetch)
    # NumPy, should the machine have none; nanobind's half for this Python; what builds the wheel.
    "$python" -m pip download -q --only-binary=:all: --python-version "${3:-3.12}" --implementation cp \
      --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 -d "$wheels" \
      nanobind nanobind-backend numpy pytest hypothesis scikit-build-core
    ls -l "$wheels"
    ;;
  tree | wheel)
    [[ $# -ge 3 ]] || usage
    build=$(realpath -m "$3")
    selected=("${@:4}")
    [[ ${#selected[@]} -gt 0 ]] || selected=("$source/tests/python")
    check_headers
    mkdir -p "$build"
    ;;&
  tree)
    site "$build/python-site"
    export PYTHONPATH="$build/python-site"
    in_use=$(command -v "$python")
    [[ -e $build/CMakeCache.txt ]] || cmake --preset release -S "$source" -B "$build" -DSLICEPOOL_CUDA="$cuda" \
      -DSLICEPOOL_CUDA_ARCHITECTURES="$architectures" -DSLICEPOOL_PYTHON=ON -DPython_EXECUTABLE="$in_use"
    # In a tree that was configured without the package, it is added.
    cmake -S "$source" -B "$build" -DSLICEPOOL_PYTHON=ON -DPython_EXECUTABLE="$in_use" > /dev/null
    read -ra targets <<< "${TARGETS:-}"
    cmake --build "$build" --target slicepool_python slicepool_python_stub slicepool "${targets[@]}"
    run_tests "$in_use" PYTHONPATH="$build/python:$build/python-site"
    ;;
  wheel)
    environment "$build/python-environment" nanobind nanobind-backend numpy pytest hypothesis scikit-build-core
    in_use=$build/python-environment/bin/python
    rm -rf "$build/made"
    # The build folder stays, so that a second call compiles what has changed.
    CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) "$python" -m pip --python "$in_use" wheel -q --no-index --no-deps --no-build-isolation -w "$build/made" \
      -Cbuild-dir="$build/wheel" -Ccmake.define.SLICEPOOL_CUDA="$cuda" -Ccmake.define.SLICEPOOL_CUDA_ARCHITECTURES="$architectures" "$source"
    ls -l "$build"/made/*.whl
    environment "$build/user-environment" nanobind-backend numpy pytest hypothesis
    "$python" -m pip --python "$build/user-environment/bin/python" install -q --no-index --no-deps --force-reinstall "$build"/made/*.whl
    cd "$build"    # where no package of the tree is beside
    run_tests "$build/user-environment/bin/python" -u PYTHONPATH SLICEPOOL_COMMAND="$build/user-environment/bin/slicepool"
    ;;
  *) usage ;;
esac
