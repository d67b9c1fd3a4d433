/* A test of lattice vectors in a shared library, for `slicepool lattice --accept LIB.so` and the member "accept" of a
 * configuration: which of the vectors within a radius are solutions. The library is written in C, or in any language
 * with C's calling convention, needs this header alone, and defines both functions below. */
#ifndef SLICEPOOL_ACCEPT_H
#define SLICEPOOL_ACCEPT_H

#include <stdint.h>

/* Of this header. A library that was compiled with another version is refused. Members may be appended to the structure
 * within a version. */
#define SLICEPOOL_ACCEPT_VERSION 1

#define SLICEPOOL_ACCEPT_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* A vector within the radius. Pointers are valid during the call. */
struct slicepool_candidate {
  uint64_t target;          /* which one of a batch, from 0: the line of the file. 0 outside a batch */
  uint64_t length;          /* elements */
  const int64_t* vector;    /* the elements; with a Gram matrix coefficients. NULL where one is beyond 64 bits: see text */
  const char* text;         /* "[1 -2 3]" where `vector` is NULL; else NULL */
  const char* squared_norm; /* exact, "10"; with a target the squared distance, "7/4" */
};

/* Returns SLICEPOOL_ACCEPT_VERSION. Called once, when the library is opened. */
SLICEPOOL_ACCEPT_API int32_t slicepool_accept_version(void);

/* 1: the vector is a solution. 0: it is none. Below 0: the run ends with an error that has this number. Without a target
 * it is asked about one of v and -v: that whose last nonzero coefficient over the reduced basis is positive, and in a
 * batch that whose first element other than zero is positive. Called by several threads at once; it does not throw. */
SLICEPOOL_ACCEPT_API int32_t slicepool_accept(const struct slicepool_candidate* candidate);

#ifdef __cplusplus
}
#endif

#endif
