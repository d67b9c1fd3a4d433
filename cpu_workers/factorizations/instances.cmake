# The row kernels are one text for three instruction sets. Which of them runs is decided at run time (rows.cpp).
slicepool_simd_variants(${target} rows_kernels.hpp
  portable "-O3"
  avx2     "-O3 -mavx2"
  avx512   "-O3 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512")
