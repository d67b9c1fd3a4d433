# Kinds of keys (slicepool/semigroup/steps/keys.hpp): the element itself, or images of base points.
slicepool_instances(${target} device_instances.cuh
  packed "X(PackedKeys)"
  byte   "X(ImageKeys<std::uint8_t>)"
  short  "X(ImageKeys<std::uint16_t>)"
  wide   "X(ImageKeys<std::uint32_t>)")
