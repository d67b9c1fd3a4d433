# The walk is one text for three instruction sets. Which of them runs is decided at run time (walk.cpp).
slicepool_simd_variants(${target} walk_kernels.hpp
  portable "-O3"
  avx2     "-O3 -mavx2 -mfma -mpopcnt"
  avx512   "-O3 -mavx512f -mavx512vl -mavx512dq -mavx2 -mfma -mpopcnt -mprefer-vector-width=512")

# Small lattices likewise (small_lattice.cpp).
slicepool_simd_variants(${target} small_lattice_kernels.hpp
  portable "-O3"
  avx2     "-O3 -mavx2 -mfma -mpopcnt"
  avx512   "-O3 -mavx512f -mavx512vl -mavx512dq -mavx2 -mfma -mpopcnt -mprefer-vector-width=512")
