// Implementation of cuda_seat.cuh.
#include "batch_state.cuh"
#include "cuda_seat.cuh"

namespace slicepool::cuda {

CudaSeat::CudaSeat(int index) : device(index), selected(index) {
  for (Slot& slot : slots) slot.summary = PinnedBuffer(sizeof(DeviceState));
}

CudaSeat::~CudaSeat() {
  // Members free themselves; they need this thread to stand on the right device.
  static_cast<void>(cudaSetDevice(device));
}

std::size_t CudaSeat::hostBytes() const {
  std::size_t bytes = ring.bytes();
  for (const Slot& slot : slots) bytes += slot.summary.bytes();
  return bytes;
}

void CudaSeat::settle() noexcept {
  bool lost = cudaSetDevice(device) != cudaSuccess;
  for (const Slot& slot : slots) {
    lost = cudaStreamSynchronize(slot.stream.get()) != cudaSuccess || lost;
    lost = cudaStreamSynchronize(slot.copies.get()) != cudaSuccess || lost;
  }
  if (!lost) return;
  discard();
  MemoryCache::instance().abandon();
  static_cast<void>(cudaGetLastError());
}

}  // namespace slicepool::cuda
