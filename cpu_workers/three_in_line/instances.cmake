# The visit is one text for two instruction sets. Which of them runs, or the plain step, is decided at run time (visit.cpp).
# Boards have 256 bits: longer vectors have no use.
slicepool_simd_variants(${target} visit_kernels.hpp
  avx2   "-O3 -mavx2"
  avx512 "-O3 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mbmi -mbmi2 -mlzcnt -mpopcnt")
