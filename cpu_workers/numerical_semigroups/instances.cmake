# The walk is one text, compiled for processors with bit-manipulation instructions. Whether it runs, or the plain step, is decided
# at run time (walk.cpp).
slicepool_simd_variants(${target} walk_kernels.hpp
  bmi2 "-O3 -mbmi -mbmi2 -mpopcnt")
