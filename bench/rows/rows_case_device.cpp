// The part of RowsCase that needs a CUDA build: limits of a device and its bus, rows by the GPU alone and by
// CPU and GPU together.
#include "bench/rows/device_limits.hpp"
#include "bench/rows/device_rows_writer.hpp"
#include "bench/rows/names.hpp"
#include "bench/rows/rows_case.hpp"

#include <fmt/format.h>

namespace slicepool::bench {
namespace {

Times deviceTime(double milliseconds) {
  Times times;
  times.wall = times.device = milliseconds;
  return times;
}

}  // namespace

void RowsCase::addDeviceLimits() {
  pinned_ = std::make_unique<PinnedMemory>(bytes());
  device_ = std::make_unique<DeviceLimits>(bytes());
  measurements_.push_back({.name = names::kDeviceFill,
                           .rows = rows(),
                           .bytes = bytes(),
                           .run = [this] { return deviceTime(device_->fillMilliseconds()); },
                           .verify =
                               [this] {
                                 static_cast<void>(device_->fillMilliseconds());
                                 return std::string(
                                     device_->lastFillIsThere() ? "" : "the device memory was not filled");
                               }});
  measurements_.push_back({.name = names::kPinnedCopy, .rows = rows(), .bytes = bytes(), .run = [this] {
                             return deviceTime(device_->copyMilliseconds(pinned_->data()));
                           }});
}

void RowsCase::addDeviceRows() {
  // Device time of the kernel alone; its tables are made once, before.
  writer_ =
      std::make_unique<DeviceRowsWriter>(instance_.generators, instance_.element, elementBytes_, bytes());
  measurements_.push_back(
      {.name = names::kRowsOnDevice,
       .rows = rows(),
       .bytes = bytes(),
       .run = [this] { return deviceTime(writer_->milliseconds()); },
       .verify =
           [this] {
             writer_->copyTo(pinned_->data());
             return differenceOf(inspectRows(instance_, pinned_->data(), rows(), elementBytes_), expected_);
           },
       .relations = {{"GPU rows into device memory / device fill", {names::kDeviceFill}}}});
  const int threads = settings_.maximumThreads();
  const std::string cpu = names::rows("cpu", names::kPinned, threads);
  const std::string gpu = names::rows("gpu", names::kPinned, 0);
  // CPU rows into the same memory: what a hybrid run is held against must not differ in the memory's pages.
  if (settings_.hybrid) {
    addStreamedFill(pinned_->data());
    addRows(cpu, Mode::cpu, threads, pinned_->data());
  }
  addRows(gpu, Mode::gpu, threads, pinned_->data()).relations = {
      {"GPU rows into pinned memory / pinned copy", {names::kPinnedCopy}}};
  if (!settings_.hybrid) return;
  addRows(names::rows("hybrid", names::kPinned, threads), Mode::hybrid, threads, pinned_->data())
      .relations = {{"hybrid rows into pinned memory / (CPU rows + GPU rows)", {cpu, gpu}},
                    {"hybrid rows into pinned memory / the lower of that sum and the streamed fill",
                     {cpu, gpu},
                     names::streamedFill(names::kPinned, threads)}};
}

}  // namespace slicepool::bench
