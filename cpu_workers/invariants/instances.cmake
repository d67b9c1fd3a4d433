# The comparison of a query with columns is one text for three instruction sets. Which of them runs is decided at run time
# (nearest.cpp).
slicepool_simd_variants(${target} nearest_kernels.hpp
  portable "-O3"
  avx2     "-O3 -mavx2"
  avx512   "-O3 -mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx2 -mprefer-vector-width=512")
