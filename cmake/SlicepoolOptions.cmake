# Build options of slicepool, the search for nvcc, and the flags every target of the project shares.
# Included once by the top CMakeLists.txt, before the dependencies.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(SLICEPOOL_CUDA AUTO CACHE STRING "Build the GPU worker: AUTO (when nvcc works), ON (it must), OFF")
set_property(CACHE SLICEPOOL_CUDA PROPERTY STRINGS AUTO ON OFF)
option(SLICEPOOL_UNOPTIMIZED_KERNELS "Compile kernels quickly, where no GPU will run them (CUDA 13 and newer)" OFF)
set(SLICEPOOL_CUDA_ARCHITECTURES "80-real;90" CACHE STRING
    "CUDA architectures as CMake spells them; an entry without -real carries PTX for newer devices")
set(SLICEPOOL_ZSTD AUTO CACHE STRING "Write .npy.zst with libzstd: AUTO (when it is there), ON (it must), OFF")
set_property(CACHE SLICEPOOL_ZSTD PROPERTY STRINGS AUTO ON OFF)
set(SLICEPOOL_FPLLL AUTO CACHE STRING
    "Reduce lattices with fplll and build the plug-in for it: AUTO (when it is there), ON (it must), OFF")
set_property(CACHE SLICEPOOL_FPLLL PROPERTY STRINGS AUTO ON OFF)
set(SLICEPOOL_PYTHON AUTO CACHE STRING
    "Build the Python package: AUTO (where Python 3.10 or newer has nanobind 3), ON (it must), OFF")
set_property(CACHE SLICEPOOL_PYTHON PROPERTY STRINGS AUTO ON OFF)
set(SLICEPOOL_MPI AUTO CACHE STRING
    "Build the module for --cluster mpi: AUTO (when there is an MPI), ON (it must), OFF")
set_property(CACHE SLICEPOOL_MPI PROPERTY STRINGS AUTO ON OFF)
set(SLICEPOOL_OTHER_MPI "" CACHE PATH
    "A folder whose bin/ has the mpicxx and mpiexec of a second MPI, which tests of --cluster mpi run on too")
