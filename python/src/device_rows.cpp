// Rows of a factorization set in memory of a GPU, for other packages there. Called by
// slicepool/_device_array.py. A build without CUDA has the same names, and no GPU.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "gil.hpp"
#include "numbers.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "task.hpp"
#ifdef SLICEPOOL_HAVE_CUDA
#include "kernels/core/device_buffer.cuh"
#include "slicepool/cuda/device_rows.hpp"
#endif

namespace slicepool::python {
namespace {

using namespace nb::literals;

#ifdef SLICEPOOL_HAVE_CUDA

cudaStream_t streamOf(std::uintptr_t handle) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): handles are integers in Python
  return reinterpret_cast<cudaStream_t>(handle);
}

/// Memory of one GPU, and the moment from which on its rows are there. Not from the cache of the library:
/// the last owner may still work on it when it lets go, and cudaFree waits for that.
class DeviceMemory {
 public:
  DeviceMemory(int device, std::size_t bytes) : device_(device) {
    (void)requireGpus();
    const cuda::SelectedDevice selected(device);
    cudaError_t status = cudaMalloc(&address_, std::max<std::size_t>(1, bytes));
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      cuda::MemoryCache::instance().releaseAll();
      status = cudaMalloc(&address_, bytes);
    }
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      throw LimitError("device memory: " + cuda::describeBytes(bytes) + " needed for the rows");
    }
    cuda::check(status, "cudaMalloc");
    ready_ = std::make_unique<cuda::Event>();
  }
  ~DeviceMemory() {
    static_cast<void>(cudaSetDevice(device_));
    static_cast<void>(cudaFree(address_));
    static_cast<void>(cudaGetLastError());
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  [[nodiscard]] std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(address_); }
  [[nodiscard]] int device() const { return device_; }
  void recordOn(std::uintptr_t stream) const {
    cuda::useDevice(device_);
    SLICEPOOL_CUDA_CHECK(cudaEventRecord(ready_->get(), streamOf(stream)));
  }
  void delay(std::uintptr_t stream) const {
    cuda::useDevice(device_);
    SLICEPOOL_CUDA_CHECK(cudaStreamWaitEvent(streamOf(stream), ready_->get(), 0));
  }

 private:
  int device_;
  void* address_ = nullptr;
  std::unique_ptr<cuda::Event> ready_;
};

/// The tables of a set on a GPU.
class DeviceTable {
 public:
  DeviceTable(const std::vector<std::uint64_t>& generators, std::uint64_t element, unsigned elementBytes,
              int device)
      : device_(device), rows_(generators, element, optionsOf(elementBytes, device)) {}
  /// Kernels that read the tables may be under way.
  ~DeviceTable() {
    static_cast<void>(cudaSetDevice(device_));
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaGetLastError());
  }
  DeviceTable(const DeviceTable&) = delete;
  DeviceTable& operator=(const DeviceTable&) = delete;
  void write(std::uint64_t begin, std::uint64_t end, std::uintptr_t address, std::uintptr_t stream) const {
    cuda::useDevice(device_);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are integers in Python
    rows_.write({begin, end}, reinterpret_cast<void*>(address), streamOf(stream));
  }

 private:
  static cuda::DeviceRowsOptions optionsOf(unsigned elementBytes, int device) {
    (void)requireGpus();
    cuda::DeviceRowsOptions options;
    options.elementBytes = elementBytes;
    options.deviceIndex = device;
    return options;
  }
  int device_;
  cuda::DeviceRows rows_;
};

/// Host memory to a GPU, in the order of the stream. Returns when the host's may be changed.
void copyToDevice(std::uintptr_t host, std::uintptr_t address, std::size_t bytes, int device,
                  std::uintptr_t stream) {
  cuda::useDevice(device);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are integers in Python
  SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(reinterpret_cast<void*>(address), reinterpret_cast<const void*>(host),
                                       bytes, cudaMemcpyHostToDevice, streamOf(stream)));
  SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(streamOf(stream)));
}

void synchronize(int device, std::uintptr_t stream) {
  cuda::useDevice(device);
  SLICEPOOL_CUDA_CHECK(cudaStreamSynchronize(streamOf(stream)));
}

