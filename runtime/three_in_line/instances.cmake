# Shapes of boards (slicepool/three_in_line/steps/shapes.hpp).
slicepool_instances(${target} problem_instances.hpp
  packed "SLICEPOOL_THREE_IN_LINE_PACKED(X)"
  wide   "SLICEPOOL_THREE_IN_LINE_WIDE(X)")
