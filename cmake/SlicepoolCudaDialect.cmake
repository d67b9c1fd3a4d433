# CMake 3.25 does not know nvcc's flag for C++20, which the targets of slicepool ask for. Included by the build and
# by slicepoolConfig.cmake, so that users' .cu files compile too.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
