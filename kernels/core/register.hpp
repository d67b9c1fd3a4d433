// Puts the kernels of a workload and a sink into the registry of devices, so that the engine finds them.
// Included by .cu files only, through workload.cuh.
#pragma once

#include <memory>
#include <typeindex>

#include "cuda_device.cuh"
#include "registration.hpp"
#include "slicepool/detail/batch_device.hpp"

namespace slicepool {

/// Registers the CUDA device for problems of type TypedProblem<W, S>. Makes no CUDA call.
template <class W, class S>
void registerKernels() {
  static_assert(checkWorkload<W, S>());
  registerDeviceFactory(
      typeid(TypedProblem<W, S>),
      [](const Problem& problem, const DeviceOptions& options) -> std::unique_ptr<BatchDevice> {
        const auto& typed = dynamic_cast<const TypedProblem<W, S>&>(problem);
        return std::make_unique<cuda::CudaDevice<W, S>>(typed, options);
      });
}

namespace cuda {

/// registerKernels as a function object, for lists of workloads and sinks.
struct AddKernels {
  template <class W, class S>
  void operator()() const {
    registerKernels<W, S>();
  }
};

/// Registers during static initialisation.
template <class W, class S>
struct Registrar {
  Registrar() {
    registerCudaProvider();
    registerKernels<W, S>();
  }
};

}  // namespace cuda
}  // namespace slicepool

#define SLICEPOOL_CUDA_JOIN_(a, b) a##b
#define SLICEPOOL_CUDA_JOIN(a, b) SLICEPOOL_CUDA_JOIN_(a, b)

/// GPU support for workload W with sink S: one line at namespace scope of a .cu file of the program.
#define SLICEPOOL_CUDA_WORKLOAD(W, ...)                                                             \
  static const ::slicepool::cuda::Registrar<W, __VA_ARGS__> SLICEPOOL_CUDA_JOIN(slicepoolRegistrar, \
                                                                                __COUNTER__)
