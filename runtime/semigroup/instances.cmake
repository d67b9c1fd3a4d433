# Kinds of keys (runtime/semigroup/key_store.hpp): the element itself, or images of base points.
slicepool_instances(${target} explorer_instances.hpp
  packed "X(PackedKeyStore)"
  byte   "X(ImageKeyStore<std::uint8_t>)"
  short  "X(ImageKeyStore<std::uint16_t>)"
  wide   "X(ImageKeyStore<std::uint32_t>)")
