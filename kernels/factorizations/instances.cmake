# Families of dimensions (slicepool/factorizations/steps/types.hpp) for three algorithms.
slicepool_instances(${target} search_instances.cuh
  candidate_low  "SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_CANDIDATE)"
  candidate_high "SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(SLICEPOOL_CANDIDATE)"
  tabulated_low  "SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_TABULATED)"
  tabulated_high "SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(SLICEPOOL_TABULATED)"
  ranked_low     "SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_RANKED)"
  ranked_high    "SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(SLICEPOOL_RANKED)")
# Dimensions of rows that a user's program writes to the device's memory (slicepool/cuda/device_rows.hpp).
slicepool_instances(${target} device_rows_instances.cuh
  low  "X(3) X(4) X(5) X(6) X(7) X(8)"
  high "X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)")
