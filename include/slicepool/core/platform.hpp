// Host/device portability macros. Included by everything that a kernel may execute; needs no CUDA header.
#pragma once

#if defined(__CUDACC__)
#define SLICEPOOL_HD __host__ __device__
#define SLICEPOOL_INLINE __host__ __device__ __forceinline__
#else
#define SLICEPOOL_HD
#define SLICEPOOL_INLINE inline __attribute__((always_inline))
#endif

#if defined(__CUDA_ARCH__)
#define SLICEPOOL_ON_DEVICE 1
#else
#define SLICEPOOL_ON_DEVICE 0
#endif

// Loop unrolling is requested with the spelling each compiler understands.
// nvcc's host pass hands the code to a compiler that does not know nvcc's spelling.
#if SLICEPOOL_ON_DEVICE
#define SLICEPOOL_UNROLL _Pragma("unroll")
#define SLICEPOOL_NO_UNROLL _Pragma("unroll 1")
#elif defined(__CUDACC__)
#define SLICEPOOL_UNROLL
#define SLICEPOOL_NO_UNROLL
#elif defined(__clang__)
#define SLICEPOOL_UNROLL _Pragma("clang loop unroll(full)")
#define SLICEPOOL_NO_UNROLL
#else
#define SLICEPOOL_UNROLL _Pragma("GCC unroll 64")
#define SLICEPOOL_NO_UNROLL
#endif
