// The one registry of what kernels bring: for each type that can be made on a GPU, a function that makes it.
// The CUDA part of the library fills it (registerCudaKernels()); the rest of the library asks it and includes
// no CUDA header. Each interface wraps it in functions of its own types: batch_device.hpp, stage_device.hpp,
// words_device.hpp, leaf_table_maker.hpp.
#pragma once

#include <any>
#include <typeindex>
#include <utility>

namespace slicepool {

/// Puts `maker` in place of what was there. Thread-safe; may be called during static initialisation.
void registerMaker(std::type_index made, std::any maker);
/// What was registered; null: nothing was. Thread-safe; valid until something else is registered for the
/// type.
[[nodiscard]] const std::any* findMaker(std::type_index made);

/// The same as a function of type `Maker`; empty when there is none.
template <class Maker>
[[nodiscard]] Maker makerOf(std::type_index made) {
  const auto* maker = std::any_cast<Maker>(findMaker(made));
  return maker == nullptr ? Maker{} : *maker;
}

}  // namespace slicepool
