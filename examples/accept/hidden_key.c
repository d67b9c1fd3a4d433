/* A test of vectors for `slicepool lattice --accept`: of all vectors within the distance of a target, the one whose last
 * element is the secret key of the target. instance.py makes such lattices, and docs/lattice.md shows the commands.
 *
 *     cc -O2 -shared -fPIC -I include examples/accept/hidden_key.c -o hidden_key.so
 *
 * The keys k of y = g^k mod p are what is sought, where p = 2q + 1 with a prime q, the order of g: 0 < k < q. The file that HIDDEN_KEYS names has "p g" in its first line, and a y in
 * each of the next, one for each target. */
#include <slicepool/accept.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 10000 };

static uint64_t modulus, generator, keys[MOST];
static uint64_t count;

/* Runs when the library is opened: by one thread, before any call. */
__attribute__((constructor)) static void read_keys(void) {
  const char* name = getenv("HIDDEN_KEYS");
  FILE* file = name == NULL ? NULL : fopen(name, "r");
  unsigned long long value = 0, base = 0;
  if (file == NULL) return;
  if (fscanf(file, "%llu %llu", &value, &base) == 2) {
    modulus = value;
    generator = base;
    while (count < MOST && fscanf(file, "%llu", &value) == 1) keys[count++] = value;
  }
  fclose(file);
}

static uint64_t power(uint64_t base, uint64_t exponent) { /* of numbers below 2^32 */
  uint64_t result = 1;
  for (base %= modulus; exponent != 0; exponent >>= 1, base = base * base % modulus)
    if ((exponent & 1) != 0) result = result * base % modulus;
  return result;
}

int32_t slicepool_accept_version(void) { return SLICEPOOL_ACCEPT_VERSION; }

int32_t slicepool_accept(const struct slicepool_candidate* candidate) {
  if (candidate->target >= count) return -1; /* no key for this target, or no file */
  if (candidate->vector == NULL) return 0;   /* elements beyond 64 bits: no key is so long */
  const int64_t key = candidate->vector[candidate->length - 1];
  return key > 0 && (uint64_t)key < modulus / 2 && power(generator, (uint64_t)key) == keys[candidate->target];
}
