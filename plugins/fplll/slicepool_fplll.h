/* libslicepool_fplll.so: slicepool as an external enumerator of fplll. C++ includes fplll's headers first.
 * All functions may be called from any thread; settings hold for calls that start later. */
#ifndef SLICEPOOL_FPLLL_H
#define SLICEPOOL_FPLLL_H

#include <stdint.h>

#define SLICEPOOL_FPLLL_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Makes slicepool the external enumerator of the libfplll of this process, and the one from before again: fplll's own, or
 * that of another library. */
SLICEPOOL_FPLLL_API void slicepool_fplll_register(void);
SLICEPOOL_FPLLL_API void slicepool_fplll_unregister(void);

/* What is taken and by whom. Names, with defaults:
 *   min_dimension  36    blocks of fewer dimensions are declined: fplll enumerates them itself
 *   min_nodes      1e4   blocks of fewer expected nodes are declined
 *   engine_nodes   2e7   from this many on a pool of workers searches; below, the calling thread
 *   threads        0     CPU workers of all such pools at a moment; 0: all cores
 *   mode           "auto"  cpu, gpu, hybrid, emulated or auto: who works in such a pool
 *   dual           0     1: dual blocks are taken too. fplll 5.4.4 then reports a squared norm that is wrong by a power
 *                        of 4; the vector is right. Leave it 0 where a program reads these norms.
 * The same are read from the environment at the first call: SLICEPOOL_FPLLL_MIN_DIMENSION, .. SLICEPOOL_FPLLL_MODE.
 * Returns 0, or -1 for an unknown name or a value that is not accepted; nothing is changed then. */
SLICEPOOL_FPLLL_API int slicepool_fplll_set(const char* name, const char* value);

/* Calls since the library was loaded: declined, searched by the calling thread, searched by a pool; and the nodes of the
 * latter two. */
struct slicepool_fplll_counts {
  uint64_t declined;
  uint64_t sequential;
  uint64_t pooled;
  uint64_t nodes;
};
SLICEPOOL_FPLLL_API void slicepool_fplll_statistics(struct slicepool_fplll_counts* counts);

#if defined(__cplusplus) && defined(FPLLL_ENUMERATE_EXT_API_H)
/* The enumerator itself, for fplll::set_external_enumerator; fpylll takes its address (FPLLL.set_external_enumerator). */
SLICEPOOL_FPLLL_API extenum_fc_enumerate slicepool_fplll_enumerate;
#endif

#ifdef __cplusplus
}
#endif

#endif
