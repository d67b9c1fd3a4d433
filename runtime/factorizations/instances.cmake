# Families of dimensions (slicepool/factorizations/steps/types.hpp) for three algorithms.
slicepool_instances(${target} lexicographic_instances.hpp
  candidate_low  "SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_CANDIDATE)"
  candidate_high "SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(SLICEPOOL_CANDIDATE)"
  tabulated_low  "SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(SLICEPOOL_TABULATED)"
  tabulated_high "SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(SLICEPOOL_TABULATED)")
slicepool_instances(${target} ranked_instances.hpp
  low  "SLICEPOOL_FACTORIZATIONS_LOW_FAMILIES(X)"
  high "SLICEPOOL_FACTORIZATIONS_HIGH_FAMILIES(X)")
