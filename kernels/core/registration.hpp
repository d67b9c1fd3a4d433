// Makes the CUDA part of the library known to the rest of it, without a CUDA header. Called by the command,
// by programs that use the shipped workloads on a GPU, and by the static registrars of users' .cu files.
#pragma once

namespace slicepool {

/// Registers the list of GPUs (devices.hpp). Makes no CUDA call. Idempotent and thread-safe.
void registerCudaProvider();

/// Registers the list of GPUs and the kernels of the shipped workloads, so that the engine finds them.
/// Makes no CUDA call: safe on a machine without a GPU. Idempotent and thread-safe.
void registerCudaKernels();

}  // namespace slicepool
