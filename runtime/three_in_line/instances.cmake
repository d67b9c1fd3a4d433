# Shapes of boards (slicepool/three_in_line/steps/shapes.hpp): sizes 1 to 10, 11 to 16, 17 to 32.
slicepool_instances(${target} problem_instances.hpp
  small "X(Packed<1>) X(Packed<2>) X(Packed<3>) X(Packed<4>) X(Packed<5>)"
  large "X(Packed<6>) X(Packed<7>) X(Packed<8>)"
  wide  "SLICEPOOL_THREE_IN_LINE_WIDE(X)")
