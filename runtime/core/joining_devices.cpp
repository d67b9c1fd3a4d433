// See joining_devices.hpp.
#include "runtime/core/joining_devices.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace slicepool {
namespace {

bool isWorth(const DriverStart& start, double secondsPassed, double left, double earlier) {
  if (earlier + secondsPassed > start.earlierRuns && earlier > 0) return true;
  if (std::isnan(left)) return secondsPassed > start.longEnough;
  return secondsPassed > start.firstRates && left > start.worthIt;
}

}  // namespace

const DriverStart& driverStart(Mode mode) { return mode == Mode::hybrid ? kHybridStart : kAutomaticStart; }

bool worthStartingGpus(Mode mode, double secondsPassed, double left, double earlier) {
  return mode == Mode::gpu || isWorth(driverStart(mode), secondsPassed, left, earlier);
}

bool worthFurtherGpus(double secondsPassed, double left, double earlier) {
  return isWorth(kFurtherStart, secondsPassed, left, earlier);
}

double foreseenRate(const std::vector<double>& rates) {
  const auto waiting = std::count(rates.begin(), rates.end(), 0.0);
  const auto workers = static_cast<double>(rates.size());
  const double rated = workers - static_cast<double>(waiting);
  return rated > 0 ? std::accumulate(rates.begin(), rates.end(), 0.0) * workers / rated : 0;
}

bool worthJoining(double left) {
  constexpr double kMinimum = 0.02;
  return !(left < kMinimum);
}

JoiningDevices::JoiningDevices(int first, int count, Make make)
    : first_(first), count_(count), make_(std::move(make)) {}

bool JoiningDevices::start() {
  if (std::exchange(started_, true)) return false;
  startGpus(first_, count_);
  if (gpusAreLikely())
    list();
  else
    listed_ = true;
  return true;
}

void JoiningDevices::list() {
  const GpuList* const gpus = startedGpus();
  if (gpus == nullptr) return;
  listed_ = true;
  if (gpus->gpus.empty()) none_ = gpus;
  for (const auto& gpu : gpus->gpus)
    if (gpu.index >= first_ && (count_ == 0 || gpu.index < first_ + count_)) waiting_.push_back(gpu.index);
  // One that is not there is asked for all the same: the error says which there are.
  const int found = static_cast<int>(gpus->gpus.size());
  for (int index = std::max(first_, found); found != 0 && index < first_ + count_; ++index)
    missing_.push_back({index, std::async(std::launch::async, make_, index)});
}

std::vector<JoiningDevices::Device> JoiningDevices::ready(bool worth) {
  if (started_ && !listed_) list();
  // In this order: a device that is not ready after the end of the start never will be.
  const bool starting = gpusAreStarting();
  std::erase_if(waiting_, [&](int index) {
    if (!gpuIsReady(index)) return !starting;
    if (worth) made_.push_back({index, std::async(std::launch::async, make_, index)});
    return worth;
  });
  std::vector<Device> devices;
  collect(made_, devices);
  collect(missing_, devices);
  return devices;
}

/// Moves those that are done from `making` to `devices`.
void JoiningDevices::collect(std::vector<Making>& making, std::vector<Device>& devices) {
  std::erase_if(
      making,
      [&](Making& one) {
        if (one.device.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        Device& device = devices.emplace_back();
        device.index = one.index;
        try {
          device.device = one.device.get();
        } catch (...) {
          device.error = std::current_exception();
        }
        return true;
      });
}

}  // namespace slicepool
