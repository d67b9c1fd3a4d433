# Capacities of the lattice search. Each unit takes about as long to compile as the others of its text.
slicepool_instances(${target} device_instances.cuh
  small  "X(16) X(32)"
  middle "X(64)"
  large  "X(96) X(160)")
slicepool_instances(${target} compacted_instances.cuh
  small  "X(16) X(32)"
  middle "X(64)"
  large  "X(96) X(160)")
