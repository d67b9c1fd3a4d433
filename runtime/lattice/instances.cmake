# Capacities of the lattice search. Each unit takes about as long to compile as the others of its text.
slicepool_instances(${target} problem_instances.hpp
  small "X(16) X(32) X(64)"
  large "X(96) X(160)")
slicepool_instances(${target} compacted_batch_instances.hpp
  small "X(16) X(32) X(64)"
  large "X(96) X(160)")