#else

[[noreturn]] void refuse() {
  (void)requireGpus();
  throw DeviceError("this build has no CUDA support");
}

class DeviceMemory {
 public:
  DeviceMemory(int, std::size_t) { refuse(); }
  [[nodiscard]] std::uintptr_t address() const { refuse(); }
  [[nodiscard]] int device() const { refuse(); }
  void recordOn(std::uintptr_t) const { refuse(); }
  void delay(std::uintptr_t) const { refuse(); }
};

class DeviceTable {
 public:
  DeviceTable(const std::vector<std::uint64_t>&, std::uint64_t, unsigned, int) { refuse(); }
  void write(std::uint64_t, std::uint64_t, std::uintptr_t, std::uintptr_t) const { refuse(); }
};

void copyToDevice(std::uintptr_t, std::uintptr_t, std::size_t, int, std::uintptr_t) { refuse(); }
void synchronize(int, std::uintptr_t) { refuse(); }

#endif

/// Makes the tables, in a thread that other threads of Python do not wait for.
class DeviceTableJob final : public Job {
 public:
  DeviceTableJob(std::vector<std::uint64_t> generators, std::uint64_t element, unsigned elementBytes,
                 int device)
      : generators_(std::move(generators)), element_(element), elementBytes_(elementBytes), device_(device) {}
  void execute(const report::StopRequest&, const report::RunWatcher&) override {
    table_ = std::make_shared<DeviceTable>(generators_, element_, elementBytes_, device_);
  }
  [[nodiscard]] std::shared_ptr<DeviceTable> table() const { return table_; }

 private:
  std::vector<std::uint64_t> generators_;
  std::uint64_t element_;
  unsigned elementBytes_;
  int device_;
  std::shared_ptr<DeviceTable> table_;
};

/// A DLPack capsule of rows in C order; it keeps the memory.
nb::object capsuleOf(const std::shared_ptr<DeviceMemory>& memory, std::size_t rows, std::size_t dimension,
                     unsigned elementBytes) {
  auto owner = std::make_unique<std::shared_ptr<DeviceMemory>>(memory);
  const nb::capsule capsule(
      owner.get(), [](void* kept) noexcept { delete static_cast<std::shared_ptr<DeviceMemory>*>(kept); });
  (void)owner.release();
  const std::size_t shape[] = {rows, dimension};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return nb::cast(nb::ndarray<>(reinterpret_cast<void*>(memory->address()), 2, shape, capsule, nullptr,
                                unsignedType(elementBytes), nb::device::cuda::value, memory->device()));
}

}  // namespace

void bindDeviceRows(nb::module_& module) {
  nb::class_<DeviceMemory>(module, "DeviceMemory")
      .def(nb::init<int, std::size_t>(), "device"_a, "bytes"_a)
      .def_prop_ro("address", &DeviceMemory::address)
      .def("record_on", &DeviceMemory::recordOn, "stream"_a)
      .def("delay", &DeviceMemory::delay, "stream"_a)
      .def("dlpack", &capsuleOf, "rows"_a, "dimension"_a, "element_bytes"_a,
           nb::sig("def dlpack(self, rows: int, dimension: int, element_bytes: int) -> typing.Any"));
  nb::class_<DeviceTable>(module, "DeviceTable")
      .def("write", &DeviceTable::write, "begin"_a, "end"_a, "address"_a, "stream"_a);
  nb::class_<DeviceTableJob, Job>(module, "DeviceTableJob")
      .def(nb::init<std::vector<std::uint64_t>, std::uint64_t, unsigned, int>(), "generators"_a, "element"_a,
           "element_bytes"_a, "device"_a)
      .def("table", &DeviceTableJob::table);
  module.def("copy_to_device", &copyToDevice, "host"_a, "address"_a, "bytes"_a, "device"_a, "stream"_a,
             nb::call_guard<GilReleased>());
  module.def("synchronize", &synchronize, "device"_a, "stream"_a, nb::call_guard<GilReleased>());
}

}  // namespace slicepool::python
