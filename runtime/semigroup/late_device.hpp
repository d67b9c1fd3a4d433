// The device beside the host that an explorer gets for its mode. One that works alone is there at once. A GPU
// beside CPU workers comes when its driver has started, which takes longer than many explorations: the
// explorer asks at each large stage, and nothing waits. Used by both explorers.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/automatic_choice.hpp"
#include "runtime/core/joining_devices.hpp"
#include "runtime/core/rounds/staged_run.hpp"
#include "runtime/semigroup/explorer.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::semigroup {

/// `Device` is a StageDevice or the WordsDevice. Calls come from one thread.
template <class Device>
class LateDevice {
 public:
  using Make = std::function<std::unique_ptr<Device>()>;

  /// `make` throws DeviceError when there is no usable device; so does this in a mode that needs one at once.
  LateDevice(const ExplorerOptions& options, StagedRun& run, Make make)
      : mode_(options.mode), index_(options.device.deviceIndex), run_(run), make_(std::move(make)) {
    if (mode_ == Mode::gpu || mode_ == Mode::emulated) device_ = make_();
    expected_ = mode_ != Mode::cpu;
    if (chooses())
      run_.setChoice(withoutDevices(fmt::format(
          "no large stage began after the exploration had taken {:.3g} s", driverStart(mode_).longEnough)));
  }

  /// Null: there is none, or not yet. In mode hybrid, throws DeviceError when the driver has found no GPU.
  [[nodiscard]] Device* ask() {
    if (device_ == nullptr && expected_) join();
    return device_.get();
  }
  /// The device, if it is there already.
  [[nodiscard]] Device* get() const { return device_.get(); }
  /// Whether there is a device, or one may still come.
  [[nodiscard]] bool expected() const { return expected_; }
  /// It has failed, or is too small.
  void giveUp() {
    device_.reset();
    expected_ = false;
  }

 private:
  [[nodiscard]] bool chooses() const { return mode_ == Mode::automatic || mode_ == Mode::hybrid; }

  void join() {
    // A process whose driver is starting takes 0.1 s to leave: none is started for an exploration that may be
    // over in milliseconds. A driver that has been started already is used.
    const SearchLook look{.seconds = run_.report().seconds, .stepsLeft = std::nan("")};
    if (mode_ == Mode::hybrid && !asked_ && driverWasAsked()) {
      asked_ = true;
      run_.setChoice(gpuIsReady(index_) ? withReadyDevices() : alreadyAsked(look.seconds));
      startGpus(index_, 1);
    }
    if (chooses() && !asked_ && worthStartingGpus(mode_, secondsSince(made_), look.stepsLeft)) {
      asked_ = true;
      run_.setChoice(choiceAfter(look, true));
      startGpus(index_, 1);
    }
    const GpuList* const gpus = startedGpus();
    if (gpus == nullptr) return;
    if (mode_ == Mode::automatic && !asked_) run_.setChoice(withReadyDevices());
    if (gpus->gpus.empty()) {
      expected_ = false;
      if (mode_ == Mode::hybrid) throw DeviceError("no usable GPU: " + gpus->whyNone);
      if (mode_ == Mode::automatic) run_.setChoice(withoutGpus(gpus->whyNone));
      return;
    }
    // One that is not there is asked for all the same: the error says which there are.
    const bool there = index_ >= 0 && static_cast<std::size_t>(index_) < gpus->gpus.size();
    if (there && !gpuIsReady(index_)) return;
    const auto start = std::chrono::steady_clock::now();
    try {
      device_ = make_();
    } catch (const Error& error) {  // a GPU that cannot be used costs a warning, as one that fails later does
      expected_ = false;
      run_.warn(fmt::format("GPU {} cannot be used: {}", shownGpu(index_), error.what()));
    }
    run_.addSeconds(secondsSince(start));
    if (device_ != nullptr) run_.setReady(device_->name());
  }

  std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();
  Mode mode_;
  int index_;
  StagedRun& run_;
  Make make_;
  std::unique_ptr<Device> device_;
  bool expected_ = false;
  bool asked_ = false;  ///< by this run, in modes auto and hybrid
};

}  // namespace slicepool::semigroup
