# Finds what the Python package is built with: Python 3.10 or newer with its headers, and nanobind 3, a package of this Python
# (pip install nanobind). SLICEPOOL_HAVE_PYTHON is what the rest of the build asks, SLICEPOOL_PYTHON_MISSING says why not.

set(SLICEPOOL_HAVE_PYTHON OFF)
set(SLICEPOOL_PYTHON_MISSING "SLICEPOOL_PYTHON=OFF")
if(NOT SLICEPOOL_PYTHON STREQUAL "OFF")
  if(SLICEPOOL_SANITIZE OR SLICEPOOL_BUILD_FUZZERS)
    set(SLICEPOOL_PYTHON_MISSING "a build with sanitizers")   # Python itself would have to be built with them
  else()
    find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
    if(NOT Python_FOUND)
      set(SLICEPOOL_PYTHON_MISSING "no Python 3.10 or newer with headers (Debian: python3-dev)")
    else()
      execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
        OUTPUT_VARIABLE nanobindFolder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(nanobindFolder)
        set(nanobind_ROOT "${nanobindFolder}")
      endif()
      find_package(nanobind 3.1 CONFIG QUIET)
      if(nanobind_FOUND)
        set(SLICEPOOL_HAVE_PYTHON ON)
      else()
        set(SLICEPOOL_PYTHON_MISSING "no nanobind 3.1 or newer for ${Python_EXECUTABLE} (pip install nanobind)")
      endif()
    endif()
  endif()
endif()
slicepool_conclude(PYTHON "Python package" "${Python_EXECUTABLE}, nanobind ${nanobind_VERSION}")