option(SLICEPOOL_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SLICEPOOL_BUILD_FUZZERS "Build tests/fuzz for libFuzzer (needs clang)" OFF)
option(SLICEPOOL_BUILD_BENCHMARKS "Build the benchmarks (needs Google Benchmark)" OFF)
option(SLICEPOOL_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
set(SLICEPOOL_SANITIZE "" CACHE STRING
    "Sanitizers for host code, a list for -fsanitize: empty, address;undefined, or thread")
option(SLICEPOOL_THREAD_ARENA
       "Run CPU workers on std::thread instead of oneTBB (ThreadSanitizer cannot see into an uninstrumented TBB)" OFF)
# Off, since sources are then not joined (below), and the cache of a clone, a wheel or CI is empty.
option(SLICEPOOL_USE_CCACHE "Compile through ccache when it is installed; the preset dev does" OFF)
set(SLICEPOOL_PRECOMPILE AUTO CACHE STRING "Precompile headers: AUTO (where ccache is not used), ON, OFF")
set_property(CACHE SLICEPOOL_PRECOMPILE PROPERTY STRINGS AUTO ON OFF)

foreach(choice SLICEPOOL_ZSTD SLICEPOOL_FPLLL SLICEPOOL_PYTHON SLICEPOOL_MPI SLICEPOOL_PRECOMPILE)
  if(NOT ${choice} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${choice}: got ${${choice}}; accepted: AUTO, ON, OFF")
  endif()
endforeach()

include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(SLICEPOOL_USE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SLICEPOOL_CCACHE_PROGRAM ccache)
  mark_as_advanced(SLICEPOOL_CCACHE_PROGRAM)
  if(SLICEPOOL_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${SLICEPOOL_CCACHE_PROGRAM}")
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${SLICEPOOL_CCACHE_PROGRAM}")
  endif()
endif()

# A cold build spends a third of its time on the headers of nlohmann/json, fmt and the standard library. ccache cannot keep
# what was compiled with a precompiled header, so that one of the two is used.
set(SLICEPOOL_PRECOMPILES OFF)
if(SLICEPOOL_PRECOMPILE STREQUAL "ON" OR
   (SLICEPOOL_PRECOMPILE STREQUAL "AUTO" AND NOT "${CMAKE_CXX_COMPILER_LAUNCHER}" MATCHES "ccache"))
  set(SLICEPOOL_PRECOMPILES ON)
endif()

# The other third it spends on the same headers of the project, so that sources of a folder are compiled together. Builds
# that change a file and build again are better off without: -DCMAKE_UNITY_BUILD=OFF, as the preset dev has it.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ${SLICEPOOL_PRECOMPILES})
endif()

# --- CUDA: SLICEPOOL_HAVE_CUDA is what the rest of the build asks ------------------------------------
set(SLICEPOOL_HAVE_CUDA OFF)
if(NOT SLICEPOOL_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SLICEPOOL_CUDA: got ${SLICEPOOL_CUDA}; accepted: AUTO, ON, OFF")
endif()
if(NOT SLICEPOOL_CUDA STREQUAL "OFF")
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(SLICEPOOL_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(SLICEPOOL_NVCC)
    if(SLICEPOOL_NVCC)
      set(CMAKE_CUDA_COMPILER "${SLICEPOOL_NVCC}" CACHE FILEPATH "CUDA compiler")
    endif()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES "${SLICEPOOL_CUDA_ARCHITECTURES}")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    include(SlicepoolCudaDialect)
    set(SLICEPOOL_HAVE_CUDA ON)
  elseif(SLICEPOOL_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SLICEPOOL_CUDA=ON, but no working nvcc was found on PATH, in $CUDA_PATH or in "
                        "/usr/local/cuda/bin. Install the CUDA toolkit, set CUDACXX, or use SLICEPOOL_CUDA=OFF.")
  endif()
endif()
if(SLICEPOOL_HAVE_CUDA)
  message(STATUS "slicepool: GPU worker on (${CMAKE_CUDA_COMPILER}, architectures ${CMAKE_CUDA_ARCHITECTURES})")
else()
  message(STATUS "slicepool: GPU worker off")
endif()

# slicepool_target_defaults(<target>): language level, warnings and sanitizers for a target of this project.
# Nothing here reaches the device pass of nvcc.
function(slicepool_target_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set(warnings -Wall -Wextra -Wconversion -Wshadow)
  if(SLICEPOOL_WARNINGS_AS_ERRORS)
    list(APPEND warnings -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND warnings -Wno-restrict)   # false alarms in std::string::replace of libstdc++ 12 (GCC bug 105651)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
  if(SLICEPOOL_BUILD_FUZZERS)   # counts branches, so that the fuzzer sees what an input reaches
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link,address,undefined;-fno-sanitize-recover=all>")
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  if(SLICEPOOL_SANITIZE)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)   # instrumented code confuses the analysis
    endif()
    list(JOIN SLICEPOOL_SANITIZE "," sanitizers)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${sanitizers};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
    if("address" IN_LIST SLICEPOOL_SANITIZE AND "undefined" IN_LIST SLICEPOOL_SANITIZE)
      # What AddressSanitizer sees as well. These checks are a fifth of the time to compile.
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size,vptr>")
    endif()
    # Registers are given out for a function as a whole, and accesses are looked at by calls, not by code at each of them:
    # together with -Og about half of the time to compile. slicepool_keep_fast() takes it back.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fira-region=one>")
      if("address" IN_LIST SLICEPOOL_SANITIZE)
        target_compile_options(${target} PRIVATE
          "$<$<COMPILE_LANGUAGE:CXX>:--param=asan-instrumentation-with-call-threshold=0>")
      endif()
    endif()
    target_link_options(${target} PUBLIC "-fsanitize=${sanitizers}")
  endif()
endfunction()

# slicepool_precompile(<target> <headers>...): headers that most sources of the target include.
function(slicepool_precompile target)
  if(SLICEPOOL_PRECOMPILES)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # As -Wno-restrict: what is inlined from a precompiled std::string is no longer known as the library's.
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow;-Wno-array-bounds>")
    endif()
    foreach(header IN LISTS ARGN)
      target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
    endforeach()
  endif()
endfunction()

# slicepool_join_sources(<target>): with CMAKE_UNITY_BUILD, eight sources of a folder at a time are one translation unit. So names
# in anonymous namespaces are unique within a folder. What is generated, such as template instances, stays apart: there the
# compiler's own work is what takes time, and it should be spread over all cores.
function(slicepool_join_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${source}" NORMALIZE generated)
    if(NOT generated)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
      string(MAKE_C_IDENTIFIER "${folder}" folder)
      math(EXPR ${folder}Count "${${folder}Count} + 1")
      math(EXPR group "(${${folder}Count} - 1) / 8")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${group}")
    endif()
  endforeach()
endfunction()

# slicepool_keep_fast(<target>): a sanitizer build of this target is compiled for its own speed, not for that of the compiler.
# For code in which tests spend their time: vectors of 64 bytes take several times as long if AddressSanitizer looks at them by calls.
function(slicepool_keep_fast target)
  if(SLICEPOOL_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")   # what GCC has without these options
      target_compile_options(${target} PRIVATE -fira-region=mixed --param=asan-instrumentation-with-call-threshold=7000)
    endif()
  endif()
endfunction()

# slicepool_compile_quickly(<target>): a release of this target is compiled with -O1, a quarter of the time less than with
# -O3. For code that no search runs: the application, tests.
function(slicepool_compile_quickly target)
  target_compile_options(${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>")
endfunction()

# slicepool_static_library(<target> <exported name> <sources>...): a position independent static library,
# alias slicepool::<exported name>. Without sources it still configures and builds.
function(slicepool_static_library target name)
  set(sources ${ARGN})
  if(NOT sources)
    set(placeholder "${CMAKE_CURRENT_BINARY_DIR}/${target}_empty.cpp")
    file(WRITE "${placeholder}" "// ${target} has no sources yet.\n")
    set(sources "${placeholder}")
  endif()
  add_library(${target} STATIC ${sources})
  add_library(slicepool::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  slicepool_target_defaults(${target})
  slicepool_join_sources(${target})
endfunction()

# slicepool_conclude(<NAME> <what> <detail>): after the search for an optional part. Says whether SLICEPOOL_HAVE_<NAME> holds, with
# the detail or with SLICEPOOL_<NAME>_MISSING, and stops where SLICEPOOL_<NAME>=ON asks for what is not there.
function(slicepool_conclude name what detail)
  if(SLICEPOOL_HAVE_${name})
    message(STATUS "slicepool: ${what} on (${detail})")
  elseif(SLICEPOOL_${name} STREQUAL "ON")
    message(FATAL_ERROR "SLICEPOOL_${name}=ON, but there is ${SLICEPOOL_${name}_MISSING}")
  else()
    message(STATUS "slicepool: ${what} off (${SLICEPOOL_${name}_MISSING})")
  endif()
endfunction()
