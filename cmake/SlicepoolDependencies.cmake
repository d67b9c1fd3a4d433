# Finds every library slicepool uses. Nothing is downloaded: what is missing is named with its Debian package.
# Included once by the top CMakeLists.txt, after the options.

# slicepool_require(<what> <Debian package> <found>): stops with one readable sentence.
function(slicepool_require what package found)
  if(NOT found)
    message(FATAL_ERROR "slicepool needs ${what}. On Debian or Ubuntu: apt-get install ${package} "
                        "(./bootstrap build installs all that is missing)")
  endif()
endfunction()

# slicepool_header_library(<target> <header> <what> <Debian package>): an imported header-only library.
function(slicepool_header_library target header what package)
  find_path(${target}_INCLUDE_DIR "${header}")
  mark_as_advanced(${target}_INCLUDE_DIR)
  slicepool_require("${what}" "${package}" "${${target}_INCLUDE_DIR}")
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${${target}_INCLUDE_DIR}")
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(TBB QUIET)
slicepool_require("oneTBB" libtbb-dev "${TBB_FOUND}")
find_package(Boost 1.74 QUIET)
slicepool_require("the Boost headers, 1.74 or newer" libboost-dev "${Boost_FOUND}")
find_package(nlohmann_json 3.10 QUIET)
slicepool_require("nlohmann/json, 3.10 or newer" nlohmann-json3-dev "${nlohmann_json_FOUND}")
find_package(CLI11 2.1 QUIET)
slicepool_require("CLI11, 2.1 or newer" libcli11-dev "${CLI11_FOUND}")
find_package(fmt QUIET)
slicepool_require("fmt" libfmt-dev "${fmt_FOUND}")
find_package(spdlog QUIET)
slicepool_require("spdlog" libspdlog-dev "${spdlog_FOUND}")
slicepool_header_library(slicepool_xxhash xxhash.h "xxHash" libxxhash-dev)
if(SLICEPOOL_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")   # -Og and -O0 cannot inline all that the header says must be
  target_compile_definitions(slicepool_xxhash INTERFACE XXH_NO_INLINE_HINTS=1)
endif()

# Optional: compressed rows (.npy.zst).
find_path(SLICEPOOL_ZSTD_INCLUDE_DIR zstd.h)
find_library(SLICEPOOL_ZSTD_LIBRARY zstd)
mark_as_advanced(SLICEPOOL_ZSTD_INCLUDE_DIR SLICEPOOL_ZSTD_LIBRARY)
set(SLICEPOOL_HAVE_ZSTD OFF)
if(SLICEPOOL_ZSTD STREQUAL "OFF")
  message(STATUS "slicepool: without libzstd, as asked: no output to .npy.zst")
elseif(SLICEPOOL_ZSTD_INCLUDE_DIR AND SLICEPOOL_ZSTD_LIBRARY)
  set(SLICEPOOL_HAVE_ZSTD ON)
elseif(SLICEPOOL_ZSTD STREQUAL "ON")
  slicepool_require("libzstd, for SLICEPOOL_ZSTD=ON" libzstd-dev OFF)
else()
  message(STATUS "slicepool: libzstd was not found: no output to .npy.zst. On Debian or Ubuntu: "
                 "apt-get install libzstd-dev")
endif()

# Optional: reduction of lattices, fplll's pruner and the plug-in for fplll. fplll's headers include those of GMP and
# MPFR, and programs that use them link all three.
find_path(SLICEPOOL_FPLLL_INCLUDE_DIR fplll/fplll.h)
find_library(SLICEPOOL_FPLLL_LIBRARY fplll)
find_library(SLICEPOOL_MPFR_LIBRARY mpfr)
find_library(SLICEPOOL_GMP_LIBRARY gmp)
mark_as_advanced(SLICEPOOL_FPLLL_INCLUDE_DIR SLICEPOOL_FPLLL_LIBRARY SLICEPOOL_MPFR_LIBRARY SLICEPOOL_GMP_LIBRARY)
set(SLICEPOOL_HAVE_FPLLL OFF)
if(SLICEPOOL_FPLLL STREQUAL "OFF")
  message(STATUS "slicepool: without fplll, as asked: no reduction of lattices")
elseif(SLICEPOOL_FPLLL_INCLUDE_DIR AND SLICEPOOL_FPLLL_LIBRARY AND SLICEPOOL_MPFR_LIBRARY AND SLICEPOOL_GMP_LIBRARY)
  set(SLICEPOOL_HAVE_FPLLL ON)
  # Of its block reduction, in its own share/fplll or, in Debian, share/libfplll8: what a wheel has to bring along.
  cmake_path(GET SLICEPOOL_FPLLL_INCLUDE_DIR PARENT_PATH fplllPrefix)
  file(GLOB fplllShares "${fplllPrefix}/share/*fplll*/strategies")
  find_file(SLICEPOOL_FPLLL_STRATEGIES default.json PATHS ${fplllShares} NO_DEFAULT_PATH)
  mark_as_advanced(SLICEPOOL_FPLLL_STRATEGIES)
elseif(SLICEPOOL_FPLLL STREQUAL "ON")
  slicepool_require("fplll with GMP and MPFR, for SLICEPOOL_FPLLL=ON" libfplll-dev OFF)
else()
  message(STATUS "slicepool: fplll was not found: no reduction of lattices, and no plug-in for it. On Debian or "
                 "Ubuntu: apt-get install libfplll-dev")
endif()

if(SLICEPOOL_BUILD_TESTS)
  find_package(doctest QUIET)
  slicepool_require("doctest, for SLICEPOOL_BUILD_TESTS=ON" doctest-dev "${doctest_FOUND}")
endif()
if(SLICEPOOL_BUILD_BENCHMARKS)
  find_package(benchmark QUIET)
  slicepool_require("Google Benchmark, for SLICEPOOL_BUILD_BENCHMARKS=ON" libbenchmark-dev "${benchmark_FOUND}")
endif()
if(SLICEPOOL_HAVE_CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
